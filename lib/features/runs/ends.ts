import "server-only";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { collections } from "./collections";
import type { RunDoc } from "./model";

/** Event that is emitted when a run has ended (docs/develop/notifications.md). */
export const RUN_ENDED_EVENT = "flow.run.terminal";
/** Time after which an end that was not announced is assumed to belong to a writer that has crashed, in ms. */
const REPORT_PATIENCE_MS = 10_000;
const PENDING_PER_ROUND = 500;

/** Data of the event. A cancelled run has no trigger. */
export type RunEnded = {
  workspaceId: string;
  resourceType: RunDoc["resourceType"];
  resourceId: string;
  runId: string;
  status: RunDoc["status"];
  trigger?: "success" | "failure";
};

/** Announces the end of a run. Never throws: if it fails, the end stays pending. */
export async function reportEnd(run: RunDoc): Promise<void> {
  try {
    await reportEnds([run]);
  } catch (error) {
    log.warn({ err: error, runId: run._id.toHexString() }, "failed to send the end of a run; it will be retried");
  }
}

/**
 * Announces ends that have been pending too long: their process crashed, or the job runner was unavailable.
 * @returns their number
 */
export async function reportPendingEnds(patienceMs = REPORT_PATIENCE_MS): Promise<number> {
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
    await reportEnds(pending);
    told += pending.length;
  }
}

/** Announces the ends before marking them: a crash in between announces them twice, which adds no delivery. */
async function reportEnds(runs: RunDoc[]): Promise<void> {
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
