import "server-only";
import { ObjectId } from "mongodb";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import type { Use } from "@/lib/features/connections/uses";
import { accessOf, visibleTo } from "@/lib/features/folders/model";
import { consumeQuery } from "@/lib/features/query/service";
import { bindVariables } from "@/lib/features/query/variables";
import type { ResultPreview } from "@/lib/features/results/schema";
import { keepResult, previewResults } from "@/lib/features/results/service";
import { carryOutRun, RUN_DRAIN_MS } from "@/lib/features/runs/carry-out";
import { tailLog } from "@/lib/features/runs/logs";
import { type RunDoc, type RunResource, toRun } from "@/lib/features/runs/model";
import type { ScheduleDoc } from "@/lib/features/runs/schedules/model";
import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { putSchedule, removeSchedule, scheduledIds } from "@/lib/features/runs/schedules/service";
import { findRun, listRunDocs, queueRun, requestCancel } from "@/lib/features/runs/service";
import { queueUnlessBusy, type RunQueued, wakeRun } from "@/lib/features/runs/wake";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, toPage } from "@/lib/platform/http/paging";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";
import { keepAsLast } from "./last-result";
import type { ConsoleDoc } from "./model";
import type { ConsoleRun, ConsoleRunDetails } from "./schema";
import { getConsoleDocOrThrow } from "./service";
import { RESOURCE_TYPE } from "./standing";
import { tellConsole } from "./tell";

/** What the job runner is woken with when a run is queued. */
export const CONSOLE_RUN_QUEUED_EVENT = "console/run.queued";
/** A run that nobody looks at may take as long as the longest query. */
const RUN_TIMEOUT_MS = 15 * 60_000;
/** Of each result the first rows are kept, as long as its run is. */
const KEPT = { rows: 10_000, bytes: 16 * 1024 * 1024, ms: 30 * 24 * 60 * 60 * 1000 };
/** What one run shows of its log: its end, where a failure says why. */
const LOG_LINES_SHOWN = 1000;
const STOPPED =
  "The server stopped while the query ran on a connection that may write. The database may have applied all of it, a part or nothing. Check the data, then run it again.";

/**
 * Sets when a console runs by itself, as the caller.
 * @throws AppError `not_found`; `invalid_request` for a bad schedule and for a console that cannot run
 */
export async function putConsoleSchedule(caller: Caller, consoleId: ObjectId, body: ScheduleBody): Promise<Schedule> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  requireRunnable(doc);
  const schedule = await putSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: consoleId }, body);
  tellConsole(doc);
  return schedule;
}

/** Takes the schedule away, if there is one. @throws AppError `not_found` for the console */
export async function removeConsoleSchedule(caller: Caller, consoleId: ObjectId): Promise<void> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  await removeSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: consoleId });
  tellConsole(doc);
}

/**
 * Runs a console now, in the background, as the caller.
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

/** The runs of a console in the background, the newest first. @throws AppError `not_found` */
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

/** One run with its result's beginning and its log. @throws AppError `not_found` */
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
 * Ends a run of a console.
 * @throws AppError `not_found`; `conflict` for one that has ended
 */
export async function cancelConsoleRun(caller: Caller, consoleId: ObjectId, runId: ObjectId): Promise<ConsoleRun> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  return toConsoleRun(await requestCancel(runResourceOf(doc), runId, caller.user._id), null);
}

/** What a tick of a console's schedule does (`lib/features/runs/schedules/tick`). */
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

/** Wakes a run that is queued or only reads; gives up one that was interrupted while it may have written. */
export async function recoverConsoleRun(run: RunDoc): Promise<"woken" | "give_up"> {
  if (run.status !== "queued" && !run.isRepeatable) return "give_up";
  await wakeRun(run, CONSOLE_RUN_QUEUED_EVENT);
  return "woken";
}

/** Which consoles hold on to a connection by their schedules. */
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
    // It counts, and is nobody's to read.
    name: accessOf(space) === "private" ? "A private console" : name,
  }));
}

/**
 * Carries out a queued run to its end (`carryOutRun`). When this server stops, the query first has time to finish. Then a
 * run that only reads is queued again, and one that may have written fails.
 * @param drainMs time to finish
 */
export async function carryOutConsoleRun(queued: RunQueued, { drainMs = RUN_DRAIN_MS } = {}): Promise<void> {
  await carryOutRun(queued, {
    wakeBy: CONSOLE_RUN_QUEUED_EVENT,
    drainMs,
    open: (held) => {
      let mayHaveWritten = false;
      return {
        async carryOut() {
          const { caller, doc, connection } = await resolveRun(held.run);
          mayHaveWritten = !mayOnlyRead(connection) && !isReadOnly(caller);
          if (!mayHaveWritten) await held.markRepeatable();
          held.signal.throwIfAborted();
          const { resultId, rowCount, isCut } = await runScheduled(caller, doc, connection, held.signal);
          if (isCut) await held.log([{ level: "warn", text: "The result ends before a value that is too large." }]);
          return { rowCount, resultId };
        },
        whenInterrupted: () => (mayHaveWritten ? new AppError("unavailable", STOPPED) : null),
      };
    },
  });
}

/** Returns who runs a console, the console and its connection. @throws AppError when one of them is gone */
async function resolveRun({ _id, workspaceId, resourceId, params }: RunDoc) {
  const caller = await callerOfJob(workspaceId, new ObjectId(String(params.userId)), _id);
  if (!caller) {
    throw new AppError(
      "forbidden",
      "Who set this schedule is no member any more. Save the schedule to run it as yourself.",
    );
  }
  const doc = await collections.consoles().findOne({ _id: resourceId, ...visibleTo(caller) });
  if (!doc)
    throw new AppError("not_found", "The console is deleted, or is no longer shared with who set its schedule.");
  return { caller, doc, connection: await getConnectionDocOrThrow(caller, requireRunnable(doc)) };
}

async function runScheduled(caller: Caller, doc: ConsoleDoc, connection: ConnectionDoc, signal: AbortSignal) {
  const { query, params } = await bindVariables(doc.content, driverOf(connection.type), {}, connection.workspaceId);
  return consumeQuery(
    caller,
    {
      connection,
      origin: { kind: "console", id: doc._id, isPrivate: accessOf(doc.space) === "private" },
      statement: { query, params },
      timeoutMs: RUN_TIMEOUT_MS,
      signal,
      watch: keepAsLast(caller, doc, { connectionId: connection._id, statement: doc.content, variables: {} }),
    },
    (result) => keepResult(caller.workspaceId, result, KEPT),
  );
}

/** @returns the connection. @throws AppError `invalid_request` */
function requireRunnable({ content, connectionId }: ConsoleDoc): ObjectId {
  if (content.trim() === "")
    throw new AppError("invalid_request", "The console is empty. Write a query and save it first.");
  if (!connectionId)
    throw new AppError("invalid_request", "The console has no connection. Choose one and save it first.");
  return connectionId;
}

function runResourceOf({ _id, workspaceId }: ConsoleDoc): RunResource {
  return { workspaceId, resourceType: RESOURCE_TYPE, resourceId: _id };
}

/** How a run of a private console stands is its owner's to know. */
function onlyForOwner({ space, ownerId }: ConsoleDoc): { onlyFor?: ObjectId } {
  return accessOf(space) === "private" ? { onlyFor: ownerId } : {};
}

function toConsoleRun(run: RunDoc, resultPreview: ResultPreview | null): ConsoleRun {
  return { ...toRun(run), resultPreview };
}
