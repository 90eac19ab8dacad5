import "server-only";
import type { ObjectId } from "mongodb";
import { formatCountOf } from "@/lib/base/values/amounts";
import { dropDatasets, refreshDataset } from "@/lib/features/results/datasets/service";
import { queueUnlessBusy, type RunQueued, wakeRun } from "@/lib/features/runs/enqueue";
import { executeRun, type HeldRun } from "@/lib/features/runs/execute";
import { tailLog } from "@/lib/features/runs/logs";
import { type RunDoc, toRun } from "@/lib/features/runs/model";
import { type ScheduleDoc, toSchedule } from "@/lib/features/runs/schedules/model";
import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { putSchedule, removeSchedule, schedulesOf } from "@/lib/features/runs/schedules/service";
import { type EntityProgress, NO_COUNTS, type Run } from "@/lib/features/runs/schema";
import { findRun, findUnfinishedRun, listRuns, queueRun, requestCancel } from "@/lib/features/runs/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { log } from "@/lib/platform/log";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { collections } from "./collections";
import { readText } from "./content";
import { prepareFirstPages } from "./data";
import { publishDashboardEvent } from "./events";
import { fillDefaults } from "./filter-variables";
import { DATASETS_MAX, WIDGETS_MAX } from "./limits";
import { type DashboardDoc, viewOwnerOf } from "./model";
import { allPartsOf, OWNER_LEFT, originOf, type Part, READS_AT_ONCE, readerOf, resolvePart, wordsOf } from "./parts";
import { onlyForOwner, RESOURCE_TYPE, runResourceOf } from "./run-status";
import type { DashboardRun } from "./schema";
import { getDashboardDocOrThrow } from "./service";

/** Event that wakes the job runner when a refresh is queued. */
export const REFRESH_QUEUED_EVENT = "dashboard/refresh.queued";
/** Longer than all datasets of a full dashboard take at their limits. */
const TIMEOUT_HOURS = 6;
/** Maximum number of attempts when a refresh starts while the last one ends: each retry finds one of the two. */
const TRIES_MAX = 5;
/** Maximum number of log lines shown for a refresh. The last ones are shown, where a failure gives its reason. */
const LOG_LINES_SHOWN = 1000;
/** Maximum number of sources that a failure names; the log has all. */
const NAMES_SHOWN = 3;

/**
 * Refreshes all data of a dashboard in the background. Concurrent callers all get the same refresh.
 * @throws AppError `not_found`
 */
export async function startRefresh(caller: Caller, dashboardId: ObjectId): Promise<Run> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  for (let tries = 1; ; tries++) {
    try {
      const { run } = await queueRun({
        ...runResourceOf(doc),
        resourceName: doc.title,
        triggerType: caller.via.kind === "key" ? "api" : "manual",
        triggeredBy: caller.user._id,
        ...onlyForOwner(doc),
      });
      await wakeRun(run, REFRESH_QUEUED_EVENT);
      return toRun(run);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "already_running") throw error;
      const underWay = await findUnfinishedRun(runResourceOf(doc));
      if (underWay) return toRun(underWay);
      // It ended between the two look-ups.
      if (tries === TRIES_MAX) throw error;
    }
  }
}

/** Lists the refreshes of a dashboard, newest first. @throws AppError `not_found` */
export async function listRefreshes(caller: Caller, dashboardId: ObjectId, page: PageRequest): Promise<Page<Run>> {
  return listRuns(runResourceOf(await getDashboardDocOrThrow(caller, dashboardId)), page);
}

/** Returns a refresh with its log. @throws AppError `not_found` */
export async function getRefresh(caller: Caller, dashboardId: ObjectId, runId: ObjectId): Promise<DashboardRun> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  const [run, logs] = await Promise.all([
    findRun(runResourceOf(doc), runId),
    tailLog(caller.workspaceId, runId, LOG_LINES_SHOWN),
  ]);
  return { ...toRun(run), logs };
}

/**
 * Cancels a refresh. Data that it has read is kept; the rest keeps its old rows.
 * @throws AppError `not_found`; `conflict` for one that has ended
 */
export async function cancelRefresh(caller: Caller, dashboardId: ObjectId, runId: ObjectId): Promise<Run> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  return toRun(await requestCancel(runResourceOf(doc), runId, caller.user._id));
}

/** Returns the refresh schedule of a dashboard; null without one. @throws AppError `not_found` */
export async function getRefreshSchedule(caller: Caller, dashboardId: ObjectId): Promise<Schedule | null> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  const schedules = await schedulesOf(doc.workspaceId, RESOURCE_TYPE, [dashboardId]);
  const schedule = schedules.get(dashboardId.toHexString());
  return schedule ? toSchedule(schedule) : null;
}

/**
 * Sets the refresh schedule of a dashboard. Its data is read as its owner, regardless of the caller.
 * @throws AppError `not_found`; `invalid_request` for a bad schedule
 */
export async function putRefreshSchedule(caller: Caller, dashboardId: ObjectId, body: ScheduleBody): Promise<Schedule> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  const schedule = await putSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: dashboardId }, body);
  publishDashboardEvent(doc);
  return schedule;
}

/** Removes the schedule, if any. @throws AppError `not_found` for the dashboard */
export async function removeRefreshSchedule(caller: Caller, dashboardId: ObjectId): Promise<void> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  await removeSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: dashboardId });
  publishDashboardEvent(doc);
}

/** Queues a refresh for a tick of a dashboard's schedule (`lib/features/runs/schedules/tick`). */
export async function queueRefreshTick(schedule: ScheduleDoc, tick: Date): Promise<"queued" | "busy" | "gone"> {
  const { workspaceId, resourceId } = schedule;
  const doc = await collections.dashboards().findOne({ _id: resourceId, workspaceId });
  if (!doc) return "gone";
  const start = {
    ...runResourceOf(doc),
    resourceName: doc.title,
    triggerType: "scheduled" as const,
    ...onlyForOwner(doc),
    once: tick.toISOString(),
  };
  return queueUnlessBusy(start, REFRESH_QUEUED_EVENT);
}

/** Resumes an abandoned refresh: data that was read already is kept. */
export async function recoverRefresh(run: RunDoc): Promise<"woken" | "give_up"> {
  await wakeRun(run, REFRESH_QUEUED_EVENT);
  return "woken";
}

/** Runs a queued refresh to its end (`executeRun`). When this server stops, another one continues it. */
export async function executeRefresh(queued: RunQueued): Promise<void> {
  await executeRun(queued, {
    wakeBy: REFRESH_QUEUED_EVENT,
    limit: {
      ms: TIMEOUT_HOURS * 60 * 60_000,
      reason: `The refresh timed out after ${TIMEOUT_HOURS} hours. Datasets already refreshed are kept.`,
    },
    async open(held) {
      const { workspaceId, resourceId } = held.run;
      const doc = await collections.dashboards().findOne({ _id: resourceId, workspaceId });
      const refresh = new Refresh(held, doc ? partsToRefresh(doc) : []);
      return {
        async execute() {
          if (!doc) throw new AppError("not_found", "The dashboard was deleted.");
          await refresh.readAll(doc);
          return refresh.facts();
        },
        facts: () => refresh.facts(),
        summary: () => refresh.summary(),
      };
    },
  });
}

function partsToRefresh({ content }: DashboardDoc): Part[] {
  const file = readText(content);
  return fillDefaults(file.filters, new Date(), allPartsOf(file));
}

/** The parts of a refresh, and its progress. */
class Refresh {
  readonly #held: HeldRun;
  readonly #parts: readonly Part[];
  readonly #entities: EntityProgress[];

  constructor(held: HeldRun, parts: readonly Part[]) {
    this.#held = held;
    this.#parts = parts;
    const known = new Map(held.run.entities.map((entity) => [entity.name, entity]));
    // Keyed by the dashboard's own names: two datasets may have the same title.
    this.#entities = parts.map(
      ({ name }) => known.get(name) ?? { name, status: "waiting", counts: { ...NO_COUNTS }, total: null },
    );
  }

  facts() {
    const rowCount = this.#entities.reduce((sum, { counts }) => sum + counts.read, 0);
    return { entities: this.#entities, rowCount };
  }

  summary(): string {
    const done = this.#entities.filter(({ status }) => status === "done").length;
    return `${done} of ${formatCountOf(this.#entities.length, "dataset")} refreshed`;
  }

  /** @throws AppError that names the sources that failed; the others are still read, and old rows stay */
  async readAll(doc: DashboardDoc): Promise<void> {
    const reader = await readerOf(doc);
    if (!reader) throw new AppError("forbidden", OWNER_LEFT);
    const { signal } = this.#held;
    const reads = new Semaphore(READS_AT_ONCE, DATASETS_MAX + WIDGETS_MAX);
    await Promise.all(
      this.#parts.map(async (part, index) => {
        // It was read before this refresh moved to another server.
        if (this.#entities[index]?.status === "done") return;
        await reads.run(() => this.#read(doc, reader, part, index), signal);
      }),
    );
    signal.throwIfAborted();
    // Rows for other values of filters are read again when someone chooses them.
    await dropDatasets(viewOwnerOf(doc));
    this.#throwFailed();
    // The rows are stored even if this fails: views are also computed on request.
    await prepareFirstPages(doc, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      log.info(
        { err: error, dashboardId: doc._id.toHexString() },
        "failed to prepare the initial views of a dashboard",
      );
    });
  }

  async #read(doc: DashboardDoc, reader: Caller, part: Part, index: number): Promise<void> {
    const { signal } = this.#held;
    await this.#set(index, { status: "running" });
    try {
      const owner = { workspaceId: doc.workspaceId, kind: "dashboard" as const, id: doc._id };
      const source = await resolvePart(reader, part, originOf(doc));
      const { kept } = await refreshDataset(reader, { owner, name: part.name }, source, signal);
      const rows = kept?.rowCount ?? 0;
      await this.#set(index, { status: "done", counts: { ...NO_COUNTS, read: rows, written: rows } });
      const cut = kept?.truncated ? ", truncated" : "";
      await this.#held.log([{ level: "info", text: `${part.title}: ${formatCountOf(rows, "row")}${cut}` }]);
    } catch (error) {
      // A cancellation takes precedence over its consequences.
      signal.throwIfAborted();
      await this.#set(index, { status: "failed" });
      await this.#held.log([{ level: "error", text: `${part.title}: ${wordsOf(error)}` }]);
    }
  }

  async #set(index: number, change: Partial<EntityProgress>): Promise<void> {
    const entity = this.#entities[index];
    if (!entity) throw new Error("Dataset not found.");
    Object.assign(entity, change);
    await this.#held.report(this.facts());
  }

  #throwFailed(): void {
    const failed = this.#parts.filter((_, index) => this.#entities[index]?.status === "failed");
    if (failed.length === 0) return;
    const names = failed.slice(0, NAMES_SHOWN).map(({ title }) => title);
    const more = failed.length > NAMES_SHOWN ? ` and ${failed.length - NAMES_SHOWN} more` : "";
    throw new AppError(
      "query_failed",
      `Couldn't refresh ${names.join(", ")}${more}. Previous rows are kept. See the log.`,
    );
  }
}
