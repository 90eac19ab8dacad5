import "server-only";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { collections } from "./collections";
import type { RunDoc } from "./model";

/** Emitted when a run has ended (docs/develop/notifications.md). */
export const RUN_ENDED_EVENT = "flow.run.terminal";
/** What was just written is told by who wrote it; older than this, somebody has died in between. */
const TELL_PATIENCE_MS = 10_000;
const PENDING_PER_ROUND = 500;

/** The data of the event. A cancelled run has no trigger. */
export type RunEnded = {
  workspaceId: string;
  resourceType: RunDoc["resourceType"];
  resourceId: string;
  runId: string;
  status: RunDoc["status"];
  trigger?: "success" | "failure";
};

/** Tells the end of a run that has just ended. Never throws: what could not be told stays pending. */
export async function tellEnd(run: RunDoc): Promise<void> {
  try {
    await tellEnds([run]);
  } catch (error) {
    log.warn({ err: error, runId: run._id.toHexString() }, "the end of a run could not be told, and will be");
  }
}

/**
 * Tells the ends that are pending for longer than it takes: their process died, or the job runner was away.
 * @returns how many
 */
export async function tellPendingEnds(patienceMs = TELL_PATIENCE_MS): Promise<number> {
  let told = 0;
  for (;;) {
    const pending = await collections
      .runs()
      .find({
        endPendingSince: { $exists: true },
        $expr: { $lt: ["$endPendingSince", { $subtract: ["$$NOW", patienceMs] }] },
      })
      .sort({ endPendingSince: 1 })
      .limit(PENDING_PER_ROUND)
      .toArray();
    if (pending.length === 0) return told;
    await tellEnds(pending);
    told += pending.length;
  }
}

/** Told first and marked then: a crash in between tells it twice, which adds no delivery. */
async function tellEnds(runs: RunDoc[]): Promise<void> {
  await sendJobEvents(
    runs.map((run) => ({
      name: RUN_ENDED_EVENT,
      id: `${RUN_ENDED_EVENT}:${run._id.toHexString()}`,
      data: toEnded(run),
    })),
  );
  await collections
    .runs()
    .updateMany({ _id: { $in: runs.map(({ _id }) => _id) } }, { $unset: { endPendingSince: true } });
}

function toEnded(run: RunDoc): RunEnded {
  return {
    workspaceId: run.workspaceId.toHexString(),
    resourceType: run.resourceType,
    resourceId: run.resourceId.toHexString(),
    runId: run._id.toHexString(),
    status: run.status,
    ...((run.status === "success" || run.status === "failure") && { trigger: run.status }),
  };
}
