import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from "@duckdb/node-api";
import { readSqlTokens } from "../../../base/sql/lexer.ts";
import type { WireValue } from "../../../base/values/fields.ts";
import type { EngineDatabase } from "./database.ts";
import { StatementFailure, toFailure } from "./failures.ts";
import { checkSchemas } from "./guard.ts";
import { interruptOnAbort } from "./interrupt.ts";
import { bindParams } from "./params.ts";
import type { CellType, TransactRefusal, TransactRequest, TransactStep } from "./wire.ts";

/** Maximum rows of a DuckDB data chunk. */
const CHUNK_ROWS = 2048;
const TYPES: Readonly<Record<CellType, DuckDBType>> = {
  bigint: BIGINT,
  double: DOUBLE,
  boolean: BOOLEAN,
  varchar: VARCHAR,
  blob: VARCHAR,
};
/** DuckDB errors that reject a row: broken constraints, and values that do not fit their column. */
const OF_A_ROW = new Set(["Constraint", "Conversion", "Out of Range", "Invalid Input", "Mismatch Type"]);

/**
 * Runs all steps in one transaction, in a separate session.
 * @throws StatementFailure with the detail `refusal` when a row is rejected, or a step did not change the expected rows
 */
export async function runTransaction(
  database: EngineDatabase,
  { steps, isProbe }: TransactRequest,
  signal: AbortSignal,
): Promise<void> {
  const connection = await database.connect();
  const stopInterrupting = interruptOnAbort(connection, signal);
  try {
    await connection.run("BEGIN TRANSACTION");
    for (const step of steps) {
      signal.throwIfAborted();
      await runStep(connection, step);
    }
    signal.throwIfAborted();
    await connection.run(isProbe ? "ROLLBACK" : "COMMIT");
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StatementFailure ? error : explained(error, "");
  } finally {
    stopInterrupting();
    // Closing also ends an open transaction.
    connection.closeSync();
  }
}

async function runStep(connection: DuckDBConnection, step: TransactStep): Promise<void> {
  if ("into" in step) return append(connection, step);
  // A flow's destination names its schema.
  checkSchemas(readSqlTokens(step.run, "duckdb"));
  try {
    const statement = await connection.prepare(step.run);
    bindParams(statement, step.params);
    const { rowsChanged } = await statement.run();
    if (step.mustAffect !== undefined && rowsChanged !== step.mustAffect) throw taken();
  } catch (error) {
    if (error instanceof StatementFailure) throw error;
    throw step.mustAffect !== undefined && isConflict(error) ? taken() : explained(error, step.run);
  }
}

async function append(
  connection: DuckDBConnection,
  { into, types, rowCount, columns }: Extract<TransactStep, { into: string }>,
): Promise<void> {
  const appender = await connection.createAppender(into, null, "temp");
  const columnTypes = types.map((type) => TYPES[type]);
  for (let from = 0; from < rowCount; from += CHUNK_ROWS) {
    const to = Math.min(from + CHUNK_ROWS, rowCount);
    const chunk = DuckDBDataChunk.create(columnTypes, to - from);
    for (const [index, column] of columns.entries()) {
      const read = READERS[types[index] ?? "varchar"];
      chunk.setColumnValues(
        index,
        column.slice(from, to).map((value) => (value === null ? null : read(value))),
      );
    }
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

const READERS: Readonly<Record<CellType, (value: Exclude<WireValue, null>) => DuckDBValue>> = {
  bigint: (value) => BigInt(value as number | string),
  double: Number,
  boolean: Boolean,
  varchar: String,
  blob: String,
};

function taken(): StatementFailure {
  return refused("taken", "Another run has taken over this load.");
}

function refused(refusal: TransactRefusal, message: string, details: Record<string, unknown> = {}): StatementFailure {
  return new StatementFailure("query_failed", message, { refusal, ...details });
}

/** Returns whether two transactions changed the same rows. DuckDB does not wait: the second one fails. */
function isConflict(error: unknown): boolean {
  return /conflict/i.test(toFailure(error, "").message) && typeOf(error) === "TransactionContext";
}

function explained(error: unknown, query: string): StatementFailure {
  const { kind, message, details } = toFailure(error, query);
  // Some constraints are checked only at the commit: a concurrent transaction has written the same key.
  if (typeOf(error) === "TransactionContext" && /conflict|^Failed to commit/i.test(message)) {
    return new StatementFailure("unavailable", "Another transaction is changing the same table. Try again.");
  }
  if (!OF_A_ROW.has(typeOf(error))) return new StatementFailure(kind, message, details);
  // Cells are cast from a temporary table with the columns c0, c1 and so on.
  const place = /from source column c(\d+)/.exec(message)?.[1];
  const column = /^NOT NULL constraint failed: .*\.([^.]+)$/.exec(message)?.[1];
  return refused("row", message.replace(/ when casting from source column c\d+/, ""), {
    ...(place !== undefined && { place: Number(place) }),
    ...(column !== undefined && { column }),
  });
}

function typeOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "";
  return /"exception_type"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? "";
}
