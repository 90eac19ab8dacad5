import "server-only";
import { log } from "@/lib/platform/log";
import { DurableWork, isHopeless } from "@/lib/platform/work/durable-work";
import { collections } from "./collections";
import { reportPendingEnds } from "./ends";
import type { RunDoc } from "./model";
import type { ResourceType } from "./schema";
import { endUnheldRun } from "./service";

const INTERRUPTED = "The server stopped during the run.";
const NEVER_BEGUN = "The run was never started: no worker handles this type.";

/**
 * Wakes an executor for a run without a holder; `beginRun` decides who gets it. `give_up` ends the run as a failure.
 * Provided by the owner of the kind of run.
 */
export type RecoverRun = (run: RunDoc) => Promise<"woken" | "give_up">;
export type RunOwners = Partial<Record<ResourceType, RecoverRun>>;

/**
 * Cleans up after crashed servers: announces the pending ends, and hands each silent or unstarted run to its owner. Any
 * number of servers may do so concurrently.
 */
export async function sweepRuns(owners: RunOwners): Promise<void> {
  // A failure of one task must not stop the other.
  const outcomes = await Promise.allSettled([reportPendingEnds(), recoverOverdue(owners)]);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

const work = new DurableWork(collections.runs);

async function recoverOverdue(owners: RunOwners): Promise<void> {
  await work.sweep(async (runs) => {
    // A run that fails does not hold up the others.
    for (const run of runs) {
      await recover(run, owners).catch((error: unknown) =>
        log.error({ err: error, runId: run._id.toHexString() }, "failed to recover an overdue run; it will be retried"),
      );
    }
  });
}

async function recover(run: RunDoc, owners: RunOwners): Promise<void> {
  if (run.cancelRequestedAt !== null) return void (await endUnheldRun(run, { status: "cancelled" }));
  const verdict = isHopeless(run) ? "give_up" : await owners[run.resourceType]?.(run);
  if (verdict === "woken") return;
  await endUnheldRun(run, { status: "failure", error: run.startedAt ? INTERRUPTED : NEVER_BEGUN });
}
