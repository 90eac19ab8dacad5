import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBVector,
  ResultReturnType,
  StatementType,
} from "@duckdb/node-api";
import type { SqlToken } from "../../../base/sql/lexer.ts";
import { transactionStepOf } from "../../../base/sql/statement-kind.ts";
import { COLUMN_NAMES_CHARS_MAX, columnLimitProblem, RESULT_COLUMNS_MAX } from "../../../base/values/column-limits.ts";
import type { Batch, Field } from "../../../base/values/fields.ts";
import type { EngineDatabase } from "./database.ts";
import { StatementFailure, toFailure } from "./failures.ts";
import { fieldTypeOf } from "./field-types.ts";
import {
  checkNames,
  checkPlan,
  checkText,
  checkTree,
  checkType,
  definesCode,
  explainedText,
  namesIn,
} from "./guard.ts";
import { interruptOnAbort } from "./interrupt.ts";
import { BATCH_BYTES_TARGET, CELL_BYTES_MAX, FAILURE_RERUN_MS } from "./limits.ts";
import { bindParams } from "./params.ts";
import { cellBytes, columnBytes, encodeColumn } from "./values.ts";
import type { EngineSessionState, ExecuteRequest } from "./wire.ts";

/** Statements that change rows. */
const CHANGES = new Set([StatementType.INSERT, StatementType.UPDATE, StatementType.DELETE, StatementType.MERGE_INTO]);

const BEGIN_READING = "BEGIN TRANSACTION READ ONLY";

/** Counts user-defined views and macros. */
const USER_CODE = `
  select lower(view_name) from duckdb_views() where not internal
  union all select lower(function_name) from duckdb_functions()
  where not internal and function_type in ('macro', 'table_macro')`;

/** `affectedRows` is null for a statement that changes no rows. */
export type StatementEnd = { isCut: boolean; affectedRows: number | null };

/** Receiver of a result. Each call resolves when there is room for the next one. */
export type ResultSink = {
  /** Aborts when the reader has enough rows; the session stays open. */
  enough?: AbortSignal;
  fields(fields: Field[]): Promise<void>;
  batch(batch: Batch): Promise<void>;
};

/**
 * Runs one statement in a separate session and streams its result.
 * @param signal its reason, a StatementFailure, is thrown once DuckDB has stopped working
 * @returns whether the result was cut before a row with a cell over `cellBytesMax`
 * @throws StatementFailure, or DuckDB's own error (`toFailure` reads it)
 */
export async function runStatement(
  database: EngineDatabase,
  request: ExecuteRequest,
  sink: ResultSink,
  signal: AbortSignal,
): Promise<StatementEnd> {
  const tokens = checkText(request.query);
  const tree = await checkNamed(database, request.query, tokens);
  signal.throwIfAborted();
  const connection = await database.connect();
  const stopInterrupting = interruptOnAbort(connection, signal);
  try {
    if (request.readOnly) await connection.run(BEGIN_READING);
    return await runInSession(database, connection, request, { tokens, tree }, sink, signal);
  } catch (error) {
    // Reports the abort reason instead of DuckDB's error for the interrupt.
    signal.throwIfAborted();
    throw error;
  } finally {
    stopInterrupting();
    connection.closeSync();
  }
}

/** A session for manual transactions: a connection that outlives its statements. */
export type EngineSession = { connection: DuckDBConnection; readOnly: boolean };

/**
 * Runs one statement in a session for manual transactions. A read-only one starts each transaction read-only, and takes
 * BEGIN, COMMIT and ROLLBACK without options only.
 * @throws as `runStatement`
 */
export async function runManually(
  database: EngineDatabase,
  { connection, readOnly }: EngineSession,
  request: ExecuteRequest,
  sink: ResultSink,
  signal: AbortSignal,
): Promise<StatementEnd> {
  const step = transactionStepOf(request.query, "duckdb");
  const tokens = checkText(request.query, !readOnly || step?.isPlain === true);
  const isOwn = readOnly && step === null && (await readState(connection)) === "idle";
  const text = readOnly && step?.step === "begin" ? BEGIN_READING : request.query;
  const tree = await checkNamed(database, text, tokens);
  signal.throwIfAborted();
  const stopInterrupting = interruptOnAbort(connection, signal);
  try {
    if (isOwn) await connection.run(BEGIN_READING);
    return await runInSession(
      database,
      connection,
      { ...request, query: text },
      { tokens, tree, isManual: true },
      sink,
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stopInterrupting();
    if (isOwn) await connection.run("ROLLBACK").catch(() => {});
  }
}

/**
 * Reads the state of a session's transaction: two statements have the same number only within one. An aborted
 * transaction refuses both.
 */
export async function readState(connection: DuckDBConnection): Promise<EngineSessionState> {
  const read = async () => (await connection.runAndReadAll("select txid_current()")).getRows()[0]?.[0];
  try {
    const first = await read();
    return first === (await read()) ? "in_transaction" : "idle";
  } catch {
    return "failed";
  }
}

async function runInSession(
  database: EngineDatabase,
  connection: DuckDBConnection,
  request: ExecuteRequest,
  { tokens, tree, isManual = false }: Reading,
  sink: ResultSink,
  signal: AbortSignal,
): Promise<StatementEnd> {
  // DuckDB splits some statements, such as PIVOT, into several. All but the last prepare the last one.
  const statements = await connection.extractStatements(request.query);
  for (let index = 0; index < statements.count - 1; index += 1) {
    const preparation = await statements.prepare(index);
    const isOwn = preparation.statementType === StatementType.CREATE;
    checkType(preparation.statementType, request.readOnly && !isOwn);
    signal.throwIfAborted();
    await preparation.run();
  }
  const statement = await statements.prepare(statements.count - 1);
  checkType(statement.statementType, request.readOnly, isManual);
  bindParams(statement, request.params);
  if (definesCode(tokens)) database.hasUserCode = true;
  const explained = explainedText(request.query, tokens);
  // Without a parse tree, the plan is DuckDB's only interpretation to check.
  const isPlanTold = tree === null || database.hasUserCode;
  if (isPlanTold && (explained !== null || statement.statementType !== StatementType.EXPLAIN)) {
    const mayTell = tree !== null && !(await namesUserCode(connection, tree));
    await checkPlanOf(database, connection, explained ?? request.query, request.params, mayTell);
  }
  signal.throwIfAborted();
  return await sendResult(connection, statement, { ...request, isManual }, sink, signal);
}

/** A query as our lexer tokenises it, and as DuckDB's parser reads it if it provides a tree. */
type Reading = { tokens: readonly SqlToken[]; tree: unknown; isManual?: boolean };

/**
 * Checks the functions and views that a statement names, in the parse tree if DuckDB provides it.
 * @returns that tree, or null
 */
async function checkNamed(database: EngineDatabase, query: string, tokens: readonly SqlToken[]): Promise<unknown> {
  const tree: unknown = JSON.parse(await database.treeOf(query));
  if (typeof tree === "object" && tree !== null && "statements" in tree) {
    checkTree(tree.statements, database.refused);
    return tree.statements;
  }
  checkNames(tokens, database.refused);
  return null;
}

async function namesUserCode(connection: DuckDBConnection, tree: unknown): Promise<boolean> {
  const names = namesIn(tree);
  const rows = (await connection.runAndReadAll(USER_CODE)).getRows();
  return rows.some(([name]) => names.has(String(name)));
}

async function checkPlanOf(
  database: EngineDatabase,
  connection: DuckDBConnection,
  query: string,
  params: ExecuteRequest["params"],
  mayTell: boolean,
): Promise<void> {
  let explain: DuckDBPreparedStatement;
  try {
    explain = await connection.prepare(`EXPLAIN (FORMAT json) ${query}`);
  } catch {
    // Not every statement has a plan. Those without run no query (ALTER, DROP), and the words of PIVOT were checked.
    return;
  }
  bindParams(explain, params);
  const rows = (await explain.runAndReadAll()).getRows();
  for (const row of rows) checkPlan(JSON.parse(String(row[1])), database.refused, mayTell);
}

async function sendResult(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  request: ExecuteRequest & { isManual: boolean },
  sink: ResultSink,
  signal: AbortSignal,
): Promise<StatementEnd> {
  const result = await statement.startStream().getResult();
  const wasStreaming = result.isStreaming;
  // Statements without a result still have a column, and CREATE TABLE AS has a row in it.
  const isAnswer = result.returnType !== ResultReturnType.NOTHING;
  const types = isAnswer ? result.columnTypes() : [];
  refuseWide(result, types.length);
  const isChange = CHANGES.has(statement.statementType);
  // Without RETURNING, a change's only row holds the number of rows. With it, each row is a changed one.
  const isCount = result.returnType === ResultReturnType.CHANGED_ROWS;
  let changed = 0;
  let isCut = false;
  const end = (): StatementEnd => ({ isCut, affectedRows: isChange ? changed : null });
  await sink.fields(fieldsOf(result, types));
  for (;;) {
    signal.throwIfAborted();
    if (sink.enough?.aborted && !isChange) return end();
    const chunk = await result.fetchChunk();
    const rowCount = chunk?.rowCount ?? 0;
    if (!chunk || rowCount === 0) {
      signal.throwIfAborted();
      // The driver reports a failed stream as ended. The only difference is that it no longer counts as a stream.
      if (wasStreaming && !result.isStreaming) {
        // A second run would need another transaction than the session's.
        if (request.isManual) throw readingFailed();
        await throwLateFailure(statement, connection);
      }
      return end();
    }
    if (!isAnswer) continue;
    changed += isCount ? Number(chunk.getColumnValues(0)[0]) : rowCount;
    // All rows of a change are counted, even after the cut.
    if (isCut) continue;
    for (const { from, to, isCut: isLast } of slices(chunk, types, request)) {
      signal.throwIfAborted();
      const columns = types.map((type, index) =>
        encodeColumn(chunk.getColumnVector(index), type, from, to, request.jsonAsText),
      );
      if (to > from) await sink.batch({ rowCount: to - from, columns });
      if (!isLast) continue;
      isCut = true;
      if (!isChange) return end();
      break;
    }
  }
}

/**
 * Throws the error of a query that failed in the middle of its rows. The driver loses DuckDB's message, so the query,
 * which only reads, runs again without streaming, where errors are reported. The rerun is limited to FAILURE_RERUN_MS.
 */
async function throwLateFailure(statement: DuckDBPreparedStatement, connection: DuckDBConnection): Promise<never> {
  const timer = setTimeout(() => connection.interrupt(), FAILURE_RERUN_MS);
  try {
    // The failure has ended the transaction, if there was one.
    await connection.run("ROLLBACK").catch(() => {});
    await connection.run("BEGIN TRANSACTION READ ONLY");
    await statement.start().getResult();
  } catch (error) {
    if (toFailure(error, "").kind !== "cancelled") throw error;
  } finally {
    clearTimeout(timer);
  }
  throw readingFailed();
}

function readingFailed(): StatementFailure {
  return new StatementFailure("query_failed", "The query failed while reading rows.");
}

/** @throws StatementFailure `query_failed` */
function refuseWide(result: DuckDBResult, width: number): void {
  let nameChars = 0;
  // Stops reading names at the limit: one statement may repeat the same long column any number of times.
  for (let index = 0; index < Math.min(width, RESULT_COLUMNS_MAX); index += 1) {
    nameChars += result.columnName(index).length;
    if (nameChars > COLUMN_NAMES_CHARS_MAX) break;
  }
  const problem = columnLimitProblem(width, nameChars);
  if (problem !== null) throw new StatementFailure("query_failed", problem);
}

function fieldsOf(result: DuckDBResult, types: readonly DuckDBType[]): Field[] {
  return types.map((type, index) => ({
    name: result.columnName(index),
    type: fieldTypeOf(type),
    dbType: type.alias ?? type.toString(),
  }));
}

type Slice = { from: number; to: number; isCut: boolean };

/** Splits a chunk into runs of rows of about BATCH_BYTES_TARGET, so that wide rows are not sent by the thousand. */
function* slices(chunk: DuckDBDataChunk, types: readonly DuckDBType[], request: ExecuteRequest): Generator<Slice> {
  const rowCount = chunk.rowCount;
  const vectors = types.map((_, index) => chunk.getColumnVector(index));
  const sizes = types.map((type, index) => columnBytes(vectors[index] as DuckDBVector, type, rowCount));
  const cellMax = request.cellBytesMax ?? CELL_BYTES_MAX;
  const total = sizes.reduce((sum, size) => sum + size.total, 0);
  if (total <= BATCH_BYTES_TARGET && sizes.every(({ largest }) => largest <= cellMax)) {
    yield { from: 0, to: rowCount, isCut: false };
    return;
  }
  let from = 0;
  let held = 0;
  for (let row = 0; row < rowCount; row += 1) {
    let rowBytes = 0;
    for (const [index, type] of types.entries()) {
      const bytes = cellBytes(vectors[index] as DuckDBVector, type, row);
      if (bytes > cellMax) {
        if (request.cellBytesMax === null) throw cellTooLarge();
        yield { from, to: row, isCut: true };
        return;
      }
      rowBytes += bytes;
    }
    if (held > 0 && held + rowBytes > BATCH_BYTES_TARGET) {
      yield { from, to: row, isCut: false };
      from = row;
      held = 0;
    }
    held += rowBytes;
  }
  yield { from, to: rowCount, isCut: false };
}

function cellTooLarge(): StatementFailure {
  return new StatementFailure(
    "query_failed",
    `A value exceeds ${CELL_BYTES_MAX / 1024 / 1024} MiB. Select part of it, for example with substring.`,
  );
}
