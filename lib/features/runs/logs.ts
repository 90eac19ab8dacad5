import "server-only";
import { ObjectId } from "mongodb";
import { collections } from "./collections";
import { publishLogEvent } from "./events";
import { type RunLogDoc, toLogLine } from "./model";
import type { LogLevel, LogLine } from "./schema";

/** Maximum number of lines of a log. A run with more repeats the same messages. */
export const RUN_LOG_LINES_MAX = 5_000;
const LINE_CHARS_MAX = 2_000;
const FULL = `Log truncated after ${RUN_LOG_LINES_MAX} lines.`;

export type NewLogLine = { level: LogLevel; text: string };

/**
 * Adds lines to the log of a run, in order.
 * @returns the lines that were stored, to publish to subscribers
 */
export async function appendLog(
  workspaceId: ObjectId,
  runId: ObjectId,
  lines: NewLogLine[],
  now = new Date(),
): Promise<LogLine[]> {
  if (lines.length === 0) return [];
  // Reserves a range of positions, so that concurrent writers do not collide.
  const before = await collections.runs().findOneAndUpdate(
    { _id: runId, workspaceId },
    { $inc: { logLines: lines.length } },
    {
      returnDocument: "before",
      projection: { workspaceId: 1, resourceType: 1, resourceId: 1, onlyFor: 1, logLines: 1 },
    },
  );
  if (!before || before.logLines > RUN_LOG_LINES_MAX) return [];
  const room = RUN_LOG_LINES_MAX - before.logLines;
  const kept = lines.length > room ? [...lines.slice(0, room), { level: "warn" as const, text: FULL }] : lines;
  const docs = kept.map(
    ({ level, text }, index): RunLogDoc => ({
      _id: new ObjectId(),
      workspaceId,
      runId,
      seq: before.logLines + index,
      at: now,
      level,
      text: toText(text),
    }),
  );
  await collections.runLogs().insertMany(docs, { ordered: false });
  const shown = docs.map(toLogLine);
  publishLogEvent(before, shown);
  return shown;
}

/** Returns the last lines of a log, oldest first, for a reader who joins late. */
export async function tailLog(workspaceId: ObjectId, runId: ObjectId, limit: number): Promise<LogLine[]> {
  const docs = await collections.runLogs().find({ workspaceId, runId }).sort({ seq: -1 }).limit(limit).toArray();
  return docs.reverse().map(toLogLine);
}

/** Returns a line cut to the limit, never within a character. */
function toText(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").toWellFormed();
  return line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX).toWellFormed()} …` : line;
}
