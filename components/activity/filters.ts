import type { ActivityFilter, ActivityKind, ActivityPeriod, ActivityState } from "@/lib/features/runs/browser/activity";

export const KINDS: { value: ActivityKind; name: string }[] = [
  { value: "console", name: "Console runs" },
  { value: "flow", name: "Flow runs" },
  { value: "dashboard", name: "Dashboard refreshes" },
  { value: "query", name: "Queries" },
  { value: "delivery", name: "Deliveries" },
];
export const STATES: { value: ActivityState; name: string }[] = [
  { value: "motion", name: "Running" },
  { value: "good", name: "Succeeded" },
  { value: "bad", name: "Failed" },
];

export const PERIODS: { value: ActivityPeriod; name: string }[] = [
  { value: "hour", name: "Last hour" },
  { value: "day", name: "Last 24 hours" },
  { value: "week", name: "Last 7 days" },
  { value: "month", name: "Last 30 days" },
];

const ME = "me";

/**
 * Describes a filter in words: "Flow runs, failed, last 24 h, warehouse, by Wanda, refund".
 * @param connectionName returns a connection's name, also for a deleted one
 * @param personWords returns a person's name for the reader, also for one who left
 */
export function toFilterWords(
  { kind, state, userId, connectionId, period, text }: ActivityFilter,
  connectionName: (id: string) => string,
  personWords: (userId: string) => string,
): string {
  const what = KINDS.find(({ value }) => value === kind)?.name ?? "All activity";
  const how = STATES.find(({ value }) => value === state)?.name;
  const when = PERIODS.find(({ value }) => value === period)?.name;
  const where = connectionId === null ? "" : connectionName(connectionId);
  const by = userId === null ? "" : `by ${personWords(userId)}`;
  return [what, how?.toLowerCase(), when?.toLowerCase(), where, by, text].filter(Boolean).join(", ");
}

/** Returns the filter in the address; unknown values are ignored. @param ownId the id that "me" refers to */
export function readFilter(query: URLSearchParams, ownId: string): ActivityFilter {
  return {
    kind: KINDS.find(({ value }) => value === query.get("kind"))?.value ?? null,
    state: STATES.find(({ value }) => value === query.get("state"))?.value ?? null,
    userId: query.get("by") === ME ? ownId : query.get("by"),
    connectionId: query.get("connection"),
    period: PERIODS.find(({ value }) => value === query.get("since"))?.value ?? null,
    text: query.get("q") ?? "",
  };
}
