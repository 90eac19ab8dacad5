import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { changeVerbOf } from "../../../../base/sql/statement-kind.ts";
import { EMPTY_STATEMENT_MESSAGE, ONE_STATEMENT_MESSAGE } from "../../../../base/sql/statement-messages.ts";
import { namesLimitProblem } from "../../../../base/values/column-limits.ts";
import type { Batch, Field } from "../../../../base/values/fields.ts";
import { StatementFailure } from "../failures.ts";
import { BATCH_BYTES_TARGET, CELL_BYTES_MAX } from "../limits.ts";
import type { StatementEnd } from "../run-statement.ts";
import type { ExecuteRequest } from "../wire.ts";
import { checkText } from "./guard.ts";
import { type SqliteFile, seeChanges } from "./open.ts";
import { type Bindings, toBindings } from "./params.ts";
import { fieldOf, type SqliteValue, sizeOf, toWire } from "./values.ts";

/** Small, so that a slow query shows its first rows early. */
const FIRST_BATCH_ROWS = 200;
const BATCH_ROWS_MAX = 2000;
const SCALAR_BYTES = 12;

export type Sink = {
  fields(fields: Field[]): Promise<void>;
  /** Resolves to true when the reader wants more, and to false when it has left. */
  batch(batch: Batch): Promise<boolean>;
};

type Row = SqliteValue[];

/**
 * Runs one statement and streams its result.
 * @returns whether the result was cut before a row with a cell over `cellBytesMax`
 * @throws StatementFailure, or SQLite's own error (`toSqliteFailure` reads it)
 */
export async function runSqlite(
  { database, authorizer }: SqliteFile,
  request: ExecuteRequest,
  sink: Sink,
): Promise<StatementEnd> {
  try {
    const tokens = checkText(request.query, authorizer.isManual);
    seeChanges(database);
    authorizer.prepare(request.readOnly);
    const statement = prepareOne(database, request.query);
    const bindings = toBindings(request.params, tokens);
    authorizer.run();
    const isCut = await sendResult(statement, bindings, request, sink);
    return { isCut, affectedRows: changeVerbOf(request.query, "sqlite") === null ? null : changesOf(database) };
  } catch (error) {
    if (error instanceof StatementFailure) throw error;
    // SQLite reports a refusal without its reason.
    throw authorizer.refusal ?? error;
  }
}

/** Prepares the only statement of a text. SQLite's own parser decides whether there is another. */
function prepareOne(database: DatabaseSync, query: string): StatementSync {
  const statement = prepareFirst(database, query);
  if (!statement) throw new StatementFailure("invalid_request", EMPTY_STATEMENT_MESSAGE);
  const isAlone = query.startsWith(statement.sourceSQL) && isEmpty(database, query.slice(statement.sourceSQL.length));
  if (!isAlone) throw new StatementFailure("query_failed", ONE_STATEMENT_MESSAGE);
  return statement;
}

/** @returns null for a text without a statement: white space, comments, semicolons */
function prepareFirst(database: DatabaseSync, text: string): StatementSync | null {
  try {
    return database.prepare(text);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_INVALID_ARG_VALUE") return null;
    throw error;
  }
}

function isEmpty(database: DatabaseSync, text: string): boolean {
  try {
    return prepareFirst(database, text) === null;
  } catch {
    // There is text, even if SQLite cannot parse it.
    return false;
  }
}

/** Returns the rows that the last statement inserted, updated or deleted itself, without triggers and foreign keys. */
function changesOf(database: DatabaseSync): number {
  return Number(database.prepare("select changes() as n").get()?.n);
}

/** @returns whether the result was cut */
async function sendResult(
  statement: StatementSync,
  bindings: Bindings,
  request: ExecuteRequest,
  sink: Sink,
): Promise<boolean> {
  const given = bindings as SQLInputValue[];
  if (statement.columns().length === 0) {
    statement.run(...given);
    await sink.fields([]);
    return false;
  }
  const problem = namesLimitProblem(statement.columns());
  if (problem !== null) throw new StatementFailure("query_failed", problem);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const rows = statement.iterate(...given) as unknown as IterableIterator<Row>;
  const first = readBatch(rows, request, FIRST_BATCH_ROWS);
  // Read after the first step: that step detects a schema change by another process and prepares the text again.
  const fields = statement.columns().map(({ name, type }, index) => {
    const values = [...first.rows, ...(first.cutRow ? [first.cutRow] : [])].map((row) => row[index] ?? null);
    return fieldOf(name, type, values);
  });
  await sink.fields(fields);
  let next = first;
  for (;;) {
    if (next.rows.length > 0 && !(await sink.batch(toBatch(next.rows, fields)))) {
      rows.return?.();
      return false;
    }
    if (next.isLast || next.isCut) {
      rows.return?.();
      return next.isCut;
    }
    next = readBatch(rows, request, BATCH_ROWS_MAX);
  }
}

type Portion = { rows: Row[]; isLast: boolean; isCut: boolean; cutRow?: Row };

function readBatch(rows: IterableIterator<Row>, request: ExecuteRequest, rowsMax: number): Portion {
  const portion: Row[] = [];
  let bytes = 0;
  const cellBytesMax = request.cellBytesMax ?? CELL_BYTES_MAX;
  while (portion.length < rowsMax && bytes < BATCH_BYTES_TARGET) {
    const { done, value: row } = rows.next();
    if (done) return { rows: portion, isLast: true, isCut: false };
    for (const value of row) {
      const size = sizeOf(value);
      if (size > cellBytesMax) {
        if (request.cellBytesMax === null) throw cellTooLarge();
        return { rows: portion, isLast: true, isCut: true, cutRow: row };
      }
      bytes += size + SCALAR_BYTES;
    }
    portion.push(row);
  }
  return { rows: portion, isLast: false, isCut: false };
}

function toBatch(rows: readonly Row[], fields: readonly Field[]): Batch {
  const columns = fields.map(({ type }, index) => rows.map((row) => toWire(row[index] ?? null, type)));
  return { rowCount: rows.length, columns };
}

function cellTooLarge(): StatementFailure {
  return new StatementFailure(
    "query_failed",
    `A value exceeds ${CELL_BYTES_MAX / 1024 / 1024} MiB. Select part of it, for example with substr.`,
  );
}
