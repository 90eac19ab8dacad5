import "server-only";
import { READ_ONLY_MESSAGE } from "@/lib/base/sql/statement-messages";
import type { Entity, WireValue } from "@/lib/base/values/fields";
import type {
  ManualSession,
  QueryOptions,
  ResultStream,
  RowChangePlan,
  RowChangesEnd,
  Statement,
} from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { ConflictValues, LONG_VALUE } from "@/lib/features/connections/drivers/shared/conflict-values";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { leaseDataSource } from "@/lib/features/connections/pool";
import { noSuchConnection } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import { isWriteConfirmed, requireConfirmation } from "./confirmation";
import { CELL_BYTES_MAX, CONFLICTS_MAX, HISTORY_TEXT_CHARS, LARGE_ANSWER_BYTES } from "./limits";
import type { SessionTurn } from "./manual-sessions";
import { type ChangeStatements, toChangeStatements } from "./row-change-statements";
import type { RowChangesAnswer, RowChangesBody, RowConflicts } from "./schema";
import { runQuery } from "./service";
import { getTableOrThrow } from "./table-rows";

/*
 * Changes single rows of a table in one transaction, if they are as the caller has read them. Documents of a database
 * without transactions are changed in order, up to the first that fails.
 */

/** Maximum length of the statement of a document in a review, in characters. There are up to 500. */
const REVIEW_CHARS_MAX = 32 * 1024;

/** Maximum number of changes whose keys the query history shows while their documents are read. */
const READ_KEYS_SHOWN_MAX = 100;

const UNKNOWN_END = "The changes may have been written. Check the rows before you try again.";

type ChangesRequest = { connection: ConnectionDoc | null; body: RowChangesBody; signal: AbortSignal };
type TableOf = { connection: ConnectionDoc; entity: Entity };

/**
 * Applies changes to rows of a table: all, or none. One execution in the query history.
 * @throws AppError `not_found`; `invalid_request` as `toChangeStatements`; `read_only`; `unsupported`;
 *   `confirmation_required`; `conflict` with `RowConflicts` if a row has other values or was deleted; `query_failed`
 *   with details {change} for a change that the database refuses; as `runQuery` otherwise. `PartlyWritten` in the
 *   details of changes that stay, or may stay, written
 */
export async function changeRows(
  caller: Caller,
  { connection, body, signal }: ChangesRequest,
): Promise<RowChangesAnswer> {
  if (!connection) throw noSuchConnection();
  const entity = await getTableOrThrow(caller, { connection, signal }, body.table);
  // Documents are read to plan their changes, which a read-only connection does not have to wait for.
  if (!body.dryRun && mayOnlyRead(connection)) throw new AppError("read_only", READ_ONLY_MESSAGE);
  const change = driverOf(connection.type).editsDocuments ? changeDocuments : changeTable;
  return change(caller, { connection, entity }, { body, signal });
}

type ChangeRequest = Pick<ChangesRequest, "body" | "signal">;

async function changeTable(
  caller: Caller,
  { connection, entity }: TableOf,
  { body, signal }: ChangeRequest,
): Promise<RowChangesAnswer> {
  const changes = await toChangeStatements(driverOf(connection.type), entity, body.changes);
  const texts = changes.map(({ text }) => text);
  if (body.dryRun) {
    const statements = await toTexts(texts);
    return { executionId: null, statements, inTransaction: true, affectedRows: null, durationMs: 0 };
  }
  const { executionId, durationMs } = await runQuery(caller, {
    ...toRequest({ connection, entity }, { body, signal }),
    statement: { query: await toHistoryText(texts) },
    session: { take: () => takeTransaction(connection, changes, signal) },
  });
  return { executionId, statements: [], inTransaction: true, affectedRows: body.changes.length, durationMs };
}

/**
 * Plans changes of documents and writes them, as one query: planning reads the documents. A dry run, and a write that
 * was not confirmed, only read.
 */
async function changeDocuments(
  caller: Caller,
  { connection, entity }: TableOf,
  { body, signal }: ChangeRequest,
): Promise<RowChangesAnswer> {
  const isDryRun = body.dryRun === true;
  const request = toRequest({ connection, entity }, { body, signal });
  const isUnconfirmed = !isDryRun && !isWriteConfirmed(caller, request);
  const onlyPlans = isDryRun || isUnconfirmed;
  let planned: Pick<RowChangePlan, "inTransaction" | "texts"> = { inTransaction: false, texts: [] };
  let statements: string[] = [];
  const take = async (): Promise<SessionTurn> => {
    const lease = leaseDataSource(connection);
    const query: SessionTurn["query"] = async (_, options) => {
      const source = await raceAbort(lease.source, options.signal);
      if (!source.planRowChanges) throw invalidInput("table", "Documents can't be edited here. Use a console.");
      const plan = await source.planRowChanges(entity, body.changes, options);
      planned = plan;
      if (onlyPlans) {
        statements = await toTexts(plan.texts, isDryRun ? undefined : HISTORY_TEXT_CHARS);
        return withoutRows(null);
      }
      options.describe(await toHistoryText(plan.texts));
      if (options.readOnly) throw new AppError("read_only", READ_ONLY_MESSAGE);
      requireAll(await plan.run(options), body.changes.length);
      return withoutRows(body.changes.length);
    };
    return { query, closed: signal, release: () => lease.release() };
  };
  const { executionId, durationMs } = await runQuery(caller, {
    // The confirmed write may be sent with the same id.
    ...(isUnconfirmed
      ? toRequest({ connection, entity }, { body: { ...body, executionId: undefined }, signal })
      : request),
    ...(onlyPlans && { readOnly: true }),
    statement: { query: toReading(entity, body) },
    session: { take },
  });
  const { inTransaction } = planned;
  if (isUnconfirmed) await requireConfirmation(caller, { ...request, statement: { query: toStatements(statements) } });
  const affectedRows = onlyPlans ? null : body.changes.length;
  return { executionId, statements, inTransaction, affectedRows, durationMs };
}

/** Returns the parts of a query that all changes have. */
function toRequest({ connection, entity }: TableOf, { body, signal }: ChangeRequest) {
  const { schema = null, name } = entity;
  const { timeoutMs, executionId, confirm, confirmWrites } = body;
  return {
    connection,
    origin: { kind: "adhoc" as const, id: connection._id },
    write: { reason: "write" as const, table: { schema, name } },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(executionId !== undefined && { executionId }),
    ...{ confirm, confirmWrites, signal },
  };
}

/** Returns the operation that stands for the reading of documents in the query history. */
function toReading({ name }: Entity, { changes }: RowChangesBody): Record<string, unknown> {
  const ids = changes.slice(0, READ_KEYS_SHOWN_MAX).flatMap(({ key }) => Object.values(key));
  return { operation: "find", collection: name, filter: { _id: { $in: ids } } };
}

async function toHistoryText(texts: RowChangePlan["texts"]): Promise<string> {
  return toStatements(await toTexts(texts, HISTORY_TEXT_CHARS));
}

function toStatements(texts: readonly string[]): string {
  return `${texts.join(";\n")};`.slice(0, HISTORY_TEXT_CHARS);
}

/** @throws AppError as `changeRows` unless all changes were written */
function requireAll({ conflicts, written, failure }: RowChangesEnd, count: number): void {
  const partly = written > 0 ? ` ${toWritten(written)}` : "";
  const details = { ...(written > 0 && { written }) };
  if (failure) {
    const { error, change, isUnknown } = failure;
    if (isUnknown) {
      const next = written > 0 ? "The next one may have been written, too." : UNKNOWN_END;
      const message = `${error.message}${partly} ${next}`;
      throw new AppError(error.kind, message, { cause: error, details: { ...details, isUnknown } });
    }
    if (error.kind !== "query_failed" && written === 0) throw error;
    throw new AppError(error.kind, `${error.message}${partly}`, {
      cause: error.kind === "query_failed" ? error.cause : error,
      details: { ...hintOf(error), ...(change !== null && error.kind === "query_failed" && { change }), ...details },
    });
  }
  if (conflicts.length > 0) throw toConflict({ conflicts, ...details });
  if (written !== count) throw new Error(`${written} of ${count} changes have an end.`);
}

/** Returns a sentence about the changes before one that failed. */
function toWritten(count: number): string {
  if (count === 0) return "Nothing was written.";
  return count === 1 ? "The change before it was written." : `The ${count} changes before it were written.`;
}

/** @param total number of conflicts, of which `details` lists some */
function toConflict(details: RowConflicts, total = details.conflicts.length): AppError {
  const count = total === 1 ? "A row was" : `${total} rows were`;
  const effect = toWritten(details.written ?? 0);
  const message = `${count} changed or deleted since loading. ${effect} Compare the values and try again.`;
  return new AppError("conflict", message, { details });
}

/** Returns the statements to read, as many as begin within `charsMax` characters. Long ones may be shortened. */
async function toTexts(
  changes: readonly ((charsMax: number) => string)[],
  charsMax = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const texts: string[] = [];
  let chars = 0;
  for (const text of changes) {
    if (chars >= charsMax) break;
    const written = text(Math.min(charsMax - chars, REVIEW_CHARS_MAX));
    texts.push(written);
    chars += written.length;
    await yieldToEventLoop();
  }
  return texts;
}

/** Returns the use of a source in which a query runs all changes. */
async function takeTransaction(
  connection: ConnectionDoc,
  changes: readonly ChangeStatements[],
  signal: AbortSignal,
): Promise<SessionTurn> {
  const lease = leaseDataSource(connection);
  const { isolationLevels = [], values, label } = driverOf(connection.type);
  const change = async (options: QueryOptions) => {
    const source = await raceAbort(lease.source, options.signal);
    if (!source.openSession) throw new AppError("unsupported", `${label} can't change rows in a transaction here.`);
    // Each check reads what others have committed.
    const isolation = isolationLevels.includes("read_committed") ? "read_committed" : null;
    const session = await source.openSession({ isolation, readOnly: false, signal: options.signal });
    try {
      if (values?.edits?.strict) await read(session, { query: values.edits.strict }, options);
      await new RowTransaction(session, options).run(changes);
      return withoutRows(changes.length);
    } finally {
      await session.close();
    }
  };
  const query: SessionTurn["query"] = async (_, options) => {
    // A file has one writer. SQLite lets the next one wait for five seconds, which a busy machine may take.
    const file = toFile(connection);
    if (file === null) return change(options);
    return withKeyedLock(`row changes ${file}`, () => change(options), options.signal);
  };
  return { query, closed: signal, release: () => lease.release() };
}

/** Returns the file of a connection, which others may write to as well; null for a server. */
function toFile({ type, workspaceId, config }: ConnectionDoc): string | null {
  const field = driverOf(type).fields.find(({ kind }) => kind === "file");
  return field ? `${workspaceId.toHexString()}/${String(config[field.name])}` : null;
}

function withoutRows(affectedRows: number | null): ResultStream {
  return { fields: [], batches: (async function* () {})(), affectedRows: () => affectedRows };
}

class RowTransaction {
  readonly #session: ManualSession;
  readonly #options: QueryOptions;

  constructor(session: ManualSession, options: QueryOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Applies all changes and commits. @throws AppError as `changeRows`, after a rollback */
  async run(changes: readonly ChangeStatements[]): Promise<void> {
    await this.#read({ query: "begin" });
    const conflicts = new Set<number>();
    let at = 0;
    try {
      for (const [index, change] of changes.entries()) {
        at = index;
        if (!(await this.#apply(change))) conflicts.add(index);
      }
      at = changes.length;
      if (conflicts.size === 0) return void (await this.#read({ query: "commit" }));
    } catch (error) {
      await this.#rollBack();
      // Another transaction may be the reason: an engine then reports an error in place of a missing row.
      for (const [index, { row }] of changes.slice(0, at + 1).entries()) {
        if (!row || conflicts.has(index)) continue;
        const found = await this.#read(row.isUnchanged()).catch(() => null);
        // Without a connection, the first error is the reason.
        if (found === null) break;
        if (found.rows.length !== 1) conflicts.add(index);
      }
      if (conflicts.size === 0) throw at < changes.length ? inChange(error, at) : await this.#notCommitted(error);
      throw await this.#conflict(changes, conflicts);
    }
    await this.#rollBack();
    throw await this.#conflict(changes, conflicts);
  }

  /** Returns whether the change has exactly one row. */
  async #apply({ apply, row }: ChangeStatements): Promise<boolean> {
    const { affectedRows } = await this.#read(apply, true);
    if (row === null || affectedRows === 1) return true;
    // MySQL does not count rows that already have the new values.
    return affectedRows === 0 && row.isApplied !== null && (await this.#read(row.isApplied())).rows.length === 1;
  }

  /** Errors of a rollback are left to closing the session. */
  async #rollBack(): Promise<void> {
    await this.#session.settled();
    await this.#read({ query: "rollback" }).catch(() => undefined);
  }

  /** Returns the error of a commit: without a connection, it may have succeeded. */
  async #notCommitted(error: unknown): Promise<unknown> {
    const isConnected = await this.#read({ query: "select 1" }).then(
      () => true,
      () => false,
    );
    if (isConnected || !(error instanceof AppError)) return error;
    return new AppError(error.kind, `${error.message} ${UNKNOWN_END}`, { cause: error, details: { isUnknown: true } });
  }

  async #conflict(changes: readonly ChangeStatements[], conflicts: ReadonlySet<number>): Promise<AppError> {
    const values = new ConflictValues();
    const details: RowConflicts = { conflicts: [] };
    for (const change of [...conflicts].sort((a, b) => a - b).slice(0, CONFLICTS_MAX)) {
      const row = changes[change]?.row;
      details.conflicts.push({ change, current: row ? await this.#current(row, row.columns, values) : null });
    }
    return toConflict(details, conflicts.size);
  }

  /**
   * Returns the present values of some columns as a conflict shows them; null for a deleted row. One that cannot be
   * read is shown as too long.
   */
  async #current(row: ChangedRow, columns: readonly string[], values: ConflictValues): Promise<Row | null> {
    const { shown, isCut } = await this.#show(row.current(columns), values);
    // The next values are read when a large amount of memory may be held. Rows of a usual size wait for nothing.
    if (isCut || values.bytesRead > LARGE_ANSWER_BYTES) await this.#options.whenLarge?.();
    if (!isCut) return shown;
    const [only, second] = columns;
    if (only !== undefined && second === undefined) return { [only]: LONG_VALUE };
    // One of them is too long: the others are read without it.
    const middle = Math.ceil(columns.length / 2);
    const first = await this.#current(row, columns.slice(0, middle), values);
    const last = first && (await this.#current(row, columns.slice(middle), values));
    return last && { ...first, ...last };
  }

  /** Reads a row, and keeps only the values that a conflict shows. */
  async #show(statement: Statement, values: ConflictValues): Promise<{ shown: Row | null; isCut: boolean }> {
    const { rows, isCut } = await this.#read(statement);
    const [found] = rows;
    const shown = found && Object.entries(found).map(([name, value]) => [name, values.show(value)]);
    return { shown: shown ? Object.fromEntries(shown) : null, isCut };
  }

  /** Runs a statement to its end and returns its rows, which are few. */
  #read(statement: Statement, isChange = false): Promise<ReadRows> {
    return read(this.#session, statement, { ...this.#options, isChange });
  }
}

type ChangedRow = NonNullable<ChangeStatements["row"]>;
type Row = Record<string, WireValue>;
/** `isCut`: a value of the row after these is too large to be read. */
type ReadRows = { rows: Row[]; isCut: boolean; affectedRows: number | null };

async function read(session: ManualSession, statement: Statement, options: QueryOptions): Promise<ReadRows> {
  const result = await session.query(statement, { ...options, readOnly: false, cellBytesMax: CELL_BYTES_MAX });
  const rows: Row[] = [];
  let isCut = false;
  for await (const { rowCount, columns, ...batch } of result.batches) {
    for (let at = 0; at < rowCount; at += 1) {
      rows.push(Object.fromEntries(result.fields.map(({ name }, index) => [name, columns[index]?.[at] ?? null])));
    }
    isCut = batch.isCut === true;
  }
  return { rows, isCut, affectedRows: result.affectedRows?.() ?? null };
}

function inChange(error: unknown, change: number): unknown {
  if (!(error instanceof AppError) || error.kind !== "query_failed") return error;
  return new AppError("query_failed", error.message, { cause: error.cause, details: { ...hintOf(error), change } });
}

/** Returns what the database suggests to do, such as to grant a privilege. */
function hintOf({ details }: AppError): { hint?: unknown } {
  return details && "hint" in details ? { hint: details.hint } : {};
}
