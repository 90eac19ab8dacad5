import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import type { RunDoc } from "./model";
import { queueRun, type RunStart } from "./service";

/** Event data for the job runner: a run to execute. */
export type RunQueued = { workspaceId: string; runId: string };

/**
 * Wakes an executor for the run. If that fails the run stays queued, and the sweeper finds it.
 * @param event name of the event that starts the owner's function
 */
export async function wakeRun(run: RunDoc, event: string): Promise<void> {
  const data: RunQueued = { workspaceId: run.workspaceId.toHexString(), runId: run._id.toHexString() };
  // The same id for concurrent wake-ups, another one when the run has to be woken again.
  const id = `${event}:${data.runId}:${run.work.starts}:${run.work.wakes}`;
  try {
    await sendJobEvents([{ name: event, id, data }]);
  } catch (error) {
    log.warn({ err: error, runId: data.runId }, "a run is delayed: the job runner is not accepting events");
  }
}

/**
 * Queues a run that no user asked for, and wakes an executor.
 * @returns `busy` when the resource's last run has not ended
 */
export async function queueUnlessBusy(start: Omit<RunStart, "triggeredBy">, event: string): Promise<"queued" | "busy"> {
  try {
    const { run, isNew } = await queueRun({ ...start, triggeredBy: null });
    if (isNew) await wakeRun(run, event);
    return "queued";
  } catch (error) {
    if (error instanceof AppError && error.kind === "already_running") return "busy";
    throw error;
  }
}
