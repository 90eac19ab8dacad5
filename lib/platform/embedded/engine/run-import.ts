import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { WIDE_COLUMNS, WIDE_MEMORY_LIMIT } from "../import/limits.ts";
import { type EngineDatabase, LOCKS } from "./database.ts";
import { StatementFailure } from "./failures.ts";
import { interruptOnAbort } from "./interrupt.ts";
import { OWN_SCHEMA } from "./own-schema.ts";
import type { DropTableRequest, ImportDone, ImportRefusal, ImportRequest } from "./wire.ts";

/** Memory of the staged file's reader, beside the database's own. */
const STAGED_MEMORY_LIMIT = "128MB";
/** Data chunks between two writes, of some 2,000 rows each: an abort takes effect in between. */
const CHUNKS_AT_ONCE = 64;
/** Temporary table of the rows to append. */
const APPENDED = "imported_rows";
/** Columns of a table of rejected rows. */
const REJECTED_COLUMNS = [
  ["line", "BIGINT"],
  ["problem", "VARCHAR"],
  ["text", "VARCHAR"],
];
/**
 * Table of the imports that were committed. A server may end before it notes the commit, and its client then asks
 * again.
 */
const COMMITTED = `${OWN_SCHEMA}.imports`;
const COMMITTED_COLUMNS = [
  ["id", "VARCHAR"],
  ["rows", "BIGINT"],
  ["note", "VARCHAR"],
  ["committed_at", "BIGINT"],
];
/** Time that a committed import is recorded, in ms. Uploads are deleted after a day, so no one asks again then. */
const RECORDED_MS = 2 * 24 * 60 * 60_000;

/**
 * Copies staged rows into a table, all or none and once: an import that was committed earlier returns its result. The
 * staged file is opened as a separate database, so that this one keeps its locks.
 * @throws StatementFailure `query_failed` with a refusal: the table exists, is missing, or has other columns
 */
export async function runImport(
  database: EngineDatabase,
  request: ImportRequest,
  signal: AbortSignal,
): Promise<ImportDone> {
  const target = await database.connect();
  const stop = interruptOnAbort(target, signal);
  try {
    await target.run("BEGIN TRANSACTION");
    const earlier = await findCommitted(target, request);
    if (earlier !== null) return earlier;
    await checkRejected(target, request);
    const done = await copyStaged(target, request, signal);
    await recordCommitted(target, request, done);
    signal.throwIfAborted();
    await target.run("COMMIT");
    return done;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stop();
    // Closing also ends an open transaction.
    target.closeSync();
  }
}

async function copyStaged(target: DuckDBConnection, request: ImportRequest, signal: AbortSignal): Promise<ImportDone> {
  const isWide = request.columns.length > WIDE_COLUMNS;
  const staged = await DuckDBInstance.create(`./${request.staged}`, {
    ...LOCKS,
    memory_limit: isWide ? WIDE_MEMORY_LIMIT : STAGED_MEMORY_LIMIT,
    ...(isWide && { threads: "1" }),
    access_mode: "READ_ONLY",
  });
  const source = await staged.connect();
  const stop = interruptOnAbort(source, signal);
  try {
    await source.run("SET TimeZone = 'UTC'");
    const rows = await fillTable(source, target, request, signal);
    await fillRejected(source, target, request, signal);
    return { rows, note: request.note };
  } finally {
    stop();
    source.closeSync();
    staged.closeSync();
  }
}

/** Returns the result of this import if it was committed before; otherwise null. */
async function findCommitted(target: DuckDBConnection, { id }: ImportRequest): Promise<ImportDone | null> {
  await createCommitted(target);
  const found = await target.runAndReadAll(`SELECT "rows", note FROM ${COMMITTED} WHERE id = $id`, { id });
  const [row] = found.getRows();
  return row ? { rows: Number(row[0]), note: String(row[1]) } : null;
}

/**
 * Creates the table of committed imports, also in place of another object or of a table that would refuse records: a
 * file may have been uploaded with one. Statements can't name the schema (`checkText`).
 */
async function createCommitted(target: DuckDBConnection): Promise<void> {
  const found = await target.runAndReadAll(
    `SELECT column_name, data_type FROM duckdb_columns() c JOIN duckdb_tables() t USING (database_name, schema_name, table_name)
     WHERE database_name = current_database() AND schema_name = '${OWN_SCHEMA}' AND table_name = 'imports'
       AND c.is_nullable AND c.column_default IS NULL
       AND t.index_count = 0 AND t.check_constraint_count = 0 AND NOT t.has_primary_key
     ORDER BY column_index`,
  );
  if (JSON.stringify(found.getRows()) === JSON.stringify(COMMITTED_COLUMNS)) return;
  await target.run(`DROP SCHEMA IF EXISTS ${OWN_SCHEMA} CASCADE`);
  await target.run(`CREATE SCHEMA ${OWN_SCHEMA}`);
  const columns = COMMITTED_COLUMNS.map(([name, type]) => `"${name}" ${type}`).join(", ");
  await target.run(`CREATE TABLE ${COMMITTED} (${columns})`);
}

/** Records an import in its own transaction, and deletes old records. */
async function recordCommitted(target: DuckDBConnection, { id }: ImportRequest, done: ImportDone): Promise<void> {
  const now = BigInt(Date.now());
  await target.run(`DELETE FROM ${COMMITTED} WHERE committed_at < $before`, { before: now - BigInt(RECORDED_MS) });
  await target.run(`INSERT INTO ${COMMITTED} VALUES ($id, $rows, $note, $now)`, {
    id,
    rows: BigInt(done.rows),
    note: done.note,
    now,
  });
}

/** Deletes a table. @throws StatementFailure `query_failed` with the refusal `missing` */
export async function dropTable(database: EngineDatabase, table: DropTableRequest["table"]): Promise<void> {
  const connection = await database.connect();
  try {
    if ((await columnsOf(connection, table)).size === 0) throw refused("missing", `Table ${table} not found.`);
    await connection.run(`DROP TABLE main.${quote(table)}`);
    // Its blocks are free from the next checkpoint on, which waits for the end of other statements.
    await connection.run("CHECKPOINT").catch(() => {});
  } finally {
    connection.closeSync();
  }
}

/** Returns the bytes of blocks that the next tables use again. */
export async function freeBytesOf(database: EngineDatabase): Promise<number> {
  const connection = await database.connect();
  try {
    const found = await connection.runAndReadAll(
      "SELECT (block_size * free_blocks)::DOUBLE FROM pragma_database_size() WHERE database_name = current_database()",
    );
    return Number(found.getRows()[0]?.[0] ?? 0);
  } finally {
    connection.closeSync();
  }
}

async function fillTable(
  source: DuckDBConnection,
  target: DuckDBConnection,
  { table, mode, columns, rows }: ImportRequest,
  signal: AbortSignal,
): Promise<number> {
  const found = await columnsOf(target, table);
  if (mode === "create" && found.size > 0) throw refused("exists", `Table ${table} already exists.`);
  const definition = `(${columns.map(({ name, dbType }) => `${quote(name)} ${dbType}`).join(", ")})`;
  if (mode !== "append") {
    await target.run(`DROP TABLE IF EXISTS main.${quote(table)}`);
    await target.run(`CREATE TABLE main.${quote(table)} ${definition}`);
    return copyRows(source, target, rows, { table, catalog: null }, signal);
  }
  if (found.size === 0) throw refused("missing", `Table ${table} not found. Create it instead.`);
  for (const { name, dbType } of columns) refuseOther(name, dbType, found.get(name.toLowerCase()));
  await target.run(`CREATE TEMP TABLE ${APPENDED} ${definition}`);
  const count = await copyRows(source, target, rows, { table: APPENDED, catalog: "temp" }, signal);
  const names = columns.map(({ name }) => quote(name)).join(", ");
  await target.run(`INSERT INTO main.${quote(table)} (${names}) SELECT ${names} FROM temp.${APPENDED}`);
  await target.run(`DROP TABLE temp.${APPENDED}`);
  return count;
}

/** Keeps tables of people that have the name of the rejected rows. */
async function checkRejected(target: DuckDBConnection, { rejected, mode }: ImportRequest): Promise<void> {
  if (rejected === null) return;
  const found = await columnsOf(target, rejected.table);
  if (found.size === 0) return;
  if (mode === "create") throw refused("exists", `Table ${rejected.table} already exists.`);
  const isOurs = JSON.stringify([...found]) === JSON.stringify(REJECTED_COLUMNS);
  if (!isOurs) throw refused("exists", `Table ${rejected.table} has no rejected rows and is kept.`);
}

async function fillRejected(
  source: DuckDBConnection,
  target: DuckDBConnection,
  { rejected, mode }: ImportRequest,
  signal: AbortSignal,
): Promise<void> {
  if (rejected === null) return;
  const name = `main.${quote(rejected.table)}`;
  if (mode !== "append") await target.run(`DROP TABLE IF EXISTS ${name}`);
  const columns = REJECTED_COLUMNS.map((column) => column.join(" ")).join(", ");
  await target.run(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
  await copyRows(source, target, rejected.rows, { table: rejected.table, catalog: null }, signal);
}

/** Copies a result chunk by chunk, without reading its values. @returns the number of rows */
async function copyRows(
  source: DuckDBConnection,
  target: DuckDBConnection,
  select: string,
  { table, catalog }: { table: string; catalog: string | null },
  signal: AbortSignal,
): Promise<number> {
  const result = await source.stream(select);
  const appender = await target.createAppender(table, catalog === null ? "main" : null, catalog);
  let rows = 0;
  for (let chunks = 1; ; chunks += 1) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    appender.appendDataChunk(chunk);
    rows += chunk.rowCount;
    if (chunks % CHUNKS_AT_ONCE === 0) {
      signal.throwIfAborted();
      appender.flushSync();
    }
  }
  signal.throwIfAborted();
  appender.closeSync();
  return rows;
}

/** Returns types of a table's columns by name in lower case; none for a missing table. */
async function columnsOf(connection: DuckDBConnection, table: string): Promise<Map<string, string>> {
  const found = await connection.runAndReadAll(
    `SELECT lower(column_name), data_type FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'main' AND lower(table_name) = lower($table)
     ORDER BY column_index`,
    { table },
  );
  return new Map(found.getRows().map(([name, type]) => [String(name), String(type)]));
}

/** Types that hold every value of another type. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  BIGINT: ["HUGEINT", "DECIMAL(38,0)"],
  DATE: ["TIMESTAMP"],
};

/** Refuses a column whose values the table would change. */
function refuseOther(name: string, dbType: string, inTable: string | undefined): void {
  if (inTable === undefined) throw refused("columns", `Column ${name} is not in the table. Create a new table.`);
  if (inTable === dbType || inTable === "VARCHAR" || WIDER[dbType]?.includes(inTable)) return;
  const [one, other] = [dbType, inTable].map((type) => /^DECIMAL\((\d+),(\d+)\)$/.exec(type)?.slice(1).map(Number));
  const fits =
    one &&
    other &&
    (other[1] ?? 0) >= (one[1] ?? 0) &&
    (other[0] ?? 0) - (other[1] ?? 0) >= (one[0] ?? 0) - (one[1] ?? 0);
  if (fits) return;
  throw refused("columns", `Column ${name} is ${dbType} in the file and ${inTable} in the table. Change its type.`);
}

function refused(refusal: ImportRefusal, message: string): StatementFailure {
  return new StatementFailure("query_failed", message, { refusal });
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
