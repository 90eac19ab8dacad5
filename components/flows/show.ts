import { isGoing } from "@/lib/features/flows/browser/flow-words";
import type { Flow } from "@/lib/features/flows/schema";
import type { Run } from "@/lib/features/runs/schema";

/** Filters of the list, as in `?show=`. */
export const SHOWS = ["all", "moving", "problems", "paused"] as const;
export type Show = (typeof SHOWS)[number];

export function toShow(text: string | null): Show {
  return SHOWS.find((show) => show === text) ?? "all";
}

/** Returns whether the flow matches the filter and the search. */
export function isShown(flow: Flow, show: Show, search: string): boolean {
  const isInPart =
    show === "all" ||
    (show === "moving" && isMoving(flow.lastRun)) ||
    (show === "problems" && flow.status === "failure") ||
    (show === "paused" && !flow.enabled);
  return isInPart && flow.name.toLowerCase().includes(search.trim().toLowerCase());
}

function isMoving(run: Run | null): boolean {
  return run !== null && isGoing(run);
}
