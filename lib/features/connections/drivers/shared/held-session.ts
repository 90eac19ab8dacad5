import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningStatement, type SessionKeeper, StatementRun, type StatementSession } from "./statement-run";

/**
 * Time that a statement may take to end after its reader has left or it was cancelled, in ms. The session is closed
 * then, which rolls back its transaction.
 */
const END_TIMEOUT_MS = 10_000;

/** A session that its database reports as ready for the next statement. */
interface ManualStatementSession extends StatementSession {
  /** Resolves when the last statement is over, or the connection is lost. */
  whenReady(): Promise<void>;
}

/** One session outside of the pool, for manual transactions. Nothing is cleaned between two statements. */
export class HeldSession<S extends ManualStatementSession> implements SessionKeeper<S> {
  readonly session: S;
  /** A cancelled statement would fail the transaction, so its rest is awaited first. */
  readonly leaveGraceMs = END_TIMEOUT_MS;
  readonly #finish: (session: S) => Promise<void>;
  #settled: Promise<void> = Promise.resolve();
  #over: (() => void) | null = null;

  /** @param finish runs after each statement, when the server is ready. An error closes the session. */
  constructor(session: S, finish: (session: S) => Promise<void>) {
    this.session = session;
    this.#finish = finish;
  }

  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Waits for the end of the previous statement, and starts the next one. */
  async begin(signal: AbortSignal): Promise<StatementRun<S>> {
    await this.#settled;
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settled = promise;
    this.#over = resolve;
    return new StatementRun(this.session, this, signal);
  }

  giveBack(): void {
    void this.#end();
  }

  giveBackCancelled(_session: S, statement: RunningStatement | null): void {
    // Rows that the server has already sent are read past.
    void statement?.leave(0);
    void this.#end();
  }

  async close(): Promise<void> {
    this.session.destroy();
    this.#over?.();
  }

  async #end(): Promise<void> {
    const isReady = await Promise.race([
      this.session.whenReady().then(() => true),
      sleep(END_TIMEOUT_MS, false, { ref: false }),
    ]);
    try {
      if (!isReady) this.session.destroy();
      else if (this.session.isAlive) await this.#finish(this.session);
    } catch {
      this.session.destroy();
    }
    this.#over?.();
  }
}
