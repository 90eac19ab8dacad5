import "server-only";
import { ObjectId } from "mongodb";
import { formatCountOf } from "@/lib/base/values/amounts";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import type { Use } from "@/lib/features/connections/uses";
import { changeItems } from "@/lib/features/folders/change-items";
import { accessOf, visibleTo } from "@/lib/features/folders/model";
import { bindConsole } from "@/lib/features/metrics/in-sql";
import { consumeQuery } from "@/lib/features/query/service";
import type { ResultPreview } from "@/lib/features/results/schema";
import { keepResult, previewResults } from "@/lib/features/results/service";
import { queueUnlessBusy, type RunQueued, wakeRun } from "@/lib/features/runs/enqueue";
import { executeRun, RUN_DRAIN_MS } from "@/lib/features/runs/execute";
import { tailLog } from "@/lib/features/runs/logs";
import { type RunDoc, type RunResource, toRun } from "@/lib/features/runs/model";
import type { ScheduleDoc } from "@/lib/features/runs/schedules/model";
import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { putSchedule, removeSchedule, scheduledIds, schedulesOf } from "@/lib/features/runs/schedules/service";
import { findRun, listRunDocs, queueRun, requestCancel } from "@/lib/features/runs/service";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, toPage } from "@/lib/platform/http/paging";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";
import { CONSOLES } from "./item-kind";
import { keepAsLast } from "./last-result";
import type { ConsoleDoc } from "./model";
import { RESOURCE_TYPE } from "./run-status";
import type { ConsoleRun, ConsoleRunDetails } from "./schema";
import { getConsoleDocOrThrow } from "./service";

/** Event that wakes the job runner when a run is queued. */
export const CONSOLE_RUN_QUEUED_EVENT = "console/run.queued";
/** A background run may take as long as the longest query. */
const RUN_TIMEOUT_MS = 15 * 60_000;
/** Limits of a stored result: only its first rows, for the lifetime of its run. */
const KEPT = { rows: 10_000, bytes: 16 * 1024 * 1024, ms: 30 * 24 * 60 * 60 * 1000 };
/** Maximum number of log lines shown for a run. The last ones are shown, where a failure gives its reason. */
const LOG_LINES_SHOWN = 1000;
const STOPPED =
  "The server stopped while the query ran on a connection that may write. The database may have applied all of it, a part or nothing. Check the data, then run it again.";

/**
 * Sets a console's schedule. Its runs have the caller's permissions.
 * @throws AppError `not_found`; `invalid_request` for a bad schedule and for a console that cannot run
 */
export async function putConsoleSchedule(caller: Caller, consoleId: ObjectId, body: ScheduleBody): Promise<Schedule> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  requireRunnable(doc);
  const schedule = await putSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: consoleId }, body);
  await rewriteFile(caller, consoleId, "Schedule");
  return schedule;
}

/** Removes the schedule, if any. @throws AppError `not_found` for the console */
export async function removeConsoleSchedule(caller: Caller, consoleId: ObjectId): Promise<void> {
  await getConsoleDocOrThrow(caller, consoleId);
  await removeSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: consoleId });
  await rewriteFile(caller, consoleId, "Remove the schedule of");
}

/** Makes a commit of the console's file with its present schedule. The version stays: its text has not changed. */
function rewriteFile(caller: Caller, consoleId: ObjectId, verb: string): Promise<void> {
  return changeItems(caller, CONSOLES, async (changes) => {
    const doc = await getConsoleDocOrThrow(caller, consoleId);
    changes.message = `${verb} ${doc.path}`;
    changes.rewrite(doc);
  });
}

/**
 * Starts a background run of a console, as the caller.
 * @throws AppError `not_found`; `already_running`; `invalid_request` for a console that cannot run
 */
export async function startConsoleRun(caller: Caller, consoleId: ObjectId): Promise<ConsoleRun> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  requireRunnable(doc);
  const { run } = await queueRun({
    ...runResourceOf(doc),
    resourceName: doc.name,
    triggerType: caller.via.kind === "key" ? "api" : "manual",
    triggeredBy: caller.user._id,
    ...onlyForOwner(doc),
    params: { userId: caller.user._id.toHexString() },
  });
  await wakeRun(run, CONSOLE_RUN_QUEUED_EVENT);
  return toConsoleRun(run, null);
}

/** Lists the background runs of a console, newest first. @throws AppError `not_found` */
export async function listConsoleRuns(
  caller: Caller,
  consoleId: ObjectId,
  page: PageRequest,
): Promise<Page<ConsoleRun>> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  const runs = await listRunDocs(runResourceOf(doc), page);
  const previews = await previewResults(
    caller.workspaceId,
    runs.flatMap(({ resultId }) => resultId ?? []),
  );
  return toPage(runs, page.limit, (run) => toConsoleRun(run, previews.get(run.resultId?.toHexString() ?? "") ?? null));
}

/** Returns a run with its first rows and its log. @throws AppError `not_found` */
export async function getConsoleRun(caller: Caller, consoleId: ObjectId, runId: ObjectId): Promise<ConsoleRunDetails> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  const run = await findRun(runResourceOf(doc), runId);
  const [previews, logs] = await Promise.all([
    previewResults(caller.workspaceId, run.resultId ? [run.resultId] : []),
    tailLog(caller.workspaceId, runId, LOG_LINES_SHOWN),
  ]);
  return { ...toConsoleRun(run, previews.get(run.resultId?.toHexString() ?? "") ?? null), logs };
}

/**
 * Cancels a run of a console.
 * @throws AppError `not_found`; `conflict` for one that has ended
 */
export async function cancelConsoleRun(caller: Caller, consoleId: ObjectId, runId: ObjectId): Promise<ConsoleRun> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  return toConsoleRun(await requestCancel(runResourceOf(doc), runId, caller.user._id), null);
}

/** Queues a run for a tick of a console's schedule (`lib/features/runs/schedules/tick`). */
export async function queueConsoleTick(
  schedule: ScheduleDoc,
  tick: Date,
): Promise<"queued" | "busy" | "away" | "gone"> {
  const { workspaceId, resourceId, ownerId } = schedule;
  const doc = await collections.consoles().findOne({ _id: resourceId, workspaceId });
  if (!doc) {
    const kept = await collections.deletedConsoles().countDocuments({ _id: resourceId, workspaceId }, { limit: 1 });
    return kept === 1 ? "away" : "gone";
  }
  const start = {
    ...runResourceOf(doc),
    resourceName: doc.name,
    triggerType: "scheduled" as const,
    ...onlyForOwner(doc),
    once: tick.toISOString(),
    params: { userId: ownerId.toHexString() },
  };
  return queueUnlessBusy(start, CONSOLE_RUN_QUEUED_EVENT);
}

/** Wakes a run that is queued or only reads; gives up an interrupted one that may have written. */
export async function recoverConsoleRun(run: RunDoc): Promise<"woken" | "give_up"> {
  if (run.status !== "queued" && !run.isRepeatable) return "give_up";
  await wakeRun(run, CONSOLE_RUN_QUEUED_EVENT);
  return "woken";
}

/** Lists the consoles that use a connection through their schedules. */
export async function listScheduledUses({ workspaceId }: Caller, connectionId: ObjectId): Promise<Use[]> {
  const ids = await scheduledIds(workspaceId, RESOURCE_TYPE);
  const docs = await collections
    .consoles()
    .find({ workspaceId, connectionId, _id: { $in: ids } }, { projection: { name: 1, space: 1 } })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return docs.map(({ _id, name, space }) => ({
    kind: "scheduled_console",
    id: _id.toHexString(),
    // It counts as a use, but its name is private.
    name: accessOf(space) === "private" ? "A private console" : name,
  }));
}

/**
 * Runs a queued run to its end (`executeRun`). When this server stops, the query first gets time to finish. Then a
 * read-only run is queued again, and one that may have written fails.
 * @param drainMs time to finish
 */
export async function executeConsoleRun(queued: RunQueued, { drainMs = RUN_DRAIN_MS } = {}): Promise<void> {
  await executeRun(queued, {
    wakeBy: CONSOLE_RUN_QUEUED_EVENT,
    drainMs,
    open: (held) => {
      let mayHaveWritten = false;
      let facts = {};
      return {
        facts: () => facts,
        async execute() {
          const { caller, doc, connection } = await resolveRun(held.run);
          mayHaveWritten = !mayOnlyRead(connection) && !isReadOnly(caller);
          if (!mayHaveWritten) await held.markRepeatable();
          held.signal.throwIfAborted();
          const { resultId, rowCount, isCut } = await runScheduled(caller, doc, connection, held.signal);
          if (isCut)
            await held.log([{ level: "warn", text: "The result was truncated at a value that is too large." }]);
          facts = { rowCount, resultId };
          requireExpected(doc, rowCount);
          return facts;
        },
        whenInterrupted: () => (mayHaveWritten ? new AppError("unavailable", STOPPED) : null),
      };
    },
  });
}

/** Returns the user of a run, the console and its connection. @throws AppError when one of them is gone */
async function resolveRun({ _id, workspaceId, resourceId, params }: RunDoc) {
  const caller = await callerOfJob(workspaceId, new ObjectId(String(params.userId)), _id);
  if (!caller) {
    throw new AppError("forbidden", "The schedule's owner is no longer a member. Save the schedule to run it as you.");
  }
  const doc = await collections.consoles().findOne({ _id: resourceId, ...visibleTo(caller) });
  if (!doc) throw new AppError("not_found", "The console was deleted, or the schedule's owner can no longer see it.");
  return { caller, doc, connection: await getConnectionDocOrThrow(caller, requireRunnable(doc)) };
}

async function runScheduled(caller: Caller, doc: ConsoleDoc, connection: ConnectionDoc, signal: AbortSignal) {
  const { content, variables = {} } = doc;
  const schedule = (await schedulesOf(doc.workspaceId, RESOURCE_TYPE, [doc._id])).get(doc._id.toHexString());
  const asked = { content, values: variables, timezone: schedule?.timezone };
  const { query, params } = await bindConsole(caller, connection, asked);
  return consumeQuery(
    caller,
    {
      connection,
      origin: { kind: "console", id: doc._id, isPrivate: accessOf(doc.space) === "private" },
      statement: { query, params },
      timeoutMs: RUN_TIMEOUT_MS,
      signal,
      // The user who set the schedule has confirmed its runs.
      confirm: true,
      watch: keepAsLast(caller, doc, { connectionId: connection._id, statement: content, variables }),
    },
    (result) => keepResult(caller.workspaceId, result, KEPT),
  );
}

/** @throws AppError `query_failed` for a result that does not meet the console's conditions */
function requireExpected({ expect }: ConsoleDoc, rowCount: number): void {
  const { minRows = 0, maxRows = rowCount } = expect ?? {};
  if (rowCount >= minRows && rowCount <= maxRows) return;
  const wanted =
    rowCount < minRows ? `at least ${formatCountOf(minRows, "row")}` : `at most ${formatCountOf(maxRows, "row")}`;
  throw new AppError("query_failed", `Expected ${wanted}. The query returned ${rowCount}.`);
}

/** @returns the connection. @throws AppError `invalid_request` */
function requireRunnable({ content, connectionId }: ConsoleDoc): ObjectId {
  if (content.trim() === "") throw new AppError("invalid_request", "The console is empty. Save a query first.");
  if (!connectionId) throw new AppError("invalid_request", "The console has no connection. Select one and save.");
  return connectionId;
}

function runResourceOf({ _id, workspaceId }: ConsoleDoc): RunResource {
  return { workspaceId, resourceType: RESOURCE_TYPE, resourceId: _id };
}

/** Limits run events of a private console to its owner. */
function onlyForOwner({ space, ownerId }: ConsoleDoc): { onlyFor?: ObjectId } {
  return accessOf(space) === "private" ? { onlyFor: ownerId } : {};
}

function toConsoleRun(run: RunDoc, resultPreview: ResultPreview | null): ConsoleRun {
  return { ...toRun(run), resultPreview };
}
