import "server-only";
import { log } from "@/lib/platform/log";
import { collections } from "./collections";
import { tellPendingEnds } from "./ends";
import type { RunDoc } from "./model";
import type { ResourceType } from "./schema";
import { endUnheldRun } from "./service";

/** A run whose server dies so often in a row without progress is what ends the server. It is not begun again (F16). */
const FRUITLESS_LAPSES_MAX = 2;
/** Until an overdue run is looked after again, if its owner could not wake it. */
const NEXT_LOOK_MS = 30_000;
const INTERRUPTED = "The run was interrupted: its server stopped before it ended.";
const NEVER_BEGUN = "The run was never begun: nothing here carries out runs of this kind.";

/**
 * What the owner of a kind of run does with one that nobody carries out: it wakes whoever can, again, and `beginRun`
 * decides who does. `give_up` ends it as a failure.
 */
export type RecoverRun = (run: RunDoc) => Promise<"woken" | "give_up">;
export type RunOwners = Partial<Record<ResourceType, RecoverRun>>;

/**
 * Looks after what others have left behind: tells the ends that are pending, and hands each run whose process is silent,
 * or that nobody has begun, to its owner. Any number of servers may do so at once.
 */
export async function sweepRuns(owners: RunOwners): Promise<void> {
  // What concerns one must not keep the other from being done.
  const outcomes = await Promise.allSettled([tellPendingEnds(), recoverOverdue(owners)]);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function recoverOverdue(owners: RunOwners): Promise<void> {
  for (;;) {
    // Of several servers one looks, and one run that fails does not keep the others waiting.
    const run = await collections.runs().findOneAndUpdate(
      {
        dueAt: { $exists: true },
        $expr: { $and: [{ $lt: ["$dueAt", "$$NOW"] }, { $lt: ["$nextLookAt", "$$NOW"] }] },
      },
      [{ $set: { nextLookAt: { $add: ["$$NOW", NEXT_LOOK_MS] } } }],
      { sort: { dueAt: 1 }, returnDocument: "after" },
    );
    if (!run) return;
    await recover(run, owners).catch((error: unknown) =>
      log.error({ err: error, runId: run._id.toHexString() }, "an overdue run could not be looked after, and will be"),
    );
  }
}

async function recover(run: RunDoc, owners: RunOwners): Promise<void> {
  if (run.cancelRequestedAt !== null) return void (await endUnheldRun(run, { status: "cancelled" }));
  const isHopeless = (run.fruitlessLapses ?? 0) >= FRUITLESS_LAPSES_MAX;
  const verdict = isHopeless ? "give_up" : await owners[run.resourceType]?.(run);
  if (verdict === "woken") return;
  await endUnheldRun(run, { status: "failure", error: run.startedAt ? INTERRUPTED : NEVER_BEGUN });
}
