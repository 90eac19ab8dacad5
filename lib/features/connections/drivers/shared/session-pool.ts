import "server-only";
import { TooManyConnections } from "./failures";
import { IDLE_SESSION_MS, SERVER_QUERIES_DEFAULT, sessionsMaxFor } from "./limits";
import { Uses } from "./uses";

/**
 * The requirements of a pool on a session: report whether it is alive, end, and not keep the process alive when idle.
 */
export interface PooledSession {
  readonly isAlive: boolean;
  destroy(): void;
  /** Called when it becomes idle and when it is taken again. */
  setIdle(isIdle: boolean): void;
}

type Waiter<S> = { signal: AbortSignal; resolve: (session: S) => void; reject: (error: unknown) => void };
type Idle<S> = { session: S; timer: NodeJS.Timeout };

/** Time until the pool opens more sessions than the server accepted, in ms. */
const REFUSED_FOR_MS = 30_000;

/**
 * A connection's sessions: opened when needed, closed when idle. At most `max`, or as many as the server accepts:
 * when it refuses one more, the query waits for one of the others.
 */
export class SessionPool<S extends PooledSession> {
  readonly #open: (signal: AbortSignal) => Promise<S>;
  readonly #sessionsMax: number;
  #idle: Idle<S>[] = [];
  #waiting: Waiter<S>[] = [];
  /** Sessions that are open, opening or being cleaned. */
  #count = 0;
  #refused: { max: number; until: number } | null = null;
  readonly #uses = new Uses(() => {});
  /** Ends the use of each session that is taken. */
  readonly #leave = new Map<S, () => void>();
  #isClosed = false;

  constructor(open: (signal: AbortSignal) => Promise<S>, max = sessionsMaxFor(SERVER_QUERIES_DEFAULT)) {
    this.#open = open;
    this.#sessionsMax = max;
  }

  /** @throws errors of opening; the signal's reason when it aborts while waiting; `unavailable` once closed */
  async acquire(signal: AbortSignal): Promise<S> {
    signal.throwIfAborted();
    const leave = this.#uses.begin();
    try {
      const session = await this.#take(signal);
      this.#leave.set(session, leave);
      return session;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** @param isReusable false ends the session, whose state is unknown */
  release(session: S, isReusable: boolean): void {
    const leave = this.#leave.get(session);
    this.#leave.delete(session);
    if (isReusable && session.isAlive && !this.#isClosed) this.#handOn(session);
    else this.#drop(session);
    leave?.();
  }

  /** Refuses new work and waits for what runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      this.#drop(session);
    }
    await this.#uses.close();
  }

  async #take(signal: AbortSignal): Promise<S> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.session.isAlive) {
        idle.session.setIdle(false);
        return idle.session;
      }
      this.#drop(idle.session);
    }
    return this.#count < this.#max ? this.#openOne(signal) : this.#waitForOne(signal);
  }

  get #max(): number {
    if (this.#refused && performance.now() >= this.#refused.until) this.#refused = null;
    return this.#refused?.max ?? this.#sessionsMax;
  }

  async #openOne(signal: AbortSignal): Promise<S> {
    this.#count += 1;
    try {
      return await this.#open(signal);
    } catch (error) {
      if (error instanceof TooManyConnections && this.#count > 1 && !this.#isClosed) {
        this.#count -= 1;
        this.#refused = { max: this.#count, until: performance.now() + REFUSED_FOR_MS };
        // One may have been released in the meantime.
        return this.#take(signal);
      }
      this.#freePlace();
      throw error;
    }
  }

  #waitForOne(signal: AbortSignal): Promise<S> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const settle = <T>(finish: (value: T) => void) => {
        return (value: T) => {
          signal.removeEventListener("abort", onAbort);
          finish(value);
        };
      };
      const waiter: Waiter<S> = { signal, resolve: settle(resolve), reject: settle(reject) };
      this.#waiting.push(waiter);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #handOn(session: S): void {
    const waiter = this.#waiting.shift();
    if (waiter) {
      waiter.resolve(session);
      return;
    }
    session.setIdle(true);
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((idle) => idle.session !== session);
      this.#drop(session);
    }, IDLE_SESSION_MS).unref();
    this.#idle.push({ session, timer });
  }

  #drop(session: S): void {
    session.destroy();
    this.#freePlace();
  }

  /** Frees a place after a session ended or failed to open: the next waiter opens a session in it. */
  #freePlace(): void {
    this.#count -= 1;
    const waiter = this.#waiting.shift();
    if (!waiter) return;
    this.#openOne(waiter.signal).then((opened) => {
      if (!waiter.signal.aborted) waiter.resolve(opened);
      else if (this.#isClosed) this.#drop(opened);
      else this.#handOn(opened);
    }, waiter.reject);
  }
}
