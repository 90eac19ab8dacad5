import "server-only";
import type { ClientSession, Db, MongoClient } from "mongodb";

const CANCEL_WAIT_MS = 1000;

/** One operation in a separate session. An abort ends the session's work on the server. */
export class Run {
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #session: ClientSession;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #aborted = Promise.withResolvers<never>();
  #isOver = false;
  readonly #onAbort = () => void this.#abort();

  constructor(client: MongoClient, db: Db, signal: AbortSignal, leave: () => void) {
    this.#client = client;
    this.#db = db;
    this.#session = client.startSession();
    this.#signal = signal;
    this.#leave = leave;
    this.#aborted.promise.catch(() => {});
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get client(): MongoClient {
    return this.#client;
  }

  /** Runs the work until the signal aborts. */
  work<T>(ask: (db: Db, session: ClientSession) => T | Promise<T>): Promise<T> {
    const answer = Promise.resolve(ask(this.#db, this.#session));
    answer.catch(() => {});
    return Promise.race([answer, this.#aborted.promise]);
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    await this.#session.endSession().catch(() => {});
    this.#leave();
  }

  /** Kills the session, which every user may do with their sessions; servers without that command stop at maxTimeMS. */
  async #abort(): Promise<void> {
    const { id } = this.#session;
    if (id) {
      const killed = this.#client.db("admin").command({ killSessions: [{ id: id.id }] }, { timeoutMS: CANCEL_WAIT_MS });
      await killed.catch(() => {});
    }
    this.#aborted.reject(this.#signal.reason);
  }
}
