import type { Delivery } from "@/lib/features/notifications/schema";
import type { Execution } from "@/lib/features/query/schema";
import type { ResourceType, Run } from "@/lib/features/runs/schema";

/** An item in the list of activity. */
export type Activity =
  | { kind: "console" | "flow" | "dashboard"; id: string; at: string; run: Run }
  | { kind: "query"; id: string; at: string; execution: Execution }
  | { kind: "delivery"; id: string; at: string; delivery: Delivery };
export type ActivityKind = Activity["kind"];
export type ActivityState = "motion" | "good" | "bad" | "other";
/** Length of each period, in hours. */
export const PERIOD_HOURS = { hour: 1, day: 24, week: 168, month: 720 } as const;
export type ActivityPeriod = keyof typeof PERIOD_HOURS;
export type ActivityFilter = {
  kind: ActivityKind | null;
  state: ActivityState | null;
  userId: string | null;
  connectionId: string | null;
  period: ActivityPeriod | null;
  text: string;
};
/** Facts besides the activity itself that filters need. */
export type ActivityFacts = {
  now: Date;
  /** Connections that consoles and flows currently read and write, by the id of the console or flow. */
  connectionsOf: ReadonlyMap<string, readonly (string | null)[]>;
};

const HOUR_MS = 3_600_000;

/**
 * The part of a list that has been loaded, newest first. `hasMore` is true if the list has further items after the
 * last.
 */
export type Source = { items: Activity[]; hasMore: boolean };

/**
 * Merges several lists into one, newest first. If a list has more items, nothing older than its last loaded item is
 * returned: the items not yet loaded belong in between.
 */
export function mergeActivity(sources: readonly Source[]): Activity[] {
  const horizon = horizonOf(sources);
  return sources
    .flatMap(({ items }) => items)
    .filter(({ at }) => horizon === null || at >= horizon)
    .sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1));
}

/** Returns the lists that must load their next page before more can be shown: those that end at the horizon. */
export function sourcesToRead(sources: readonly Source[]): number[] {
  const horizon = horizonOf(sources);
  return sources.flatMap((source, index) => (source.hasMore && endOf(source) >= (horizon ?? "") ? [index] : []));
}

function horizonOf(sources: readonly Source[]): string | null {
  const ends = sources.filter(({ hasMore }) => hasMore).map(endOf);
  return ends.sort().at(-1) ?? null;
}

/**
 * Returns the time of the oldest loaded item. An empty list that has more sorts as the newest: its next item may be.
 */
function endOf({ items }: Source): string {
  return items.at(-1)?.at ?? "\uffff";
}

const KIND_OF = { scheduled_query: "console", flow: "flow", dashboard: "dashboard" } as const satisfies Record<
  ResourceType,
  ActivityKind
>;

/** Returns the type of resource whose runs make up a kind. Undefined for kinds that are not runs, and for all kinds. */
export function resourceTypeOf(kind: ActivityKind | null): ResourceType | undefined {
  return (Object.keys(KIND_OF) as ResourceType[]).find((type) => KIND_OF[type] === kind);
}

export function toRunActivity(run: Run): Activity {
  return { kind: KIND_OF[run.resourceType], id: run.id, at: run.createdAt, run };
}

/** Returns null for a query that was part of a run: the run has a separate entry. */
export function toQueryActivity(execution: Execution): Activity | null {
  if (execution.runId !== null) return null;
  return { kind: "query", id: execution.executionId, at: execution.startedAt, execution };
}

export function toDeliveryActivity(delivery: Delivery): Activity {
  return { kind: "delivery", id: delivery.id, at: delivery.createdAt, delivery };
}

export function statusOf(activity: Activity) {
  if (activity.kind === "query") return activity.execution.status;
  if (activity.kind === "delivery") return activity.delivery.status;
  return activity.run.status;
}

export function stateOf(activity: Activity): ActivityState {
  const status = statusOf(activity);
  if (status === "queued" || status === "running" || status === "retrying") return "motion";
  if (status === "failure" || status === "failed" || status === "timeout") return "bad";
  return status === "success" || status === "sent" ? "good" : "other";
}

/** Returns the error of an activity; null if it has none or the error is not known. */
export function errorOf(activity: Activity): string | null {
  if (activity.kind === "query") return activity.execution.error;
  if (activity.kind === "delivery") return activity.delivery.lastError;
  return activity.run.error;
}

/** Returns the name of the console or flow, or the beginning of the query; null if the query text is withheld. */
export function nameOf(activity: Activity): string | null {
  if (activity.kind === "query") return activity.execution.query?.replace(/\s+/g, " ").trim() ?? null;
  return activity.kind === "delivery" ? activity.delivery.resourceName : activity.run.resourceName;
}

/**
 * Returns the connection of a query, or the connections that the console or flow of a run or delivery reads and writes.
 */
function connectionsOf(activity: Activity, facts: ActivityFacts): readonly (string | null)[] {
  if (activity.kind === "query") return [activity.execution.connectionId];
  const { resourceId } = activity.kind === "delivery" ? activity.delivery : activity.run;
  return facts.connectionsOf.get(resourceId) ?? [];
}

/** Returns the id of the user who started it; null for a schedule, a webhook or a rule. */
export function starterOf(activity: Activity): string | null {
  if (activity.kind === "query") return activity.execution.userId;
  return activity.kind === "delivery" ? null : activity.run.triggeredBy;
}

/** Returns the earliest time that a filter includes; null for no limit. */
export function beginOf({ period }: Pick<ActivityFilter, "period">, now: Date): string | null {
  return period === null ? null : new Date(now.getTime() - PERIOD_HOURS[period] * HOUR_MS).toISOString();
}

export function isLike(activity: Activity, filter: ActivityFilter, facts: ActivityFacts): boolean {
  const { kind, state, userId, connectionId, text } = filter;
  if (kind !== null && activity.kind !== kind) return false;
  if (state !== null && stateOf(activity) !== state) return false;
  if (userId !== null && starterOf(activity) !== userId) return false;
  if (connectionId !== null && !connectionsOf(activity, facts).includes(connectionId)) return false;
  if (activity.at < (beginOf(filter, facts.now) ?? "")) return false;
  if (text === "") return true;
  const words = [nameOf(activity), errorOf(activity), activity.id].filter((each) => each !== null);
  return words.some((each) => each.toLowerCase().includes(text.toLowerCase()));
}
