import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { PooledSession, SessionPool } from "./session-pool";

/** A caller does not wait longer than this for the server to confirm a cancellation; it goes on behind. */
const CANCEL_WAIT_MS = 1000;

/** Cleaning a session takes milliseconds. */
const RESET_TIMEOUT_MS = 5000;

/** A statement whose rows are being read. */
export interface RunningStatement {
  /** Ends it where it stands. False: the server still works on it, so it has to be cancelled. */
  leave(): Promise<boolean>;
  /** Whoever waits for rows gets this error. */
  fail(error: unknown): void;
}

export interface StatementSession extends PooledSession {
  /** Cancels on the server what the session runs. Never throws. */
  cancel(): Promise<void>;
  /** Makes the session as good as new. */
  reset(): Promise<void>;
}

/**
 * One statement's hold on its session: however it ends, the session is given back once, cleaned, or cut when nobody
 * knows what the server still does in it. An abort cancels on the server before the reader hears of it (T52, T53).
 */
export class StatementRun<S extends StatementSession> {
  readonly session: S;
  readonly #pool: SessionPool<S>;
  readonly #signal: AbortSignal;
  #statement: RunningStatement | null = null;
  #isOver = false;
  readonly #onAbort = () => void this.#abort();

  constructor(session: S, pool: SessionPool<S>, signal: AbortSignal) {
    this.session = session;
    this.#pool = pool;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  begin<T extends RunningStatement>(statement: T): T {
    this.#statement = statement;
    if (this.#signal.aborted) void this.#abort();
    return statement;
  }

  /** There is nothing more to read, or nobody who reads. */
  end(): void {
    if (this.#take()) void this.#leave();
  }

  async #leave(): Promise<void> {
    if (!this.#statement || (await this.#statement.leave())) {
      giveBack(this.#pool, this.session);
      return;
    }
    await this.session.cancel();
    this.#pool.release(this.session, false);
  }

  async #abort(): Promise<void> {
    if (!this.#take()) return;
    const cancelled = this.session.cancel();
    await Promise.race([cancelled, sleep(CANCEL_WAIT_MS)]);
    this.#statement?.fail(this.#signal.reason);
    // A cancellation that is still under way could meet whatever the session does next, so there is no next.
    await cancelled;
    this.#pool.release(this.session, false);
  }

  #take(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    return true;
  }
}

/** The next one gets the session only after it was cleaned; nobody waits for that. */
export function giveBack<S extends StatementSession>(pool: SessionPool<S>, session: S): void {
  if (!session.isAlive) {
    pool.release(session, false);
    return;
  }
  const isClean = session.reset().then(
    () => true,
    () => false,
  );
  const giveUp = new AbortController();
  // A server that is silent now would keep the session's place, and whoever closes the connection, for ever.
  const isLate = sleep(RESET_TIMEOUT_MS, false, { signal: giveUp.signal }).catch(() => false);
  void Promise.race([isClean, isLate]).then((isReusable) => {
    giveUp.abort();
    pool.release(session, isReusable);
  });
}

/** Work of our own in a session, such as reading the schema. An abort cuts the session. */
export async function withSession<S extends StatementSession, T>(
  pool: SessionPool<S>,
  signal: AbortSignal,
  work: (session: S) => Promise<T>,
): Promise<T> {
  const session = await pool.acquire(signal);
  const onAbort = () => session.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await work(session);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    giveBack(pool, session);
  }
}
