import "server-only";
import type { FieldDef } from "pg";
import { AppError } from "@/lib/http/errors";
import type { Batch, Entity, Field } from "@/lib/tabular/fields";
import type { DataSource, ExecuteOptions, ResultStream, SourceFacts, Statement } from "../../data-source";
import type { NetworkConfig } from "../shared/config";
import { ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { SessionPool } from "../shared/session-pool";
import { StatementRun, withSession } from "../shared/statement-run";
import { positionOf } from "../shared/text-position";
import { ENTITIES_SQL, toEntities } from "./catalog";
import { type Decode, decoderOf } from "./decode";
import { toQueryFailure } from "./failures";
import { judgeStatement } from "./grammar";
import { toPostgresParams } from "./params";
import type { Portal } from "./portal";
import { REACHES_MACHINE, REACHES_MACHINE_SQL } from "./rights";
import { CLEAN_UP, PostgresSession } from "./session";
import { TypeNames } from "./type-names";
import { nameWithModifier } from "./types";

/** A PostgreSQL database through a pool of sessions; each statement runs in a session that is as good as new. */
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
    const text = sqlText(query);
    const values = toPostgresParams(params);
    const { readOnly, signal, cellBytesMax } = options;
    await check(text, readOnly);
    const run = new StatementRun(await this.#pool.acquire(signal), this.#pool, signal);
    try {
      const limit = `statement_timeout = ${Math.ceil(options.timeoutMs)}`;
      // Outside of a transaction of ours, so that CREATE DATABASE and VACUUM work where writing is allowed.
      if (!readOnly) await run.session.run(`SET ${limit}`);
      const preamble = readOnly ? ["BEGIN READ ONLY", `SET LOCAL ${limit}`] : [];
      const rowBytesMax = cellBytesMax === undefined ? ROW_BYTES_MAX : cellBytesMax * ROW_CELLS_MAX;
      const epilogue = readOnly ? CLEAN_UP : [];
      const decodersOf = (fields: readonly FieldDef[]) => this.#decodersOf(fields);
      const portal = run.begin(
        run.session.start({ preamble, epilogue, text, values, cellBytesMax, decodersOf }, rowBytesMax),
      );
      const described = await portal.fields;
      await this.#types.learn(described.map((field) => field.dataTypeID));
      portal.readWith(described.map((field) => this.#decoderOf(field)));
      return {
        fields: described.map((field) => this.#toField(field)),
        batches: this.#batches(run, portal, text, options),
      };
    } catch (error) {
      throw this.#ended(run, error, text, signal);
    }
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.#ask(signal, async (session) => toEntities(await session.run(ENTITIES_SQL)));
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    return this.#ask(signal, async (session) => {
      await session.run("select 1");
      // Servers that only speak the protocol need not know these roles: then there is nothing to warn of.
      const [row] = await session.run(REACHES_MACHINE_SQL).catch(() => []);
      return {
        ...(session.serverVersion !== null && { serverVersion: `PostgreSQL ${session.serverVersion}` }),
        ...(row?.[0] === true && { warning: REACHES_MACHINE }),
      };
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async *#batches(
    run: StatementRun<PostgresSession>,
    portal: Portal,
    text: string,
    { readOnly, signal }: ExecuteOptions,
  ): AsyncGenerator<Batch, void> {
    try {
      for (;;) {
        const step = await portal.next();
        if ("done" in step) {
          // What is written counts only when the server has said so.
          if (!readOnly) await portal.over;
          return;
        }
        yield step.batch;
        if (step.batch.isCut) return;
      }
    } catch (error) {
      throw this.#ended(run, error, text, signal);
    } finally {
      run.end();
    }
  }

  /** Null when a type has to be looked up first. */
  #decodersOf(fields: readonly FieldDef[]): Decode[] | null {
    const isKnown = fields.every((field) => this.#types.get(field.dataTypeID) !== undefined);
    return isKnown ? fields.map((field) => this.#decoderOf(field)) : null;
  }

  #decoderOf({ dataTypeID }: FieldDef): Decode {
    return decoderOf(dataTypeID, (oid) => this.#types.get(oid));
  }

  #ended(run: StatementRun<PostgresSession>, error: unknown, text: string, signal: AbortSignal): unknown {
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

  async #ask<T>(signal: AbortSignal, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    try {
      return await withSession(this.#pool, signal, work);
    } catch (error) {
      throw signal.aborted ? signal.reason : toQueryFailure(error, "", this.#secrets);
    }
  }
}

/** @throws AppError when the grammar, or our rules about its tree, refuse the statement */
async function check(text: string, readOnly: boolean): Promise<void> {
  const verdict = await judgeStatement(text, readOnly);
  if (verdict.status === "ok") return;
  const place = verdict.offset === undefined ? undefined : positionOf(text, verdict.offset);
  if (verdict.status === "refused") throw new AppError(verdict.kind, verdict.message, { details: place });
  // Where writing is allowed, the server itself decides: it may be newer than the grammar.
  if (readOnly) throw new AppError("query_failed", verdict.message, { details: { sqlState: "42601", ...place } });
}
