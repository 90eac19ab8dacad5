import type { SQLInputValue } from "node:sqlite";
import type { WireValue } from "../../../../base/values/fields.ts";
import { StatementFailure } from "../failures.ts";
import type { CellType, TransactRequest, TransactStep } from "../wire.ts";
import { toSqliteFailure } from "./failures.ts";
import { type SqliteFile, seeChanges } from "./open.ts";

// Mask of SQLite's primary result codes (its page "Result and Error Codes").
const PRIMARY_CODE = 0xff;
const TOO_BIG = 18;
const CONSTRAINT = 19;
const MISMATCH = 20;

/**
 * Runs all steps in one transaction.
 * @throws StatementFailure with the detail `refusal` when a row is rejected, or a step did not change the expected
 *   rows; SQLite's own error
 */
export function runSqliteTransaction({ database, authorizer }: SqliteFile, { steps, isProbe }: TransactRequest): void {
  authorizer.prepareTransaction();
  // Of two writers, the second waits here and then sees the first one's changes.
  database.exec("begin immediate");
  try {
    seeChanges(database);
    for (const step of steps) runStep({ database, authorizer }, step);
    database.exec(isProbe ? "rollback" : "commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw authorizer.refusal ?? error;
  }
}

function runStep({ database }: SqliteFile, step: TransactStep): void {
  if ("into" in step) {
    insert({ database }, step);
    return;
  }
  try {
    const { changes } = database.prepare(step.run).run(...((step.params ?? []) as SQLInputValue[]));
    if (step.mustAffect !== undefined && Number(changes) !== step.mustAffect) {
      throw new StatementFailure("query_failed", "Another run has taken over this load.", { refusal: "taken" });
    }
  } catch (error) {
    throw isAboutRow(error) ? refusedRow(error, {}) : error;
  }
}

function insert({ database }: Pick<SqliteFile, "database">, step: Extract<TransactStep, { into: string }>): void {
  const statement = database.prepare(step.into);
  const readers = step.types.map((type) => READERS[type]);
  for (let row = 0; row < step.rowCount; row += 1) {
    const values = step.columns.map((column, index) => {
      const value = column[row] ?? null;
      return value === null ? null : (readers[index]?.(value) ?? null);
    });
    try {
      statement.run(...values);
    } catch (error) {
      throw isAboutRow(error) ? refusedRow(error, { row }) : error;
    }
  }
}

const READERS: Readonly<Record<CellType, (value: Exclude<WireValue, null>) => SQLInputValue>> = {
  bigint: (value) => BigInt(value as number | string),
  double: Number,
  boolean: (value) => (value ? 1n : 0n),
  varchar: String,
  blob: (value) => Buffer.from(String(value), "base64"),
};

function isAboutRow(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & PRIMARY_CODE : null;
  return code === CONSTRAINT || code === MISMATCH || code === TOO_BIG;
}

function refusedRow(error: unknown, details: Record<string, unknown>): StatementFailure {
  const { message } = toSqliteFailure(error, "");
  const column = /^NOT NULL constraint failed: .*\.([^.]+)$/.exec(message)?.[1];
  return new StatementFailure("query_failed", message, {
    refusal: "row",
    ...details,
    ...(column !== undefined && { column }),
  });
}
