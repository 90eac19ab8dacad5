import type { ActivityFilter, ActivityKind, ActivityState } from "@/lib/ui/activity";

export const KINDS: { value: ActivityKind; name: string }[] = [
  { value: "console", name: "Console runs" },
  { value: "flow", name: "Flow runs" },
  { value: "query", name: "Queries" },
  { value: "delivery", name: "Deliveries" },
];
export const STATES: { value: ActivityState; name: string }[] = [
  { value: "motion", name: "In motion" },
  { value: "good", name: "Succeeded" },
  { value: "bad", name: "Failed" },
];

/** What a filter shows, in words: "Flow runs, failed, by me, refund". */
export function toFilterWords({ kind, state, userId, text }: ActivityFilter): string {
  const what = KINDS.find(({ value }) => value === kind)?.name ?? "Everything";
  const how = STATES.find(({ value }) => value === state)?.name;
  return [what, how?.toLowerCase(), userId === null ? "" : "by me", text].filter(Boolean).join(", ");
}

/** The filter that the address names; what it does not know is no filter. @param ownId what "me" stands for */
export function readFilter(query: URLSearchParams, ownId: string): ActivityFilter {
  return {
    kind: KINDS.find(({ value }) => value === query.get("kind"))?.value ?? null,
    state: STATES.find(({ value }) => value === query.get("state"))?.value ?? null,
    userId: query.get("by") === "me" ? ownId : null,
    text: query.get("q") ?? "",
  };
}
