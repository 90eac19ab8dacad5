import "server-only";
import { type ChildProcess, spawn } from "node:child_process";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2";
import { setPriority } from "node:os";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { CHANNEL_FD } from "@/lib/platform/embedded/sandbox/wire";
import { LINE_CHARS_MAX, LOG_BYTES_MAX, MEMORY_BYTES_MAX, PROCESSES_MAX, THREADS_MAX } from "../limits";
import type { SandboxCommand } from "./confinement";
import { findMarked, usageOf } from "./watch";

/** Lower priority than the platform's own work, which a build must not slow down. */
const PRIORITY = 10;
/** Short enough that a process growing by 1 GB/s is stopped near its limit. */
const WATCH_MS = 250;
/** Interval between checks for remaining processes of a sandbox that has ended. */
const LEFT_MS = 20;
const MIB = 1024 * 1024;
/** Concurrent requests of one page, and files being sent. */
const STREAMS_MAX = 1000;
const WINDOW_BYTES = 8 * MIB;

/** Reason why we ended a sandbox, in words for the app's author. */
export class SandboxEnded extends Error {}

type Options = SandboxCommand & {
  env: NodeJS.ProcessEnv;
  /** Called with each line that the child prints. */
  onLine: (line: string) => void;
  signal: AbortSignal;
};

/**
 * A child process in a sandbox, with HTTP/2 over an inherited socket. It is watched, and ends with all of its
 * processes.
 */
export class SandboxChild {
  readonly #child: ChildProcess;
  readonly #session: ClientHttp2Session;
  readonly #signal: AbortSignal;
  readonly #watch: NodeJS.Timeout;
  readonly #onLine: (line: string) => void;
  #printed = 0;
  #reason: unknown = null;
  #lastWords = "";
  /** Resolves when the child and all of its processes have ended. */
  readonly ended: Promise<void>;
  readonly #onAbort = () => this.end(this.#signal.reason);

  constructor({ command, args, mark, env, onLine, signal }: Options) {
    signal.throwIfAborted();
    this.#signal = signal;
    this.#onLine = onLine;
    this.#child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe", "pipe"], env, detached: true });
    const channel = this.#child.stdio[CHANNEL_FD] as Duplex;
    const exited = new Promise<void>((resolve) => {
      this.#child.once("error", (error) => {
        this.#reason ??= error;
        resolve();
      });
      this.#child.once("exit", () => resolve());
    });
    this.ended = exited.then(() => endMarked(mark));
    this.#session = connect("http://sandbox", {
      createConnection: () => channel,
      settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: STREAMS_MAX, enablePush: false },
    });
    this.#session.once("connect", () => this.#session.setLocalWindowSize(WINDOW_BYTES));
    // Each stream reports its error; the session's would only repeat it.
    this.#session.on("error", () => {});
    channel.on("error", () => {});
    for (const output of [this.#child.stdout, this.#child.stderr]) this.#readLines(output);
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watch = setInterval(() => this.#look(), WATCH_MS);
    void this.ended.then(() => this.#tidy());
    const { pid } = this.#child;
    if (pid !== undefined) setPriority(pid, PRIORITY);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && !this.#session.destroyed;
  }

  /** Opens a request. Its error is emitted by the stream; `failure()` returns the reason why the child has ended. */
  request(headers: OutgoingHttpHeaders, hasBody: boolean): ClientHttp2Stream {
    return this.#session.request(headers, { endStream: !hasBody });
  }

  /** Kills the child and all of its processes. @param reason error for the callers that wait */
  end(reason: unknown): void {
    this.#reason ??= reason;
    // Bubblewrap's end destroys the namespace, and that kills all processes in it.
    this.#child.kill("SIGKILL");
  }

  /** Waits until a child that has stopped responding has ended, and returns the reason. */
  async failure(): Promise<unknown> {
    this.end(null);
    await this.ended;
    if (this.#reason) return this.#reason;
    const { exitCode, signalCode } = this.#child;
    const words = this.#lastWords.trim().split("\n").at(-1) ?? "";
    return new Error(`The sandbox exited unexpectedly (${signalCode ?? exitCode}): ${words}`);
  }

  #readLines(output: NodeJS.ReadableStream | null): void {
    let rest = "";
    output?.setEncoding("utf8");
    output?.on("data", (text: string) => {
      this.count(text.length);
      this.#lastWords = (this.#lastWords + text).slice(-LINE_CHARS_MAX);
      const lines = (rest + text).split("\n");
      rest = (lines.pop() ?? "").slice(0, LINE_CHARS_MAX);
      if (this.#reason === null) for (const line of lines) this.#onLine(line.slice(0, LINE_CHARS_MAX));
    });
    output?.on("end", () => {
      if (this.#reason === null && rest !== "") this.#onLine(rest);
    });
  }

  /** Counts printed characters from all sources. */
  count(chars: number): void {
    this.#printed += chars;
    if (this.#printed > LOG_BYTES_MAX) {
      this.end(new SandboxEnded(`It printed more than ${LOG_BYTES_MAX / MIB} MiB and was stopped.`));
    }
  }

  #look(): void {
    const { pid } = this.#child;
    if (pid === undefined || !this.isAlive) return;
    const { processes, threads, bytes } = usageOf(pid, THREADS_MAX);
    if (bytes > MEMORY_BYTES_MAX) {
      this.end(new SandboxEnded(`It used more than ${MEMORY_BYTES_MAX / MIB / 1024} GiB of memory and was stopped.`));
    }
    if (threads > THREADS_MAX) {
      this.end(new SandboxEnded(`It started more than ${THREADS_MAX} threads and was stopped.`));
    }
    if (processes > PROCESSES_MAX) {
      this.end(new SandboxEnded(`It started more than ${PROCESSES_MAX} processes and was stopped.`));
    }
  }

  #tidy(): void {
    clearInterval(this.#watch);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#session.destroy();
  }
}

/**
 * Kills the processes left of a sandbox. Bubblewrap's end destroys the namespace, unless it is killed while creating
 * it: remaining processes then continue.
 */
async function endMarked(mark: string): Promise<void> {
  for (let left = await findMarked(mark); left.length > 0; left = await findMarked(mark)) {
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
    await sleep(LEFT_MS);
  }
}
