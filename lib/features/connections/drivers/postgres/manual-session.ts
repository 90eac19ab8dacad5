import "server-only";
import { type TransactionStep, transactionStepOf } from "@/lib/base/sql/statement-kind";
import type { ManualSession, QueryOptions, ResultStream, SessionState, Statement } from "../../data-source";
import type { IsolationLevel } from "../../schema";
import { HeldSession } from "../shared/held-session";
import type { StatementRun } from "../shared/statement-run";
import type { SideStatement } from "./portal";
import { CLEAN_UP, type PostgresSession } from "./session";
import {
  BEGIN_READING,
  beginReading,
  fixedInSession,
  GIVE_BACK,
  limited,
  pinned,
  pinnedAgain,
} from "./session-settings";

/** The session of a statement: a clean one of the pool, or one that its user keeps. */
export type Place = {
  readonly isManual: boolean;
  take(signal: AbortSignal): Promise<StatementRun<PostgresSession>>;
  /** Returns what is sent, with the statements around it. `verdict` is the check of the catalogue; null for none. */
  around(session: PostgresSession, statement: Surrounded): Promise<Surroundings>;
};
type Surrounded = { text: string; readOnly: boolean; timeoutMs: number; verdict: SideStatement | null };
type Surroundings = { preamble: readonly SideStatement[]; text: string; epilogue: readonly SideStatement[] };

/** Runs a statement at a place. */
type RunAt = (statement: Statement, options: QueryOptions, place: Place) => Promise<ResultStream>;

const STATES: Readonly<Record<PostgresSession["transactionStatus"], SessionState>> = {
  I: "idle",
  T: "in_transaction",
  E: "failed",
};
const LEVELS: Readonly<Partial<Record<IsolationLevel, string>>> = {
  read_committed: "READ COMMITTED",
  repeatable_read: "REPEATABLE READ",
  serializable: "SERIALIZABLE",
};
/** The state before a statement of a read-only transaction is checked: a refusal must not fail the transaction. */
const CHECKPOINT = "millrace_before_check";
const TO_CHECKPOINT = [`ROLLBACK TO SAVEPOINT ${CHECKPOINT}`, `RELEASE SAVEPOINT ${CHECKPOINT}`];
const CLEANING = CLEAN_UP.map(({ text }) => text);
/** Time limit for the start of a read-only transaction, in ms; it takes milliseconds. */
const BEGIN_TIMEOUT_MS = 60_000;

/**
 * Returns the step of a statement that a read-only session runs in its own words. Others are checked like any
 * statement, and refused.
 */
export function readingStepOf(text: string): TransactionStep | null {
  const found = transactionStepOf(text, "postgres");
  return found?.isPlain ? found.step : null;
}

/**
 * A session for manual transactions. With `readOnly`, each transaction is started by this class: read-only, with the
 * rights and the check of a read-only statement, and rolled back and cleaned in any case.
 */
export class PostgresManualSession implements ManualSession {
  readonly #held: HeldSession<PostgresSession>;
  readonly #readOnly: boolean;
  readonly #level: string;
  readonly #run: RunAt;
  /** Returns statements that follow the current one, once the server is ready. */
  #afterwards: ((session: PostgresSession) => readonly string[]) | null = null;

  private constructor(session: PostgresSession, options: { readOnly: boolean; level: string | undefined }, run: RunAt) {
    this.#held = new HeldSession(session, (each) => this.#finish(each));
    this.#readOnly = options.readOnly;
    this.#level = options.level ?? "READ COMMITTED";
    this.#run = run;
  }

  /** @param run runs a statement at a place, with the rules of the source */
  static async open(
    session: PostgresSession,
    { readOnly, isolation }: { readOnly: boolean; isolation: IsolationLevel | null },
    run: RunAt,
  ): Promise<PostgresManualSession> {
    const level = isolation === null ? undefined : LEVELS[isolation];
    if (!readOnly) {
      await session.run(limited(BEGIN_TIMEOUT_MS, false));
      if (level) await session.run(`SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ${level}`);
    }
    return new PostgresManualSession(session, { readOnly, level }, run);
  }

  get state(): SessionState {
    return STATES[this.#held.session.transactionStatus];
  }

  get isAlive(): boolean {
    return this.#held.session.isAlive;
  }

  query(statement: Statement, options: QueryOptions): Promise<ResultStream> {
    return this.#run(
      statement,
      { ...options, readOnly: this.#readOnly || options.readOnly },
      {
        isManual: true,
        take: (signal) => this.#held.begin(signal),
        around: (session, surrounded) => this.#around(session, surrounded),
      },
    );
  }

  settled(): Promise<void> {
    return this.#held.settled;
  }

  close(): Promise<void> {
    return this.#held.close();
  }

  async #around(session: PostgresSession, { text, readOnly, timeoutMs, verdict }: Surrounded): Promise<Surroundings> {
    this.#afterwards = null;
    const { transactionStatus: status } = session;
    if (!this.#readOnly && readOnly) return this.#restricted(session, { text, readOnly, timeoutMs, verdict });
    if (!this.#readOnly) {
      // A failed transaction takes nothing but its end.
      if (status !== "E") await session.run(fixedInSession(timeoutMs));
      return { preamble: [], text, epilogue: [] };
    }
    const step = readingStepOf(text);
    const begin = [{ text: beginReading(this.#level) }, { text: pinned(timeoutMs, "catalog") }];
    const giveBack = { text: `select ${GIVE_BACK}` };
    if (step === "commit" || step === "rollback")
      return { preamble: [], text: "ROLLBACK", epilogue: CLEAN_UP.slice(1) };
    if (step === "begin" && status === "I") {
      this.#afterwards = (each) => (each.transactionStatus === "T" ? [] : CLEANING);
      return { preamble: [...begin, giveBack], text: `SAVEPOINT ${CHECKPOINT}`, epilogue: [] };
    }
    if (step !== null || status === "E") return { preamble: [], text, epilogue: [] };
    if (status === "I") {
      this.#afterwards = (each) => (each.portal?.isCleaned ? [] : CLEANING);
      return { preamble: [...begin, verdict ?? giveBack], text, epilogue: CLEAN_UP };
    }
    this.#afterwards = (each) => (each.portal?.isInPreamble && each.transactionStatus === "E" ? TO_CHECKPOINT : []);
    const check = [{ text: `SAVEPOINT ${CHECKPOINT}` }, { text: pinnedAgain(timeoutMs) }, verdict ?? giveBack];
    return { preamble: [...check, { text: `RELEASE SAVEPOINT ${CHECKPOINT}` }], text, epilogue: [] };
  }

  /** Runs a statement read-only in a session that may write: all its effects end with a savepoint or transaction. */
  #restricted({ transactionStatus }: PostgresSession, { text, timeoutMs, verdict }: Surrounded): Surroundings {
    const isIdle = transactionStatus === "I";
    this.#afterwards = () => (isIdle ? ["ROLLBACK"] : TO_CHECKPOINT);
    const start = isIdle ? [BEGIN_READING] : [`SAVEPOINT ${CHECKPOINT}`, "SET TRANSACTION READ ONLY"];
    const texts = [...start, pinned(timeoutMs, "catalog")];
    const preamble = [...texts.map((each) => ({ text: each })), verdict ?? { text: `select ${GIVE_BACK}` }];
    return { preamble, text, epilogue: [] };
  }

  async #finish(session: PostgresSession): Promise<void> {
    const texts = this.#afterwards?.(session) ?? [];
    this.#afterwards = null;
    for (const text of texts) await session.run(text);
  }
}
