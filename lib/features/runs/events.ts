import "server-only";
import { publish } from "@/lib/platform/events/publish";
import { type RunDoc, toRun } from "./model";
import type { LogLine } from "./schema";

/**
 * Maximum number of characters of log lines in one event: an event that is too large says only that something changed.
 */
const LINES_CHARS_MAX = 6_000;

type Told = Pick<RunDoc, "workspaceId" | "resourceType" | "resourceId" | "onlyFor">;

/** Publishes the status of a run to its subscribers. Call it after the write. */
export function publishRunEvent(run: RunDoc): void {
  publish({ ...placeOf(run), kind: "run", data: { run: toRun(run) } });
}

/** Publishes new lines of a run's log to its subscribers. */
export function publishLogEvent(run: Told & Pick<RunDoc, "_id">, lines: readonly LogLine[]): void {
  let part: LogLine[] = [];
  let chars = 0;
  const flush = () => {
    if (part.length > 0) publish({ ...placeOf(run), kind: "log", data: { runId: run._id.toHexString(), lines: part } });
    part = [];
    chars = 0;
  };
  for (const line of lines) {
    if (chars + line.text.length > LINES_CHARS_MAX) flush();
    part.push(line);
    chars += line.text.length;
  }
  flush();
}

function placeOf({ workspaceId, resourceType, resourceId, onlyFor }: Told) {
  return { workspaceId, resourceType, resourceId, ...(onlyFor && { onlyFor }) };
}
