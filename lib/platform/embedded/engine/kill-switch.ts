import { rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { StatementFailure } from "./failures.ts";
import { LAST_WORDS_MS, STALL_MS, STOP_GRACE_MS } from "./limits.ts";
import { RESTARTING } from "./wire.ts";

const BEAT_MS = 1000;

/** Kills the process when the main thread has not incremented the counter for too long. */
const STALL_WATCH = `
  const { workerData } = require("node:worker_threads");
  const beats = new Int32Array(workerData.beats);
  let last = -1;
  let stuckMs = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    stuckMs = now === last ? stuckMs + ${BEAT_MS} : 0;
    last = now;
    if (stuckMs >= workerData.stallMs) process.kill(process.pid, "SIGKILL");
  }, ${BEAT_MS});
`;

/**
 * Kills an engine whose statement keeps running after its interrupt. DuckDB checks for interrupts while it executes a
 * plan, but not while it plans. The process that started the engine restarts it for the next request.
 */
export class KillSwitch {
  readonly #running = new Set<AbortController>();
  readonly #tempFolder: string | null;
  #isDying = false;

  /** @param tempFolder folder to remove with the process; null when it has none */
  constructor(tempFolder: string | null) {
    this.#tempFolder = tempFolder;
  }

  /**
   * Runs work that stops when the controller aborts, and kills the process if it has not stopped within STOP_GRACE_MS.
   * The work of others is aborted with a failure that tells their clients to retry.
   */
  async guard<T>(controller: AbortController, work: () => Promise<T>): Promise<T> {
    if (this.#isDying) throw restarting();
    let timer: NodeJS.Timeout | undefined;
    const { signal } = controller;
    const onAbort = () => {
      timer = setTimeout(() => this.#kill(), STOP_GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    this.#running.add(controller);
    const dying = Promise.withResolvers<never>();
    const onDying = () => {
      if (this.#isDying) dying.reject(restarting());
    };
    signal.addEventListener("abort", onDying, { once: true });
    try {
      return await Promise.race([work(), dying.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      signal.removeEventListener("abort", onDying);
      this.#running.delete(controller);
    }
  }

  #kill(): void {
    if (this.#isDying) return;
    this.#isDying = true;
    // Statements that are already aborted keep their own reason. The others get this failure as their last frame.
    for (const controller of this.#running) if (!controller.signal.aborted) controller.abort(restarting());
    setTimeout(() => {
      if (this.#tempFolder !== null) rmSync(this.#tempFolder, { recursive: true, force: true });
      process.kill(process.pid, "SIGKILL");
    }, LAST_WORDS_MS);
  }
}

/** Kills the process when its main thread is blocked for STALL_MS. A timer on that thread could not fire. */
export function watchStalls(stallMs = STALL_MS): void {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  new Worker(STALL_WATCH, { eval: true, env: {}, workerData: { beats: beats.buffer, stallMs } }).unref();
}

function restarting(): StatementFailure {
  return new StatementFailure(
    "unavailable",
    "The file engine is restarting because another query could not be stopped. Try again.",
    RESTARTING,
  );
}
