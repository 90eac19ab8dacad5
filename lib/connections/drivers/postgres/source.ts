import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { FieldDef } from "pg";
import { AppError } from "@/lib/http/errors";
import type { Batch, DataSource, Entity, ExecuteOptions, Field, ResultStream, Statement } from "../../data-source";
import type { NetworkConfig } from "../shared/config";
import { ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { checkText } from "../shared/params";
import { placeOf } from "../shared/place";
import { SessionPool } from "../shared/session-pool";
import { ENTITIES_SQL, toEntities } from "./catalog";
import { decoderOf } from "./decode";
import { toQueryFailure } from "./failures";
import { judgeStatement } from "./grammar";
import { toPostgresParams } from "./params";
import type { Portal } from "./portal";
import { PostgresSession } from "./session";
import { TypeNames } from "./type-names";
import { nameWithModifier } from "./types";

/** A caller does not wait longer than this for the server to confirm a cancellation; it goes on behind. */
const CANCEL_WAIT_MS = 1000;
/** A portion of rows that is on its way when the reader leaves is let in for so long, which saves the session. */
const LEAVE_GRACE_MS = 250;

/** A PostgreSQL database through a pool of sessions; each statement in a session that is as good as new. */
export class PostgresSource implements DataSource {
  readonly #pool: SessionPool<PostgresSession>;
  readonly #types: TypeNames;
  readonly #secrets: readonly string[];

  constructor(config: NetworkConfig) {
    this.#pool = new SessionPool((signal) => PostgresSession.open(config, signal));
    this.#types = new TypeNames(() => PostgresSession.open(config, new AbortController().signal));
    this.#secrets = [config.password];
  }

  async execute({ query, params }: Statement, options: ExecuteOptions): Promise<ResultStream> {
    if (typeof query !== "string") throw new AppError("invalid_request", "The query is SQL text.");
    const text = checkText(query);
    const values = toPostgresParams(params);
    await this.#check(text, options.readOnly);
    const session = await this.#pool.acquire(options.signal);
    const run = new Run(session, (isReusable) => this.#giveBack(session, isReusable), options.signal);
    try {
      const timeoutMs = Math.ceil(options.timeoutMs);
      // Outside of a transaction of ours, so that CREATE DATABASE and VACUUM work where writing is allowed.
      if (!options.readOnly) await session.run(`SET statement_timeout = ${timeoutMs}`);
      const portal = session.start(
        {
          preamble: options.readOnly ? ["BEGIN READ ONLY", `SET LOCAL statement_timeout = ${timeoutMs}`] : [],
          text,
          values,
          cellBytesMax: options.cellBytesMax,
        },
        options.cellBytesMax === undefined ? ROW_BYTES_MAX : options.cellBytesMax * ROW_CELLS_MAX,
      );
      run.begin(portal);
      const described = await portal.fields;
      await this.#types.learn(described.map((field) => field.dataTypeID));
      portal.readWith(described.map((field) => decoderOf(field.dataTypeID, (oid) => this.#types.get(oid))));
      return {
        fields: described.map((field) => this.#toField(field)),
        batches: this.#batches(run, portal, text, options),
      };
    } catch (error) {
      throw this.#ended(run, error, text, options.signal);
    }
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.#withSession(signal, async (session) => toEntities(await session.run(ENTITIES_SQL)));
  }

  async test(signal: AbortSignal): Promise<{ serverVersion?: string }> {
    return this.#withSession(signal, async (session) => {
      await session.run("select 1");
      return session.serverVersion === null ? {} : { serverVersion: `PostgreSQL ${session.serverVersion}` };
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #check(text: string, readOnly: boolean): Promise<void> {
    const verdict = await judgeStatement(text, readOnly);
    if (verdict.status === "ok") return;
    const details = verdict.offset === undefined ? undefined : placeOf(text, verdict.offset);
    if (verdict.status === "refused") throw new AppError(verdict.kind, verdict.message, { details });
    // Where writing is allowed, the server itself decides: it may be newer than the grammar.
    if (readOnly) throw new AppError("query_failed", verdict.message, { details: { sqlState: "42601", ...details } });
  }

  async *#batches(run: Run, portal: Portal, text: string, options: ExecuteOptions): AsyncGenerator<Batch, void> {
    try {
      for (;;) {
        const step = await portal.next();
        if ("done" in step) {
          // What is written counts only when the server has said so.
          if (!options.readOnly) await portal.over;
          return;
        }
        const { rowCount, columns, isCut } = step.batch;
        yield isCut ? { rowCount, columns, isCut } : { rowCount, columns };
        if (isCut) return;
      }
    } catch (error) {
      throw this.#ended(run, error, text, options.signal);
    } finally {
      run.end();
    }
  }

  #ended(run: Run, error: unknown, text: string, signal: AbortSignal): unknown {
    run.end();
    return signal.aborted ? signal.reason : toQueryFailure(error, text, this.#secrets);
  }

  #toField({ name, dataTypeID, dataTypeModifier }: FieldDef): Field {
    const known = this.#types.get(dataTypeID);
    return {
      name,
      type: known?.type ?? "other",
      dbType: nameWithModifier(dataTypeID, known?.name ?? String(dataTypeID), dataTypeModifier),
    };
  }

  async #withSession<T>(signal: AbortSignal, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    const session = await this.#pool.acquire(signal);
    const onAbort = () => session.destroy();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await work(session);
    } catch (error) {
      signal.throwIfAborted();
      throw toQueryFailure(error, "", this.#secrets);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#giveBack(session, true);
    }
  }

  /** The next one gets the session only after it was cleaned; nobody waits for that. */
  #giveBack(session: PostgresSession, isReusable: boolean): void {
    if (!isReusable || !session.isAlive) {
      this.#pool.release(session, false);
      return;
    }
    session.reset().then(
      () => this.#pool.release(session, true),
      () => this.#pool.release(session, false),
    );
  }
}

/** One statement's hold on its session: however it ends, the session is given back once. */
class Run {
  readonly #session: PostgresSession;
  readonly #giveBack: (isReusable: boolean) => void;
  readonly #signal: AbortSignal;
  #portal: Portal | null = null;
  #isOver = false;
  readonly #onAbort = () => void this.#abort();

  constructor(session: PostgresSession, giveBack: (isReusable: boolean) => void, signal: AbortSignal) {
    this.#session = session;
    this.#giveBack = giveBack;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  begin(portal: Portal): void {
    this.#portal = portal;
    if (this.#signal.aborted) void this.#abort();
  }

  /** The reader has left, or there is nothing more to read. */
  end(): void {
    if (!this.#take()) return;
    void this.#leave();
  }

  async #leave(): Promise<void> {
    const portal = this.#portal;
    if (!portal) return this.#giveBack(true);
    const wasWorking = portal.isWorking;
    portal.leave();
    if (!wasWorking) return this.#giveBack(true);
    const over = portal.over.then(
      () => true,
      () => true,
    );
    if (await Promise.race([over, sleep(LEAVE_GRACE_MS, false)])) return this.#giveBack(true);
    await this.#session.cancel();
    this.#giveBack(false);
  }

  async #abort(): Promise<void> {
    if (!this.#take()) return;
    const cancelled = this.#session.cancel();
    await Promise.race([cancelled, sleep(CANCEL_WAIT_MS)]);
    this.#portal?.fail(this.#signal.reason);
    // A cancellation that is still under way could meet whatever the session does next.
    await cancelled;
    this.#giveBack(false);
  }

  #take(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
