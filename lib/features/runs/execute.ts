import "server-only";
import { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { afterRequests, isShuttingDown, onShutdown } from "@/lib/platform/process/shutdown";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { type RunQueued, wakeRun } from "./enqueue";
import { RunGoesOn } from "./goes-on";
import { appendLog, type NewLogLine } from "./logs";
import type { RunDoc } from "./model";
import {
  beginRun,
  finishRun,
  markRepeatable,
  type RunEnd,
  type RunProgress,
  releaseRun,
  reportProgress,
} from "./service";

/**
 * Drain time of runs that cannot resume, in ms. Shorter than the 13 s of requests, so that the run is stopped and its
 * end written before its request is cut.
 */
export const RUN_DRAIN_MS = 10_000;
const OURS = "The run failed with an internal error. See the server log.";

/** Another server has taken the run, or it has ended. */
class RunLost extends RunGoesOn {}

/** A run that this server executes. A failure of the store does not end the run: its lease decides. */
export class HeldRun {
  readonly #hold: Claim;
  readonly #stop = new AbortController();

  constructor(
    readonly run: RunDoc,
    hold: Claim,
  ) {
    this.#hold = hold;
    hold.signal.addEventListener("abort", () => {
      this.stop(hold.stopped === "cancelled" ? new AppError("cancelled", "The run was cancelled.") : new RunLost());
    });
  }

  /** Aborts with the reason to stop: cancelled, timed out, or handed to another server. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Reports the progress of the run. */
  async report(progress: RunProgress): Promise<void> {
    try {
      await reportProgress(this.#hold, progress);
    } catch (error) {
      log.warn({ err: error, runId: this.run._id.toHexString() }, "the progress of a run could not be stored");
    }
  }

  /** Adds lines to the run's log. */
  async log(lines: NewLogLine[]): Promise<void> {
    try {
      await appendLog(this.run.workspaceId, this.run._id, lines);
    } catch (error) {
      log.warn({ err: error, runId: this.run._id.toHexString() }, "failed to store log lines of a run");
    }
  }

  /** Records that the run only reads and may start again on another server. */
  async markRepeatable(): Promise<void> {
    await markRepeatable(this.#hold);
  }

  stop(reason: Error): void {
    this.#stop.abort(reason);
  }
}

type RunFacts = Omit<RunEnd, "status" | "error">;

/** The work of one run. */
export type RunWork = {
  /** @throws AppError whose message is the run's error. Errors thrown after the signal has aborted are ignored. */
  execute: () => Promise<RunFacts>;
  /** Returns the results so far, for a run that does not succeed. */
  facts?: () => RunFacts;
  /** Returns the summary for its log. Without it the log has only the lines of the work. */
  summary?: () => string;
  /** Called before the end is written. */
  beforeEnd?: (end: RunEnd) => Promise<void>;
  /** Returns the error of a run that must not start again after its server stopped; null or absent if it may. */
  whenInterrupted?: () => AppError | null;
};

export type RunKind = {
  /** Event that starts the run again when this server stops. */
  wakeBy: string;
  /** Time that the run keeps after this server is told to stop, in ms. Default: 0. */
  drainMs?: number;
  /** Time limit, counted from the first start on any server. */
  limit?: { ms: number; reason: string };
  /** An error thrown here does not end the run: it is recovered later. */
  open: (held: HeldRun) => Promise<RunWork> | RunWork;
};

/**
 * Executes a queued run to its end. Safe to call several times and concurrently: only one call executes it. An error in
 * the work ends the run as a failure. Any other error is thrown, and the run is recovered later.
 * @returns the run as it was when it started; null if there was nothing to do
 */
export async function executeRun(queued: RunQueued, kind: RunKind): Promise<RunDoc | null> {
  const { wakeBy, drainMs = 0, limit, open } = kind;
  if (isShuttingDown()) return null;
  const begun = await beginRun(new ObjectId(queued.workspaceId), new ObjectId(queued.runId));
  if (!begun) return null;
  const { run, hold } = begun;
  const held = new HeldRun(run, hold);
  const end = limit && setTimeout(() => held.stop(new AppError("timeout", limit.reason)), msLeft(run, limit.ms));
  const isOver = Promise.withResolvers<void>();
  let work: RunWork | null = null;
  let draining: NodeJS.Timeout | undefined;
  let forgetWrite = () => {};
  const interrupt = () => held.stop(work?.whenInterrupted?.() ?? new RunGoesOn());
  const forget = onShutdown(() => {
    if (drainMs === 0) {
      interrupt();
      return isOver.promise;
    }
    draining = setTimeout(interrupt, drainMs);
    // Keep the store open until the end of the run is written.
    forgetWrite = afterRequests(() => isOver.promise);
  });
  try {
    work = await open(held);
    const outcome = await outcomeOf(held, work);
    if (outcome === "goes_on") {
      // Wake another server now: the sweeper would find the run, but some seconds later.
      if (await releaseRun(hold)) await wakeRun(run, wakeBy);
    } else if (outcome !== "lost") {
      await work.beforeEnd?.(outcome);
      await finishRun(hold, outcome);
    }
  } finally {
    // A run that was not ended lapses, and is recovered.
    hold.drop();
    clearTimeout(end);
    clearTimeout(draining);
    forget();
    forgetWrite();
    isOver.resolve();
  }
  return run;
}

async function outcomeOf(held: HeldRun, work: RunWork): Promise<RunEnd | "goes_on" | "lost"> {
  const { run, signal } = held;
  const say = async (level: NewLogLine["level"], text: (summary: string) => string) => {
    if (work.summary) await held.log([{ level, text: text(work.summary()) }]);
  };
  const failed = async (message: string): Promise<RunEnd> => {
    await say("error", () => message);
    return { status: "failure", error: message, ...work.facts?.() };
  };
  try {
    await say("info", () => (run.work.starts > 1 ? "Run resumed" : "Run started"));
    const facts = await work.execute();
    await say("info", (summary) => `Run finished: ${summary}`);
    return { status: "success", ...facts };
  } catch (error) {
    // Drivers report an abort in different ways; the reason for stopping is the result.
    const reason = signal.aborted ? signal.reason : error;
    if (reason instanceof RunLost) return "lost";
    if (reason instanceof RunGoesOn) return "goes_on";
    if (reason instanceof AppError && reason.kind === "cancelled") {
      await say("warn", (summary) => `Run cancelled: ${summary}`);
      return { status: "cancelled", ...work.facts?.() };
    }
    const { kind, message } = toAppError(reason);
    if (kind !== "internal" || reason instanceof AppError) return failed(message);
    log.error(
      { err: reason, runId: run._id.toHexString(), resourceType: run.resourceType },
      "a run failed because of an internal error",
    );
    return failed(OURS);
  }
}

function msLeft({ startedAt }: RunDoc, ms: number): number {
  return Math.max(0, (startedAt?.getTime() ?? Date.now()) + ms - Date.now());
}
