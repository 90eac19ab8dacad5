import "server-only";
import { randomUUID } from "node:crypto";
import { toSqlPath } from "@/lib/sql/names";
import type { Batch, Entity } from "@/lib/tabular/fields";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  Load,
  LoadRequest,
  QueryOptions,
  ResultStream,
  SourceFacts,
  Statement,
} from "../../data-source";
import type { SchemaChoice } from "../../schema";
import type { NetworkConfig } from "../shared/config";
import { toScript } from "../shared/ddl";
import { EXTRACT_TIMEOUT_MS } from "../shared/flows/sql-extract";
import { ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { toSchemaChoice } from "../shared/schema-choices";
import { type OnServer, type ServerSide, withinLimit } from "../shared/server";
import { SessionPool } from "../shared/session-pool";
import { StatementRun, withSession } from "../shared/statement-run";
import { checkStatementText } from "../shared/statements/check";
import { columnsSql, foreignKeysSql, jsonColumnsSql, SCHEMAS_SQL, tablesSql, toEntities } from "./catalog";
import { toQueryFailure } from "./failures";
import { extractMysql, loadMysql, type MysqlFlowParts } from "./flows";
import { toMysqlParams } from "./params";
import { checkReach } from "./reach";
import { warnOfRights } from "./rights";
import type { RowReader } from "./row-reader";
import { MysqlSession } from "./session";

/** A MySQL or MariaDB database through a pool of sessions; each statement runs in one that is as good as new. */
export class MysqlSource implements DataSource {
  readonly #pool: SessionPool<MysqlSession>;
  readonly #secrets: readonly string[];
  readonly #tenant = randomUUID();

  readonly #readOnly: boolean;
  readonly #server: ServerSide;

  /** @param readOnly nothing is loaded into it; what a query may do is said with each */
  constructor(config: OnServer<NetworkConfig>, readOnly: boolean) {
    this.#readOnly = readOnly;
    this.#pool = new SessionPool((signal) => MysqlSession.open(config, signal));
    this.#secrets = [config.password];
    this.#server = config.server;
  }

  async query({ query, params }: Statement, options: QueryOptions): Promise<ResultStream> {
    const written = sqlText(query);
    const values = toMysqlParams(params);
    const { readOnly, signal, cellBytesMax } = options;
    const { text, references } = await checkStatementText(
      "mysql",
      { query: written, readOnly, valueCount: values.length },
      this.#tenant,
    );
    const run = new StatementRun(await this.#pool.acquire(signal), this.#pool, signal);
    try {
      await run.session.prepare(readOnly, Math.ceil(withinLimit(this.#server, options.timeoutMs)));
      if (readOnly) await checkReach((lookup) => run.session.run(lookup), references);
      const rowBytesMax = cellBytesMax === undefined ? ROW_BYTES_MAX : cellBytesMax * ROW_CELLS_MAX;
      signal.throwIfAborted();
      const reader = run.begin(
        run.session.start(text, values, { cellBytesMax, rowBytesMax, jsonAsText: options.jsonAsText === true }),
      );
      const columns = await reader.columns;
      return {
        fields: columns.map(({ name, type, dbType }) => ({ name, type, dbType })),
        batches: this.#batches(run, reader, text, signal),
      };
    } catch (error) {
      throw this.#ended(run, error, text, signal);
    }
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    return extractMysql(this.#flowParts, request);
  }

  load(request: LoadRequest): Promise<Load> {
    return loadMysql(this.#flowParts, request, this.#readOnly);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.#ask(signal, async (session) => {
      const shown = this.#server.schemas ?? [];
      const tables = await session.run(tablesSql(shown.length), shown);
      const columns = await session.run(columnsSql(shown.length), shown);
      const keys = await session.run(foreignKeysSql(shown.length), shown);
      const jsonColumns = session.isMariaDb ? await session.run(jsonColumnsSql(shown.length), shown) : [];
      return toEntities(tables, columns, keys, jsonColumns);
    });
  }

  async schemas(signal: AbortSignal): Promise<SchemaChoice[]> {
    const rows = await this.#ask(signal, (session) => session.run(SCHEMAS_SQL));
    return rows.map(toSchemaChoice);
  }

  async defaultSchema(signal: AbortSignal): Promise<string | null> {
    const [row] = await this.#ask(signal, (session) => session.run("select database()"));
    return typeof row?.[0] === "string" ? row[0] : null;
  }

  async ddl({ schema, name }: Entity, signal: AbortSignal): Promise<string> {
    const [row] = await this.#ask(signal, (session) =>
      session.run(`SHOW CREATE TABLE ${toSqlPath([schema, name], "mysql")}`),
    );
    return toScript([row?.[1]], name);
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    return this.#ask(signal, async (session) => {
      await session.run("SELECT 1");
      const warning = await warnOfRights((query) => session.run(query)).catch(() => null);
      return {
        serverVersion: session.isMariaDb ? session.serverVersion : `MySQL ${session.serverVersion}`,
        ...(warning !== null && { warning }),
      };
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  get #flowParts(): MysqlFlowParts {
    return {
      pool: this.#pool,
      secrets: this.#secrets,
      statementTimeoutMs: withinLimit(this.#server, EXTRACT_TIMEOUT_MS),
      query: (statement, options) => this.query(statement, options),
    };
  }

  async *#batches(
    run: StatementRun<MysqlSession>,
    reader: RowReader,
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<Batch, void> {
    try {
      for (;;) {
        const step = await reader.next();
        if ("done" in step) return;
        yield step.batch;
        if (step.batch.isCut) return;
      }
    } catch (error) {
      throw this.#ended(run, error, text, signal);
    } finally {
      run.end();
    }
  }

  #ended(run: StatementRun<MysqlSession>, error: unknown, text: string, signal: AbortSignal): unknown {
    run.end();
    return signal.aborted ? signal.reason : toQueryFailure(error, text, this.#secrets);
  }

  async #ask<T>(signal: AbortSignal, work: (session: MysqlSession) => Promise<T>): Promise<T> {
    try {
      return await withSession(this.#pool, signal, work);
    } catch (error) {
      throw signal.aborted ? signal.reason : toQueryFailure(error, "", this.#secrets);
    }
  }
}
