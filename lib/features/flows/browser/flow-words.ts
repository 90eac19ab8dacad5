import type { Flow, Run } from "@/lib/features/flows/browser/client";

/** The words for flows and their runs that lists, pages and the palette share. */
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

/** How a flow reads and writes: "Incremental, upsert". */
export function toFlowMode({ type, mode, destination }: Pick<Flow, "type" | "mode" | "destination">): string {
  const reads = type === "sync" ? (mode === "incremental" ? "Incremental" : "Full") : FLOW_TYPE_WORDS[type];
  return `${reads}, ${WRITE_WORDS[destination.write]}`;
}

/** How a run was started, as a sentence goes on with it. */
export const TRIGGER_PHRASES: Record<Run["triggerType"], string> = {
  scheduled: "by schedule",
  manual: "by hand",
  api: "by the API",
  backfill: "backfill",
  webhook: "by events",
};

export type RunState = "queued" | "running" | "cancelling" | "success" | "failure" | "cancelled";

/** How a run stands for whoever looks: one that was asked to end, and has not yet, is on its way there. */
export function toRunState({ status, cancelRequestedAt }: Pick<Run, "status" | "cancelRequestedAt">): RunState {
  const isGoing = status === "queued" || status === "running";
  return isGoing && cancelRequestedAt !== null ? "cancelling" : status;
}

export function isGoing({ status }: Pick<Run, "status">): boolean {
  return status === "queued" || status === "running";
}

/** The same of one entity that is being read. */
export function toShareOf({ counts, total }: Pick<Run["entities"][number], "counts" | "total">): number | null {
  return total !== null && total > 0 ? Math.min(0.99, counts.read / total) : null;
}

/**
 * How much of a run is done, from 0 to 1, as far as its source has said how many rows there are; null where nobody
 * knows. An estimate may be too low: what still goes on is never whole.
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
