import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { CANCEL_WAIT_MS } from "./limits";
import { type PooledSession, SessionPool } from "./session-pool";

/** Time limit of cleaning a session, in ms; it takes milliseconds. */
const RESET_TIMEOUT_MS = 5000;

/** A statement whose rows are being read. */
export interface RunningStatement {
  /**
   * Stops the statement. False: the server still works on it, so it must be cancelled.
   * @param graceMs time to wait for its end; default: a moment
   */
  leave(graceMs?: number): Promise<boolean>;
  /** Fails the pending read of rows with this error. */
  fail(error: unknown): void;
}

export interface StatementSession extends PooledSession {
  /** Cancels the running statement on the server. Never throws. */
  cancel(): Promise<void>;
  /** Cleans the session. */
  reset(): Promise<void>;
}

/** Takes a session back after a statement. */
export interface SessionKeeper<S> {
  /** Time that a statement may take to end after its reader left; absent: a moment. */
  readonly leaveGraceMs?: number;
  /** Called when the statement has ended, or was left between two of its rows. */
  giveBack(session: S): void;
  /** Called when the statement was cancelled, and may still be ending. */
  giveBackCancelled(session: S, statement: RunningStatement | null): void;
}

function poolKeeper<S extends StatementSession>(pool: SessionPool<S>): SessionKeeper<S> {
  return {
    giveBack: (session) => giveBack(pool, session),
    // A pending cancellation could hit the session's next statement, so the session is not reused.
    giveBackCancelled: (session) => pool.release(session, false),
  };
}

/**
 * One statement's hold on its session. However it ends, the session is released once: cleaned, or cut when the server
 * may still work in it. An abort cancels on the server before the reader gets the error (T52, T53).
 */
export class StatementRun<S extends StatementSession> {
  readonly session: S;
  readonly #keeper: SessionKeeper<S>;
  readonly #signal: AbortSignal;
  #statement: RunningStatement | null = null;
  #isOver = false;
  readonly #onAbort = () => void this.#abort();

  constructor(session: S, keeper: SessionPool<S> | SessionKeeper<S>, signal: AbortSignal) {
    this.session = session;
    this.#keeper = keeper instanceof SessionPool ? poolKeeper(keeper) : keeper;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  begin<T extends RunningStatement>(statement: T): T {
    this.#statement = statement;
    if (this.#signal.aborted) void this.#abort();
    return statement;
  }

  /** Ends the statement, after the last row or when the reader leaves. */
  end(): void {
    if (this.#take()) void this.#leave();
  }

  async #leave(): Promise<void> {
    if (!this.#statement || (await this.#statement.leave(this.#keeper.leaveGraceMs))) {
      this.#keeper.giveBack(this.session);
      return;
    }
    await this.session.cancel();
    this.#keeper.giveBackCancelled(this.session, this.#statement);
  }

  async #abort(): Promise<void> {
    if (!this.#take()) return;
    const cancelled = this.session.cancel();
    await Promise.race([cancelled, sleep(CANCEL_WAIT_MS)]);
    this.#statement?.fail(this.#signal.reason);
    await cancelled;
    this.#keeper.giveBackCancelled(this.session, this.#statement);
  }

  #take(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    return true;
  }
}

/** Releases a session to the next user after cleaning it, which no one waits for. */
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
  // A server that is silent now would keep the session's place, and block closing the connection, for ever.
  const isLate = sleep(RESET_TIMEOUT_MS, false, { signal: giveUp.signal }).catch(() => false);
  void Promise.race([isClean, isLate]).then((isReusable) => {
    giveUp.abort();
    pool.release(session, isReusable);
  });
}

/** Runs driver work in a session, such as reading the schema. An abort cuts the session. */
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

/**
 * Runs the work of a load in a session. An abort cancels on the server, and the session is not used again.
 * @throws errors of the work; the signal's reason after an abort
 */
export async function withCancellation<S extends StatementSession, T>(
  pool: SessionPool<S>,
  signal: AbortSignal,
  work: (session: S) => Promise<T>,
): Promise<T> {
  const session = await pool.acquire(signal);
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  let cancelling: Promise<void> | null = null;
  const onAbort = () => {
    cancelling = session.cancel();
    // Nothing unrequested was committed, so the connection can be cut.
    void Promise.race([cancelling, sleep(CANCEL_WAIT_MS)]).then(() => aborted.reject(signal.reason));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(session), aborted.promise]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (cancelling) pool.release(session, false);
    else giveBack(pool, session);
  }
}
