import "server-only";
import { type TransactionStep, transactionStepOf } from "@/lib/base/sql/statement-kind";
import type { ManualSession, QueryOptions, ResultStream, SessionState, Statement } from "../../data-source";
import type { IsolationLevel } from "../../schema";
import { HeldSession } from "../shared/held-session";
import type { StatementRun } from "../shared/statement-run";
import type { MysqlSession } from "./session";

/** Levels in the server's words. */
const LEVELS: Readonly<Partial<Record<IsolationLevel, string>>> = {
  read_uncommitted: "READ UNCOMMITTED",
  read_committed: "READ COMMITTED",
  repeatable_read: "REPEATABLE READ",
  serializable: "SERIALIZABLE",
};

/** Runs a statement in a session, with the rules of the source. */
type RunIn = (statement: Statement, options: QueryOptions, manual: MysqlManualSession) => Promise<ResultStream>;

/**
 * A session for manual transactions. With `readOnly`, this class starts each transaction, read-only, and rolls it back
 * and clears the session in any case. The guard refuses what could end it otherwise.
 */
export class MysqlManualSession implements ManualSession {
  readonly readOnly: boolean;
  readonly #held: HeldSession<MysqlSession>;
  readonly #level: string | null;
  readonly #run: RunIn;
  /** The session is cleared after the current statement. */
  #clears = false;

  private constructor(session: MysqlSession, options: { readOnly: boolean; level: string | null }, run: RunIn) {
    this.#held = new HeldSession(session, (each) => this.#finish(each));
    this.readOnly = options.readOnly;
    this.#level = options.level;
    this.#run = run;
  }

  static async open(
    session: MysqlSession,
    { readOnly, isolation }: { readOnly: boolean; isolation: IsolationLevel | null },
    run: RunIn,
  ): Promise<MysqlManualSession> {
    const level = (isolation && LEVELS[isolation]) ?? null;
    session.keepsTransaction = true;
    await session.isolate(level);
    return new MysqlManualSession(session, { readOnly, level }, run);
  }

  get state(): SessionState {
    return this.#held.session.isInTransaction ? "in_transaction" : "idle";
  }

  get isAlive(): boolean {
    return this.#held.session.isAlive;
  }

  query(statement: Statement, options: QueryOptions): Promise<ResultStream> {
    return this.#run(statement, { ...options, readOnly: this.readOnly }, this);
  }

  settled(): Promise<void> {
    return this.#held.settled;
  }

  close(): Promise<void> {
    return this.#held.close();
  }

  /**
   * Returns what a read-only session sends for a statement that controls the transaction; null for any other statement,
   * which the guard checks.
   */
  stepOf(text: string): { step: TransactionStep; text: string } | null {
    const found = this.readOnly ? transactionStepOf(text, "mysql") : null;
    if (!found?.isPlain) return null;
    const sent = { begin: "DO 0", commit: "ROLLBACK", rollback: "ROLLBACK", savepoint: text };
    return { step: found.step, text: sent[found.step] };
  }

  /**
   * Takes the session for a statement.
   * @returns `startsReading` when it must run in a new read-only transaction
   */
  async begin(
    step: TransactionStep | null,
    signal: AbortSignal,
  ): Promise<{ run: StatementRun<MysqlSession>; startsReading: boolean }> {
    const run = await this.#held.begin(signal);
    const isIdle = !run.session.isInTransaction;
    const isEnd = step === "commit" || step === "rollback";
    this.#clears = this.readOnly && (isEnd || (isIdle && step !== "begin"));
    return { run, startsReading: this.readOnly && isIdle && (step === null || step === "begin") };
  }

  async #finish(session: MysqlSession): Promise<void> {
    if (!this.#clears) return;
    await session.reset();
    await session.isolate(this.#level);
    await session.whenReady();
  }
}
