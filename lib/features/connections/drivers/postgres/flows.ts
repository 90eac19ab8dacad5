import "server-only";
import { DatabaseError } from "pg";
import type { ExtractRequest, ExtractStream, Load, LoadRequest, QueryableSource } from "../../data-source";
import type { NameLimit } from "../../name-limit";
import { columnTypeOf } from "../shared/flows/column-types";
import { RowRefused } from "../shared/flows/rows";
import { extractBySql, extractOptions } from "../shared/flows/sql-extract";
import { beginSqlLoad, type LoadDialect, LoadTaken, type Step } from "../shared/flows/sql-load";
import { namesOf, onConflict, quote } from "../shared/flows/upsert";
import type { SessionPool } from "../shared/session-pool";
import { withCancellation } from "../shared/statement-run";
import { copyBytes } from "./copy-bytes";
import { ownText } from "./encode";
import { toQueryFailure } from "./failures";
import type { PostgresSession } from "./session";
import { limited } from "./session-settings";
import { DESCRIBE_SQL, POSTGRES_TYPES, toShape, typesIn } from "./tables";
import type { TypeNames } from "./type-names";

/** The server's time limit for one statement of a load, in ms: a day exceeds any run, which ends it by its signal. */
export const STATEMENT_TIMEOUT_MS = 24 * 3_600_000;
/** PostgreSQL's name limit (NAMEDATALEN). It silently cuts longer names. */
export const POSTGRES_NAME_LIMIT: NameLimit = { max: 63, unit: "bytes" };
const BATCH_TABLE = `pg_temp."_millrace_batch"`;
/** SQLSTATE of `on conflict do update` that meets a row which it has written itself. */
const CARDINALITY_VIOLATION = "21000";
/** SQLSTATE of a transaction that waited for another one which waited for it: batches lock rows in their own order. */
const DEADLOCK = "40P01";
/** A deadlock with a writer of the same keys takes a few tries. */
const DEADLOCK_TRIES = 20;

export type PostgresFlowParts = {
  pool: SessionPool<PostgresSession>;
  types: TypeNames;
  secrets: readonly string[];
  /** Runs driver work in a session. */
  ask<T>(signal: AbortSignal, work: (session: PostgresSession) => Promise<T>): Promise<T>;
  /** The server's time limit for one statement of a load, in ms. */
  statementTimeoutMs: number;
  query: QueryableSource["query"];
};

export function extractPostgres(parts: PostgresFlowParts, request: ExtractRequest): Promise<ExtractStream> {
  return extractBySql(
    {
      dialect: {
        quote,
        nullsFirst: " nulls first",
        cursorOrder: ({ type }, expression) => (type === "string" ? `(${expression})::text collate "C"` : expression),
        bind: (value, column, place) => ({
          // Cast to the column's type before it is compared as text: a char(4) then has no trailing blanks.
          sql: column.type === "string" ? `$${place}::${column.dbType}` : `$${place}`,
          param: ownText(value, column),
        }),
      },
      describe: async (entity, signal) => (await look(parts, entity, signal)).shape,
      query: (sql, params) =>
        parts.query({ query: sql, params }, { ...extractOptions(request.signal), asBytes: request.asBytes === true }),
    },
    request,
  );
}

export function loadPostgres(parts: PostgresFlowParts, request: LoadRequest, readOnly: boolean): Promise<Load> {
  return beginSqlLoad(
    {
      dialect,
      readOnly,
      describe: (table, signal) => look(parts, table, signal),
      read: (sql, params, signal) => parts.ask(signal, (session) => session.run(sql, params)),
      transact: (steps, signal, { isProbe = false } = {}) => transact(parts, steps, signal, isProbe),
    },
    request,
  );
}

const dialect: LoadDialect = {
  quote,
  placeholder: (place) => `$${place}`,
  foldsCase: false,
  nameLimit: POSTGRES_NAME_LIMIT,
  createSchema: (schema) => `create schema if not exists ${quote(schema)}`,
  columnType: (field) => columnTypeOf(POSTGRES_TYPES, field),
  bookkeeping: { key: "text", text: "text", integer: "bigint", suffix: "" },
  alterType: (table, column, type) => `alter table ${table} alter column ${column} type ${type}`,
  ddlCommits: false,
  // A DELETE sees a snapshot: without this lock it would miss rows that another transaction commits while it waits.
  lockRows: (table) => `lock table ${table} in share row exclusive mode`,
  write({ table, columns, key }, rows) {
    if (key.length === 0) return [{ rows, into: { table, columns } }];
    const [names, keys] = [namesOf(columns), key.join(", ")];
    const insert = (rowsOf: string) =>
      `insert into ${table} (${names}) overriding system value ${rowsOf} ${onConflict(columns, key)}`;
    const lasts = insert(`select distinct on (${keys}) ${names} from ${BATCH_TABLE} order by ${keys}, ctid desc`);
    const isUpdate = columns.length > key.length;
    return [
      { run: `create temporary table "_millrace_batch" on commit drop as select ${names} from ${table} where false` },
      { rows, into: { table: BATCH_TABLE, columns } },
      // The last of several rows with one key counts; the database decides which keys are equal. Few batches have such
      // rows, and sorting for them takes a seventh of the time. `do nothing` would not report them.
      isUpdate ? { run: insert(`select ${names} from ${BATCH_TABLE}`), onRepeatedKey: lasts } : { run: lasts },
    ];
  },
  merge: ({ table, columns, key }, staging) => {
    const names = namesOf(columns);
    const conflict = onConflict(columns, key);
    return [`insert into ${table} (${names}) overriding system value select ${names} from ${staging} ${conflict}`];
  },
};

async function look(
  parts: PostgresFlowParts,
  { schema = null, name }: { schema?: string | null; name: string },
  signal: AbortSignal,
) {
  const [row] = await parts.ask(signal, (session) => session.read(DESCRIBE_SQL, [schema, name]));
  await parts.types.learn(typesIn(row), signal);
  return toShape(row, name, (oid) => parts.types.get(oid));
}

/**
 * Runs steps in a transaction and retries it after a deadlock. The server rolls one of the two writers back, while the
 * other succeeds.
 */
async function transact(
  { pool, secrets, statementTimeoutMs }: PostgresFlowParts,
  steps: readonly Step[],
  signal: AbortSignal,
  isProbe: boolean,
): Promise<void> {
  const limits = { isProbe, signal, statementTimeoutMs };
  for (let tries = 1; ; tries += 1) {
    try {
      return await withCancellation(pool, signal, (session) => inTransaction(session, steps, limits));
    } catch (error) {
      if (signal.aborted || error instanceof RowRefused || error instanceof LoadTaken) throw error;
      if (tries < DEADLOCK_TRIES && error instanceof DatabaseError && error.code === DEADLOCK) continue;
      throw isAboutRows(error) ? toRefusal(error, secrets) : toQueryFailure(error, "", secrets);
    }
  }
}

async function inTransaction(
  session: PostgresSession,
  steps: readonly Step[],
  { isProbe, signal, statementTimeoutMs }: { isProbe: boolean; signal: AbortSignal; statementTimeoutMs: number },
): Promise<void> {
  await session.run(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${limited(statementTimeoutMs, true)}`);
  for (const step of steps) {
    signal.throwIfAborted();
    if ("run" in step && step.onRepeatedKey !== undefined) {
      await runOrElse(session, step.run, step.onRepeatedKey);
    } else if ("run" in step) {
      const count = await session.count(step.run, step.params);
      if (step.mustAffect !== undefined && count !== step.mustAffect) throw new LoadTaken();
    } else {
      const names = namesOf(step.into.columns);
      const chunks = copyBytes(step.rows, step.into.columns);
      await session.copyIn(`COPY ${step.into.table} (${names}) FROM STDIN`, chunks);
    }
  }
  // A cancellation between two statements stops nothing on the server.
  signal.throwIfAborted();
  await session.run(isProbe ? "ROLLBACK" : "COMMIT");
}

/** Runs a statement, and another one instead if the first would change a row twice. */
async function runOrElse(session: PostgresSession, statement: string, other: string): Promise<void> {
  try {
    await session.run(`SAVEPOINT _millrace_merge; ${statement}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== CARDINALITY_VIOLATION) throw error;
    await session.run(`ROLLBACK TO SAVEPOINT _millrace_merge; ${other}`);
  }
}

/**
 * Returns whether an error is about values that are invalid for their column, or table rules that a row breaks.
 * Includes errors that a trigger raises.
 */
function isAboutRows(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^(?:22|23|P0001$)/.test(error.code ?? "");
}

function toRefusal(error: DatabaseError, secrets: readonly string[]): RowRefused {
  const [, line, named] = /^COPY .*?, line (\d+)(?:, column (.+?):)?/m.exec(error.where ?? "") ?? [];
  const column = error.column ?? named ?? null;
  const { message } = toQueryFailure(error, "", secrets);
  const detail = error.detail === undefined ? "" : ` ${error.detail}`;
  return new RowRefused(`${message}${detail}`, {
    row: line === undefined ? null : Number(line) - 1,
    column,
    cause: error,
  });
}
