import "server-only";
import { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { afterRequests, isShuttingDown, onShutdown } from "@/lib/platform/process/shutdown";
import { RunGoesOn } from "./goes-on";
import { appendLog, type NewLogLine } from "./logs";
import type { RunDoc } from "./model";
import {
  beginRun,
  finishRun,
  isCancelRequested,
  keepRun,
  markRepeatable,
  type RunEnd,
  type RunHold,
  type RunProgress,
  type RunWord,
  releaseRun,
  reportProgress,
} from "./service";
import { type RunQueued, wakeRun } from "./wake";

/** How often a run says that it goes on, and hears whether it shall: several times within its lease. */
const HEARTBEAT_MS = 5_000;
/** How long a run may go on after somebody has asked it to end: a read, while that it goes on is a write. */
const CANCEL_LOOK_MS = 1_000;
/**
 * Drain time of runs that cannot continue where they were, in ms. Shorter than the 13 s that requests have, so that the
 * run is stopped and its end written before its own request is cut.
 */
export const RUN_DRAIN_MS = 10_000;
const OURS = "The run failed for a reason of ours. It is written down in the server's log.";

/** Another server has the run now, or it has ended. */
class RunLost extends RunGoesOn {}

/** A run that this server carries out. What the store does not take of its words meanwhile ends no run: the lease decides. */
export class HeldRun {
  readonly #hold: RunHold;
  readonly #stop = new AbortController();

  constructor(
    readonly run: RunDoc,
    hold: RunHold,
  ) {
    this.#hold = hold;
  }

  /** Ends with the reason why the run shall stop: cancelled, too long, or it goes on elsewhere. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Says how far the run is. */
  async report(progress: RunProgress): Promise<void> {
    await this.#tell(() => reportProgress(this.#hold, progress), "a run could not say how far it is");
  }

  /** Adds lines to the run's log. */
  async log(lines: NewLogLine[]): Promise<void> {
    try {
      await appendLog(this.run.workspaceId, this.run._id, lines);
    } catch (error) {
      log.warn({ err: error, runId: this.run._id.toHexString() }, "lines of a run's log could not be kept");
    }
  }

  /** Says that the run goes on. */
  async keep(): Promise<void> {
    await this.#tell(() => keepRun(this.#hold), "a run could not say that it goes on");
  }

  /** Records that the run only reads and may start again on another server. */
  async markRepeatable(): Promise<void> {
    await markRepeatable(this.#hold);
  }

  /** Whether somebody has pressed Cancel; what it is to do then, the store says. */
  async lookForCancel(): Promise<void> {
    const isOver = await isCancelRequested(this.run.workspaceId, this.run._id).catch(() => false);
    if (isOver) await this.keep();
  }

  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  async #tell(say: () => Promise<RunWord>, otherwise: string): Promise<void> {
    try {
      const word = await say();
      if (word === "cancel") this.stop(new AppError("cancelled", "The run was cancelled."));
      if (word === "lost") this.stop(new RunLost());
    } catch (error) {
      log.warn({ err: error, runId: this.run._id.toHexString() }, otherwise);
    }
  }
}

type RunFacts = Omit<RunEnd, "status" | "error">;

/** What there is to do for one run. */
export type RunWork = {
  /** @throws AppError whose message is the run's error; whatever is thrown when the signal has ended is not looked at */
  carryOut: () => Promise<RunFacts>;
  /** What has come of it so far, for a run that does not succeed. */
  facts?: () => RunFacts;
  /** The same for its log; without it the log has only what the work says itself. */
  summary?: () => string;
  /** Called before the end is written. */
  beforeEnd?: (end: RunEnd) => Promise<void>;
  /** Returns the error of a run that must not start again after its server stopped; null when it may. Absent: it may. */
  whenInterrupted?: () => AppError | null;
};

export type RunKind = {
  /** Event that starts the run again when this server stops. */
  wakeBy: string;
  /** Time that the run keeps after this server is told to stop, in ms. Default: 0. */
  drainMs?: number;
  /** From its first beginning on, wherever that was. */
  limit?: { ms: number; reason: string };
  /** What it throws is no end of the run: the run is recovered later. */
  open: (held: HeldRun) => Promise<RunWork> | RunWork;
};

/**
 * Carries out a queued run to its end. Safe to call twice and at once: one of them does it. What fails in the work ends
 * the run as a failure; what fails around it is thrown, and the run is recovered later.
 * @returns the run as it was begun; null when there was nothing to do
 */
export async function carryOutRun(queued: RunQueued, kind: RunKind): Promise<RunDoc | null> {
  const { wakeBy, drainMs = 0, limit, open } = kind;
  if (isShuttingDown()) return null;
  const begun = await beginRun(new ObjectId(queued.workspaceId), new ObjectId(queued.runId));
  if (!begun) return null;
  const { run, hold } = begun;
  const held = new HeldRun(run, hold);
  const heart = setInterval(() => void held.keep(), HEARTBEAT_MS);
  const look = setInterval(() => void held.lookForCancel(), CANCEL_LOOK_MS);
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
    // The store stays until the end of the run is written.
    forgetWrite = afterRequests(() => isOver.promise);
  });
  try {
    work = await open(held);
    const outcome = await outcomeOf(held, work);
    if (outcome === "goes_on") {
      // Told at once: a sweeper would find it, too, but some seconds later.
      if (await releaseRun(hold)) await wakeRun(run, wakeBy);
    } else if (outcome !== "lost") {
      await work.beforeEnd?.(outcome);
      await finishRun(hold, outcome);
    }
  } finally {
    clearInterval(heart);
    clearInterval(look);
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
    await say("info", () => (run.starts > 1 ? "The run goes on where it was" : "The run begins"));
    const facts = await work.carryOut();
    await say("info", (summary) => `The run has ended: ${summary}`);
    return { status: "success", ...facts };
  } catch (error) {
    // Whatever a driver says about being stopped, the reason for stopping is the answer.
    const reason = signal.aborted ? signal.reason : error;
    if (reason instanceof RunLost) return "lost";
    if (reason instanceof RunGoesOn) return "goes_on";
    if (reason instanceof AppError && reason.kind === "cancelled") {
      await say("warn", (summary) => `The run was cancelled: ${summary}`);
      return { status: "cancelled", ...work.facts?.() };
    }
    if (reason instanceof AppError) return failed(reason.message);
    log.error(
      { err: reason, runId: run._id.toHexString(), resourceType: run.resourceType },
      "a run has failed for a reason of ours",
    );
    return failed(OURS);
  }
}

function msLeft({ startedAt }: RunDoc, ms: number): number {
  return Math.max(0, (startedAt?.getTime() ?? Date.now()) + ms - Date.now());
}
