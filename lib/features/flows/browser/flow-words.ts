import type { Flow } from "@/lib/features/flows/schema";
import type { Run } from "@/lib/features/runs/schema";

/** Labels for flows and their runs, shared by lists, pages and the palette. */
export const FLOW_TYPE_WORDS: Record<Flow["type"], string> = {
  sync: "Sync",
  query: "Query",
  webhook: "Webhook",
};

const WRITE_WORDS: Record<Flow["destination"]["write"], string> = {
  append: "append",
  replace: "replace",
  upsert: "upsert",
};

/** Describes the mode in which a flow reads and writes: "Incremental, upsert". */
export function toFlowMode({ type, mode, destination }: Pick<Flow, "type" | "mode" | "destination">): string {
  const reads = type === "sync" ? (mode === "incremental" ? "Incremental" : "Full refresh") : FLOW_TYPE_WORDS[type];
  return `${reads}, ${WRITE_WORDS[destination.write]}`;
}

/** Trigger of a run as the end of a sentence. */
export const TRIGGER_PHRASES: Record<Run["triggerType"], string> = {
  scheduled: "on schedule",
  manual: "manually",
  api: "through the API",
  backfill: "backfill",
  webhook: "by webhook",
};

export type RunState = "queued" | "running" | "cancelling" | "success" | "failure" | "cancelled";

/** Returns the state of a run to display: "cancelling" between a cancel request and the end of the run. */
export function toRunState({ status, cancelRequestedAt }: Pick<Run, "status" | "cancelRequestedAt">): RunState {
  const isGoing = status === "queued" || status === "running";
  return isGoing && cancelRequestedAt !== null ? "cancelling" : status;
}

export function isGoing({ status }: Pick<Run, "status">): boolean {
  return status === "queued" || status === "running";
}

/** Returns the same for one entity that is being read. */
export function toShareOf({ counts, total }: Pick<Run["entities"][number], "counts" | "total">): number | null {
  return total !== null && total > 0 ? Math.min(0.99, counts.read / total) : null;
}

/**
 * Returns the completed share of a run, from 0 to 1, by its source's estimate of the number of rows; null if there is
 * no estimate. An estimate may be too low, so an unfinished run never reaches 1.
 */
export function toShareDone(entities: Pick<Run["entities"][number], "status" | "counts" | "total">[]): number | null {
  if (entities.length === 0) return null;
  let sum = 0;
  for (const { status, counts, total } of entities) {
    if (status === "done") sum += 1;
    else if (total !== null && total > 0) sum += toShareOf({ counts, total }) ?? 0;
    else if (status === "running" || status === "failed") return null;
  }
  return sum / entities.length;
}
