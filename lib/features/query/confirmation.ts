import "server-only";
import { isRisky, type StatementWrite, type WriteReason } from "@/lib/base/sql/writes";
import { formatCountOf } from "@/lib/base/values/amounts";
import type { Statement } from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { checkStatementText } from "@/lib/features/connections/drivers/shared/statements/check";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { CONFIRM_WRITES, type ConfirmWrites } from "@/lib/features/connections/schema";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { readKnownEntities } from "./known-entities";
import type { HeldTransaction } from "./manual-sessions";
import { estimateWrittenRows } from "./row-estimate";
import type { ConfirmationDetails } from "./schema";

/** Maximum length of the statement in the response, which the caller has anyway. */
const STATEMENT_CHARS_MAX = 10_000;

type Unconfirmed = {
  connection: ConnectionDoc;
  statement: Statement;
  readOnly?: boolean | undefined;
  confirm?: boolean | undefined;
  confirmWrites?: ConfirmWrites | undefined;
  /** Effect of a statement that the caller built. Absent: read from its text. */
  write?: StatementWrite;
  session?: Partial<Pick<HeldTransaction, "inspect">> | undefined;
  signal: AbortSignal;
};

/** Names of schemas that are the default one of a database, unless it is set to another. */
const DEFAULT_SCHEMAS: ReadonlySet<string> = new Set(["public", "main"]);

const EFFECTS: Readonly<Record<WriteReason, string>> = {
  update_without_where: "updates all rows",
  delete_without_where: "deletes all rows",
  drop: "drops an object",
  truncate: "deletes all rows",
  write: "writes",
};

/** Returns whether a write that the caller builds needs no further confirmation, as `requireConfirmation` decides. */
export function isWriteConfirmed(caller: Caller, request: Omit<Unconfirmed, "statement" | "signal">): boolean {
  const setting = settingOf(request);
  if (setting === "never" || request.confirm === true) return true;
  if (mayOnlyRead(request.connection) || request.readOnly === true || isReadOnly(caller)) return true;
  return setting === "risky" && request.write !== undefined && !isRisky(request.write);
}

/**
 * Refuses a write that a person must confirm first (docs/develop/api.md, Queries). Statements that may only read pass:
 * the database refuses their writes.
 * @throws AppError `confirmation_required`
 */
export async function requireConfirmation(caller: Caller, request: Unconfirmed): Promise<void> {
  const { connection, statement } = request;
  if (isWriteConfirmed(caller, request)) return;
  const write = request.write ?? (await findWrite(statement, connection, caller.workspaceId.toHexString()));
  if (write === null || (settingOf(request) === "risky" && !isRisky(write))) return;
  const { reason, table } = write;
  const where = table === null ? "" : ` (${table.name})`;
  const estimatedRows = isRisky(write)
    ? await estimateRows(caller, connection, table)
    : request.write
      ? null
      : await estimateWrittenRows(caller, request);
  const rows = estimatedRows === null ? "" : `, about ${formatCountOf(estimatedRows, "row")}`;
  const details: ConfirmationDetails = {
    reason,
    statement: textOf(statement).slice(0, STATEMENT_CHARS_MAX),
    estimatedRows,
    table: table && { ...(table.schema !== null && { schema: table.schema }), name: table.name },
    connection: connection.name,
  };
  throw new AppError(
    "confirmation_required",
    `The statement ${EFFECTS[reason]}${where} on ${connection.name}${rows}. Confirm it first.`,
    { details },
  );
}

async function findWrite(
  { query }: Statement,
  { type }: ConnectionDoc,
  tenant: string,
): Promise<StatementWrite | null> {
  const { findWrite: find, dialect } = driverOf(type);
  if (find) return find(query, tenant);
  return typeof query === "string" && dialect ? checkStatementText("write", { query, dialect }, tenant) : null;
}

function settingOf({ connection, confirmWrites }: Pick<Unconfirmed, "connection" | "confirmWrites">): ConfirmWrites {
  return stricter(connection.confirmWrites ?? "never", confirmWrites ?? "never");
}

function stricter(a: ConfirmWrites, b: ConfirmWrites): ConfirmWrites {
  return CONFIRM_WRITES.indexOf(a) > CONFIRM_WRITES.indexOf(b) ? a : b;
}

/** The database's estimate of a table's rows; null if it has none. */
async function estimateRows(
  caller: Caller,
  connection: ConnectionDoc,
  table: StatementWrite["table"],
): Promise<number | null> {
  if (table === null) return null;
  try {
    const entities = (await readKnownEntities(caller, connection)) ?? [];
    const named = entities.filter(({ name }) => name.toLowerCase() === table.name.toLowerCase());
    const schema = table.schema?.toLowerCase();
    // The list omits the default schema, which a statement may name.
    const isDefault = schema === undefined || DEFAULT_SCHEMAS.has(schema);
    const found =
      named.find((each) => each.schema?.toLowerCase() === schema) ??
      (isDefault ? named.find((each) => each.schema === undefined) : undefined);
    return found?.rowEstimate ?? null;
  } catch (error) {
    log.info({ err: error, connectionId: connection._id }, "no estimate for a write");
    return null;
  }
}

function textOf({ query }: Statement): string {
  return typeof query === "string" ? query : JSON.stringify(query);
}
