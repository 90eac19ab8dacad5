import "server-only";
import { toSqlPath } from "@/lib/base/sql/names";
import type { Batch, Entity, Field } from "@/lib/base/values/fields";
import { Pacer } from "@/lib/platform/process/pacer";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  Load,
  LoadRequest,
  ManualSession,
  QueryOptions,
  ResultStream,
  SessionOptions,
  SourceFacts,
  Statement,
} from "../../data-source";
import type { NetworkConfig } from "../shared/config";
import { toScript } from "../shared/ddl";
import { redactDefinition } from "../shared/definition-secrets";
import { EXTRACT_TIMEOUT_MS } from "../shared/flows/sql-extract";
import { ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { PooledSource } from "../shared/pooled-source";
import { type OnServer, withinLimit } from "../shared/server";
import { StatementRun } from "../shared/statement-run";
import { checkStatementText } from "../shared/statements/check";
import { parseLargeCells } from "../shared/wire-values";
import { columnsSql, foreignKeysSql, jsonColumnsSql, SCHEMAS_SQL, tablesSql, toEntities } from "./catalog";
import { toQueryFailure } from "./failures";
import { extractMysql, loadMysql, type MysqlFlowParts } from "./flows";
import { MysqlManualSession } from "./manual-session";
import { toMysqlParams } from "./params";
import { type Ask, checkReach } from "./reachable-objects";
import { warnOfRights } from "./rights";
import type { RowReader } from "./row-reader";
import { refuseShownOptions } from "./secrets";
import { MysqlSession } from "./session";
import type { CheckedStatement } from "./statement-guard";

/** A statement with a reply that is being read. */
type Reply = {
  run: StatementRun<MysqlSession>;
  reader: RowReader;
  text: string;
  isChange: boolean;
  mayHaveSeveral: boolean;
  signal: AbortSignal;
};

/** Statements with at most one result, by their first word. */
const ONE_RESULT = new Set([
  ...["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "ANALYZE", "CREATE", "ALTER", "DROP"],
  ...["INSERT", "UPDATE", "DELETE", "REPLACE", "TRUNCATE", "SET"],
]);

/** Facts of a statement by the driver, which needs no check. */
const NO_NAMES = { references: { calls: [], tables: [] }, shows: null, firstWord: "SET", changeVerb: null };

/** Statements that read columns of tables. */
const QUERIES = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);

/** @param firstWord "(" where the statement starts with it */
const isQuery = (firstWord: string) => QUERIES.has(firstWord) || firstWord === "(";
const mayHaveSeveral = (firstWord: string) => !ONE_RESULT.has(firstWord) && firstWord !== "(";

function affectedRowsOf({ reader, isChange, mayHaveSeveral }: Reply): number | null {
  // No count follows the rows of a RETURNING: each of them is a changed row.
  if (isChange) return reader.okAffectedRows ?? reader.rowCount;
  return mayHaveSeveral ? reader.okAffectedRows : null;
}

/**
 * Checks a statement on a read-only connection. @throws AppError `not_allowed`, `read_only` if it does more than read
 */
async function checkReading(ask: Ask, { text, references, shows }: CheckedStatement): Promise<void> {
  const readsOptions = await checkReach(ask, references);
  const shown = readsOptions ? "tables" : shows;
  if (shown !== null) await refuseShownOptions(ask, shown, text);
}

const redactCell = (cell: unknown) => (typeof cell === "string" ? redactDefinition(cell, "backslash") : cell);

/** Yields only the first result. The statement runs to its end, and fails with errors of its later parts. */
async function* readingPast({ batches, nextResult }: ResultStream): AsyncGenerator<Batch, void> {
  yield* batches;
  for (let next = await nextResult?.(); next; next = await next.nextResult?.()) {
    for await (const _ of next.batches);
  }
}

/** A MySQL or MariaDB database. */
export class MysqlSource extends PooledSource<MysqlSession> implements DataSource {
  readonly #readOnly: boolean;

  /** @param readOnly nothing is loaded into it; each query states what it may do */
  constructor(config: OnServer<NetworkConfig>, readOnly: boolean) {
    super(config, {
      open: (signal) => MysqlSession.open(config, signal),
      read: (session, sql) => session.run(sql),
      toFailure: toQueryFailure,
      schemasSql: SCHEMAS_SQL,
      defaultSchemaSql: "select database()",
    });
    this.#readOnly = readOnly;
  }

  query(statement: Statement, options: QueryOptions): Promise<ResultStream> {
    return this.#query(statement, options, null);
  }

  async openSession({ signal, ...options }: SessionOptions): Promise<ManualSession> {
    const session = await this.openOwn(signal);
    try {
      return await MysqlManualSession.open(session, options, (...args) => this.#query(...args));
    } catch (error) {
      session.destroy();
      throw toQueryFailure(error, "", this.secrets);
    }
  }

  /** @param manual the session to run in; null for one of the pool */
  async #query(
    { query, params, orderBytes }: Statement,
    options: QueryOptions,
    manual: MysqlManualSession | null,
  ): Promise<ResultStream> {
    const written = sqlText(query);
    const values = toMysqlParams(params);
    const { readOnly, signal, cellBytesMax } = options;
    const step = manual?.stepOf(written) ?? null;
    const { text, references, shows, firstWord, changeVerb } = step
      ? { ...NO_NAMES, text: step.text }
      : await checkStatementText(
          "mysql",
          { query: written, readOnly, valueCount: values.length, isInSession: manual !== null && !readOnly },
          this.server.workspaceId,
        );
    const { run, startsReading } = manual
      ? await manual.begin(step?.step ?? null, signal)
      : { run: new StatementRun(await this.pool.acquire(signal), this.pool, signal), startsReading: readOnly };
    try {
      await run.session.prepare(startsReading, Math.ceil(withinLimit(this.server, options.timeoutMs)), orderBytes);
      if (readOnly && step === null)
        await checkReading((lookup) => run.session.run(lookup), { text, references, shows });
      const rowBytesMax = cellBytesMax === undefined ? ROW_BYTES_MAX : cellBytesMax * ROW_CELLS_MAX;
      signal.throwIfAborted();
      const isPrepared = values.length > 0 || (isQuery(firstWord) && (await run.session.hasFloat(text)));
      signal.throwIfAborted();
      const isChange = changeVerb !== null;
      const hasSeveral = mayHaveSeveral(firstWord);
      const reader = run.begin(
        run.session.start(text, values, {
          cellBytesMax,
          rowBytesMax,
          isPrepared,
          jsonAsText: options.jsonAsText === true,
          readsToEnd: isChange || hasSeveral,
        }),
      );
      const reply = { run, reader, text, isChange, mayHaveSeveral: hasSeveral, signal };
      const result = this.#resultOf(await reader.columns, reply);
      return options.allResults || !result.nextResult ? result : { ...result, batches: readingPast(result) };
    } catch (error) {
      throw this.ended(run, error, text, signal);
    }
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    return extractMysql(this.#flowParts, request);
  }

  load(request: LoadRequest): Promise<Load> {
    return loadMysql(this.#flowParts, request, this.#readOnly);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.ask(signal, async (session) => {
      const shown = this.server.schemas ?? [];
      const tables = await session.run(tablesSql(shown.length), shown);
      const columns = await session.run(columnsSql(shown.length), shown);
      const keys = await session.run(foreignKeysSql(shown.length), shown);
      const jsonColumns = session.isMariaDb ? await session.run(jsonColumnsSql(shown.length), shown) : [];
      return toEntities(tables, columns, keys, jsonColumns);
    });
  }

  async ddl({ schema, name }: Entity, signal: AbortSignal): Promise<string> {
    const [row] = await this.ask(signal, (session) =>
      session.run(`SHOW CREATE TABLE ${toSqlPath([schema, name], "mysql")}`),
    );
    return toScript([redactCell(row?.[1])], name);
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    return this.ask(signal, async (session) => {
      await session.run("SELECT 1");
      const warning = await warnOfRights((query) => session.run(query)).catch(() => null);
      return {
        serverVersion: session.isMariaDb ? session.serverVersion : `MySQL ${session.serverVersion}`,
        ...(warning !== null && { warning }),
      };
    });
  }

  get #flowParts(): MysqlFlowParts {
    return {
      pool: this.pool,
      secrets: this.secrets,
      statementTimeoutMs: withinLimit(this.server, EXTRACT_TIMEOUT_MS),
      query: (statement, options) => this.query(statement, options),
    };
  }

  #resultOf(columns: readonly Field[], facts: Reply): ResultStream {
    let following: readonly Field[] | null = null;
    const onWhole = (next: readonly Field[] | null) => {
      following = next;
    };
    return {
      fields: columns.map(({ name, type, dbType }) => ({ name, type, dbType })),
      batches: this.#batches(facts, onWhole),
      affectedRows: () => affectedRowsOf(facts),
      ...(facts.mayHaveSeveral && {
        nextResult: async () => {
          const next = following;
          following = null;
          return next && this.#resultOf(next, facts);
        },
      }),
    };
  }

  /** @param onWhole called after the last row with the next result; until that is read too, the statement continues */
  async *#batches(
    { run, reader, text, isChange, mayHaveSeveral, signal }: Reply,
    onWhole: (next: readonly Field[] | null) => void,
  ): AsyncGenerator<Batch, void> {
    let isOver = true;
    const pacer = new Pacer();
    try {
      for (;;) {
        const step = await reader.next();
        if ("done" in step) {
          const next = await reader.nextResult();
          isOver = next === null;
          onWhole(next);
          return;
        }
        await parseLargeCells(step.batch.columns, () => pacer.restIfLate());
        yield step.batch;
        // Stopping here would roll back a writing statement, and skip the rest of a procedure.
        if (step.batch.isCut && !isChange && !mayHaveSeveral) return;
      }
    } catch (error) {
      throw this.ended(run, error, text, signal);
    } finally {
      if (isOver) run.end();
    }
  }
}
