import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { QueueFullError, Semaphore } from "../../../process/semaphore.ts";
import { REQUEST_BYTES_MAX, RESPONSE_BYTES_MAX, STATEMENT_QUEUE_MAX } from "../limits.ts";
import { type Answerable, type Asked, serveRequests } from "../request-server.ts";
import { type EngineFailure, encodeFrame, sendFrame } from "../wire.ts";
import { typeOfFrame } from "./frames.ts";
import { openSqlite } from "./open.ts";
import { RunnerProcess } from "./runner-process.ts";

/** Maximum concurrent statements of one file. Each has a process, and only one of them can write. */
const RUNNERS_MAX = 6;
/** Idle time before a runner ends, in ms. It costs some 50 MB; starting one takes 0.1 s. */
const IDLE_RUNNER_MS = 60_000;
/**
 * Time that a runner has to react to a stop request, in ms. It checks between two batches; otherwise it is inside
 * SQLite.
 */
const STOP_GRACE_MS = 100;
/** Longer than the time limit of statements (docs/develop/api.md, Queries). */
const OUR_OWN_TIMEOUT_MS = 60_000;
const LAST_TYPES = new Set(["end", "failed", "entities", "version", "transact", "session"]);
const STOP = encodeFrame({ type: "stop", isCancel: false }, REQUEST_BYTES_MAX);

/**
 * Serves one SQLite file to the processes of this user; see wire.ts. Statements run in child processes.
 * @returns stops the server and its child processes
 */
export async function serveSqlite(file: string, socketPath: string): Promise<() => void> {
  // Fails at once if the file is not a database, and rolls back a killed writer's transaction.
  openSqlite(file, false).database.close();
  const runners = new Runners(file);
  const server = await serveRequests(socketPath, (request, socket, asked) => runners.answer(request, socket, asked));
  return () => {
    server.close();
    runners.close();
  };
}

type Idle = { runner: RunnerProcess; timer: NodeJS.Timeout };

class Runners {
  readonly #file: string;
  readonly #places = new Semaphore(RUNNERS_MAX, STATEMENT_QUEUE_MAX);
  readonly #all = new Set<RunnerProcess>();
  #idle: Idle[] = [];
  /** Runners of sessions for manual transactions, by their sockets. */
  readonly #manual = new WeakMap<Socket, RunnerProcess>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Handles a request and returns the last frame of the answer. */
  async answer(request: Answerable, socket: Socket, asked: Asked): Promise<Buffer> {
    const left = asked.signal;
    if (request.type === "session" && !this.#manual.has(socket)) this.#openManual(socket, request.readOnly);
    const manual = this.#manual.get(socket);
    if (manual && !manual.isAlive) return failed("unavailable", "The session has ended.");
    const timeoutMs = "timeoutMs" in request ? request.timeoutMs : OUR_OWN_TIMEOUT_MS;
    const mayWrite = request.type === "transact" || (request.type === "execute" && !request.readOnly);
    const deadline = AbortSignal.timeout(timeoutMs);
    const stop = AbortSignal.any([deadline, left]);
    let leave: () => void;
    try {
      leave = await this.#places.acquire(stop);
    } catch (error) {
      if (error instanceof QueueFullError)
        return failed("unavailable", "Too many queries are waiting for this file. Try again.");
      return failed(deadline.aborted ? "timeout" : "cancelled", "The query waited too long for the file. Try again.");
    }
    const runner = manual ?? this.#take(!mayWrite);
    const onEnough = () => runner.send(STOP);
    if (manual) asked.enough.addEventListener("abort", onEnough, { once: true });
    let last: Buffer | null = null;
    try {
      last = await this.#run(runner, request, socket, stop);
    } finally {
      asked.enough.removeEventListener("abort", onEnough);
      if (!manual && last) this.#giveBack(runner);
      else if (!last) await this.#end(runner, stop.aborted, manual === undefined);
      leave();
    }
    if (last) return last;
    if (deadline.aborted) return failed("timeout", "The query timed out.");
    return failed(stop.aborted ? "cancelled" : "unavailable", "The file engine is restarting. Try again.");
  }

  close(): void {
    for (const runner of this.#all) void runner.kill();
  }

  /** @returns the last frame; null when the statement was stopped or its process has ended */
  async #run(runner: RunnerProcess, request: Answerable, socket: Socket, stop: AbortSignal): Promise<Buffer | null> {
    const stopped = new Promise<null>((resolve) => {
      if (stop.aborted) resolve(null);
      stop.addEventListener("abort", () => resolve(null), { once: true });
    });
    runner.send(encodeFrame(request, REQUEST_BYTES_MAX));
    for (;;) {
      const frame = await Promise.race([runner.next(), stopped]);
      if (!frame || LAST_TYPES.has(typeOfFrame(frame))) return frame;
      try {
        await Promise.race([sendFrame(socket, frame), stopped]);
      } catch {
        return null;
      }
      if (stop.aborted) return null;
    }
  }

  #take(readOnly: boolean): RunnerProcess {
    const index = this.#idle.findIndex(({ runner }) => runner.readOnly === readOnly && runner.isAlive);
    const [idle] = index < 0 ? [] : this.#idle.splice(index, 1);
    if (idle) {
      clearTimeout(idle.timer);
      return idle.runner;
    }
    const runner = new RunnerProcess(this.#file, readOnly);
    this.#all.add(runner);
    return runner;
  }

  #giveBack(runner: RunnerProcess): void {
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((idle) => idle.runner !== runner);
      void this.#end(runner, true);
    }, IDLE_RUNNER_MS).unref();
    this.#idle.push({ runner, timer });
  }

  /** Starts the runner of a session. It ends with the socket, which rolls back. */
  #openManual(socket: Socket, readOnly: boolean): void {
    const runner = new RunnerProcess(this.#file, readOnly, true);
    this.#all.add(runner);
    this.#manual.set(socket, runner);
    socket.once("close", () => void this.#end(runner, false));
  }

  /**
   * Stops a runner's statement. Between two batches it can continue with other statements; inside SQLite it is killed.
   * @param isShared whether it then takes the statements of others
   */
  async #end(runner: RunnerProcess, mayStop: boolean, isShared = true): Promise<void> {
    if (mayStop && runner.isAlive) {
      runner.send(STOP);
      if (await Promise.race([drained(runner), sleep(STOP_GRACE_MS, false)])) {
        if (isShared) this.#giveBack(runner);
        return;
      }
    }
    this.#all.delete(runner);
    await runner.kill();
    // Only a connection that may write can roll back a writer's unfinished journal.
    if (!runner.readOnly) openSqlite(this.#file, false).database.close();
  }
}

async function drained(runner: RunnerProcess): Promise<boolean> {
  for (;;) {
    const frame = await runner.next();
    if (!frame) return false;
    if (LAST_TYPES.has(typeOfFrame(frame))) return true;
  }
}

function failed(kind: EngineFailure["kind"], message: string): Buffer {
  return encodeFrame({ type: "failed", failure: { kind, message } }, RESPONSE_BYTES_MAX);
}
