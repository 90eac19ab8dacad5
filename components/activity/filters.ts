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

/** The filter that the address names; what it does not know is no filter. @param ownId what "me" stands for */
export function readFilter(query: URLSearchParams, ownId: string): ActivityFilter {
  return {
    kind: KINDS.find(({ value }) => value === query.get("kind"))?.value ?? null,
    state: STATES.find(({ value }) => value === query.get("state"))?.value ?? null,
    userId: query.get("by") === "me" ? ownId : null,
    text: query.get("q") ?? "",
  };
}
