import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import type { RunDoc } from "./model";
import { queueRun, type RunStart } from "./service";

/** What the job runner hears of a run that is to be carried out. */
export type RunQueued = { workspaceId: string; runId: string };

/**
 * Wakes whoever carries the run out. When that fails the run stays queued, and the sweeper finds it.
 * @param event what the function of its owner is started by
 */
export async function wakeRun(run: RunDoc, event: string): Promise<void> {
  const data: RunQueued = { workspaceId: run.workspaceId.toHexString(), runId: run._id.toHexString() };
  // The same for two who wake it at once, another one when it has to be woken again.
  const id = `${event}:${data.runId}:${run.starts}:${run.nextLookAt?.getTime() ?? 0}`;
  try {
    await sendJobEvents([{ name: event, id, data }]);
  } catch (error) {
    log.warn({ err: error, runId: data.runId }, "a run waits: the job runner takes no events");
  }
}

/**
 * Queues a run that nobody has asked for in person, and wakes whoever carries it out.
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
