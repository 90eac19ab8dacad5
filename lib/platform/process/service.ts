import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connectIfLive } from "./probe.ts";
import { serverMember } from "./server-context.ts";

/** Maximum time for a child to become ready, including opening a large file and recovering it, in ms. */
const START_TIMEOUT_MS = 30_000;
/** Time for a child to finish its writes before it is killed, in ms; within the server's time to stop. */
const STOP_GRACE_MS = 5000;
/** Delay before the first restart: short, since a crash is rare; repeated crashes wait longer. */
const RESTART_DELAY_MIN_MS = 100;
const RESTART_DELAY_MAX_MS = 5000;
/** Lifetime after which a child counts as healthy: the restart delays start over, in ms. */
const STABLE_AFTER_MS = 10_000;
/** Number of characters of a child's last output that are kept for a message. */
const LAST_WORDS_CHARS = 2000;
/** Timeout of reading stderr, in ms: a program that the child has started may keep it open beyond the child's end. */
const LAST_WORDS_TIMEOUT_MS = 200;
/** Message of a child whose file another process owns: the only failure that waiting can fix. */
const IN_USE = "in use by another process";

export type ServiceSpec = {
  /** Name in messages. */
  name: string;
  /** Absolute path of the program. */
  entry: string;
  args: readonly string[];
  /** Socket of the service; two specs with the same socket are the same service. */
  socketPath: string;
  /** "on-demand" starts it on first use, and does not restart it when it ends. Default "always". */
  restart?: "always" | "on-demand";
  /** Variables in addition to the few that every child gets. */
  env?: Readonly<Record<string, string>>;
  /** Wraps the command in a sandbox; file descriptors and NODE_CHANNEL_FD must pass through. */
  wrap?: (command: string, args: string[]) => { command: string; args: string[] };
};

export type Service = {
  readonly socketPath: string;
  isUp(): boolean;
  /** Returns whether this process started the child; false if it joined another's or there is none. */
  isOwner(): boolean;
  /** Returns the id of the child that this process started; null if it joined one or there is none. */
  childPid(): number | null;
  /**
   * Resolves once the socket answers; starts an on-demand service.
   * @throws ServiceDown if it does not answer within the time, or cannot start at all
   */
  whenUp(timeoutMs: number): Promise<void>;
  /** Ends the started child after its writes (or leaves the joined one) and stops supervising it. */
  stop(): Promise<void>;
};

/** Reason of a service whose start has neither ended nor failed yet. */
export const STILL_STARTING = "it has not started yet";

/** The service is not running. `message` has the child's reason, if it gave one. */
export class ServiceDown extends Error {
  constructor(name: string, reason: string) {
    super(`The ${name} is not running: ${reason}`);
    this.name = "ServiceDown";
  }
}

/**
 * Supervises a child service for as long as this process lives. A running service on the socket is joined; otherwise
 * the child is started, and restarted when it dies. When a joined one goes away, this process takes over: the child's
 * lock on its file decides which of several processes does.
 *
 * The child sends `{type:"ready"}` over IPC once it listens, may send `{type:"failed", message}` and, for the operator,
 * `{type:"notice", message}`, and ends when the IPC channel closes, so that it never outlives its parent. It gets none
 * of the parent's environment.
 */
export function ensureService(spec: ServiceSpec): Service {
  const services = registry();
  let service = services.get(spec.socketPath);
  if (!service) {
    service = new SupervisedService(spec, () => services.delete(spec.socketPath));
    services.set(spec.socketPath, service);
  }
  return service;
}

const registry = serverMember("services", () => new Map(), {
  phase: "children",
  close: async (services) => {
    await Promise.all([...services.values()].map((service) => service.stop()));
  },
});

type Waiter = { resolve: () => void; reject: (error: Error) => void };
type Attempt = { upForMs: number; failure: string | null };

class SupervisedService implements Service {
  readonly #spec: ServiceSpec;
  readonly #forget: () => void;
  readonly #waiters = new Set<Waiter>();
  #up = false;
  #wasUp = false;
  #stopped = false;
  #child: ChildProcess | null = null;
  #joined: Socket | null = null;
  #lastFailure = STILL_STARTING;
  #wake: (() => void) | null = null;
  readonly #supervision: Promise<void>;
  readonly #stopping = new AbortController();

  constructor(spec: ServiceSpec, forget: () => void) {
    this.#spec = spec;
    this.#forget = forget;
    this.#supervision = this.#supervise();
  }

  get socketPath(): string {
    return this.#spec.socketPath;
  }

  isUp(): boolean {
    return this.#up;
  }

  isOwner(): boolean {
    return this.#up && this.#child !== null;
  }

  childPid(): number | null {
    return this.#child?.pid ?? null;
  }

  async whenUp(timeoutMs: number): Promise<void> {
    if (this.#up) return;
    if (this.#stopped) throw new ServiceDown(this.#spec.name, "it was stopped");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { resolve, reject };
    this.#waiters.add(waiter);
    this.#wake?.();
    const timer = setTimeout(() => reject(new ServiceDown(this.#spec.name, this.#lastFailure)), timeoutMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    this.#wake?.();
    this.#joined?.destroy();
    this.#rejectWaiters("it was stopped");
    await this.#endChild();
    await this.#supervision;
    this.#forget();
  }

  async #supervise(): Promise<void> {
    let delayMs = RESTART_DELAY_MIN_MS;
    while (!this.#stopped) {
      if (this.#spec.restart === "on-demand" && this.#waiters.size === 0) await this.#demand();
      if (this.#stopped) return;
      const { upForMs, failure } = await this.#attempt();
      this.#up = false;
      if (failure !== null) this.#lastFailure = failure;
      if (failure !== null && this.#isFinal(failure)) this.#rejectWaiters(failure);
      if (upForMs >= STABLE_AFTER_MS) delayMs = RESTART_DELAY_MIN_MS;
      await sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MAX_MS);
    }
  }

  /**
   * Returns whether retrying is useless. Waiting helps if another process is just releasing the file, or if the service
   * worked before.
   */
  #isFinal(failure: string): boolean {
    if (failure.includes(IN_USE)) return false;
    return this.#spec.restart === "on-demand" || !this.#wasUp;
  }

  #demand(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }

  /** Joins or starts the service, and returns when it has ended. */
  async #attempt(): Promise<Attempt> {
    this.#joined = await connectIfLive(this.#spec.socketPath);
    if (this.#stopped) {
      this.#joined?.destroy();
      return { upForMs: 0, failure: null };
    }
    if (!this.#joined) return this.#runChild();
    const since = performance.now();
    this.#announceUp();
    this.#joined.resume();
    await whenClosed(this.#joined);
    this.#joined = null;
    return { upForMs: performance.now() - since, failure: "its process has exited" };
  }

  async #runChild(): Promise<Attempt> {
    const child = startChild(this.#spec);
    this.#child = child;
    let upSince: number | null = null;
    let lastWords = "";
    let reason: string | null = null;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS_CHARS);
      if (upSince !== null) process.stderr.write(text);
    });
    child.on("message", (message) => {
      if (isMessage(message, "failed")) reason = String(message.message);
      if (isMessage(message, "notice")) process.stderr.write(`${String(message.message)}\n`);
      if (!isMessage(message, "ready")) return;
      upSince = performance.now();
      clearTimeout(timer);
      this.#announceUp();
    });
    const timer = setTimeout(() => {
      reason = `it was not ready within ${START_TIMEOUT_MS / 1000} s`;
      child.kill("SIGKILL");
    }, START_TIMEOUT_MS);
    const ending = await endOf(child);
    clearTimeout(timer);
    this.#child = null;
    const failure = reason ?? lastMessage(lastWords) ?? ending;
    // Losing the race for the file is expected: the winner is joined next.
    if (upSince === null && !failure.includes(IN_USE)) process.stderr.write(lastWords);
    return { upForMs: upSince === null ? 0 : performance.now() - upSince, failure };
  }

  async #endChild(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
    await exited;
    clearTimeout(timer);
  }

  #announceUp(): void {
    this.#up = true;
    this.#wasUp = true;
    for (const waiter of this.#waiters) waiter.resolve();
  }

  #rejectWaiters(reason: string): void {
    for (const waiter of this.#waiters) waiter.reject(new ServiceDown(this.#spec.name, reason));
  }
}

/** Resolves when a socket has closed. Unlike `once` it does not reject for a reset, which is an end, too. */
function whenClosed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/**
 * Starts the child. Its stdout is not the server's: it holds an address for manual starts. A separate process group
 * shields the child from a terminal's Ctrl-C, which must end the web's requests first and the child after them.
 */
function startChild(spec: ServiceSpec): ChildProcess {
  const direct = { command: process.execPath, args: [spec.entry, ...spec.args] };
  const { command, args } = spec.wrap?.(direct.command, direct.args) ?? direct;
  return spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...commonEnvironment(), ...spec.env },
    detached: true,
  });
}

/**
 * Returns an environment without the platform's settings and secrets: only the variables that programs need for dates
 * and temporary files.
 */
function commonEnvironment(): NodeJS.ProcessEnv {
  const { NODE_ENV, TZ, LANG, TMPDIR } = process.env;
  const given = Object.entries({ TZ, LANG, TMPDIR }).filter(([, value]) => value !== undefined);
  return { NODE_ENV, ...Object.fromEntries(given) };
}

/** Not "close", which is never emitted once this side has disconnected the channel. */
async function endOf(child: ChildProcess): Promise<string> {
  const lastWordsRead = new Promise<void>((resolve) => child.stderr?.once("close", resolve));
  const ending = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(signal ? `it was killed by ${signal}` : `it exited with code ${code}`),
    );
  });
  await Promise.race([lastWordsRead, sleep(LAST_WORDS_TIMEOUT_MS)]);
  return ending;
}

/** Returns the message of an uncaught error, else the last line. */
function lastMessage(text: string): string | null {
  const thrown = /^(?:Uncaught )?\w*Error: (.+)$/m.exec(text);
  return thrown?.[1] ?? (text.trimEnd().split("\n").at(-1)?.trim() || null);
}

function isMessage(message: unknown, type: string): message is { type: string; message?: unknown } {
  return typeof message === "object" && message !== null && "type" in message && message.type === type;
}
