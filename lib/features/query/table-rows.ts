import "server-only";
import type { Entity } from "@/lib/base/values/fields";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { getEntityOrThrow, noSuchConnection, noSuchEntity } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { COLLECTION_PAGE_MAX, toCollectionCount, toCollectionPage } from "./collection-statement";
import { CELL_BYTES_MAX } from "./limits";
import type { QueryOrigin } from "./model";
import type { TableCountBody, TableRowsAnswer, TableRowsBody } from "./schema";
import { runQuery } from "./service";
import { toTableCount, toTablePage } from "./table-statement";

/* Rows of a table or collection without a query: sorted and filtered by the database, in pages. */

const MIB = 1024 * 1024;

type TableRequest = { connection: ConnectionDoc | null; signal: AbortSignal };

/**
 * Reads one page of a table's rows.
 * @throws AppError `not_found` for an unknown connection or table; `invalid_request` as `toTablePage`; `too_large` when
 *   the page begins with a row that has a cell over the limit; as `runQuery` otherwise
 */
export async function readTableRows(
  caller: Caller,
  { connection, body, signal }: TableRequest & { body: TableRowsBody },
): Promise<TableRowsAnswer> {
  if (!connection) throw noSuchConnection();
  const entity = await getTableOrThrow(caller, { connection, signal }, body.table);
  const driver = driverOf(connection.type);
  const isCollection = driver.language === "mongodb";
  const limit = isCollection ? Math.min(body.limit, COLLECTION_PAGE_MAX) : body.limit;
  const toPage = isCollection ? toCollectionPage : toTablePage;
  const { statement, hidden, isStable, needsRow, toNext } = toPage(driver, entity, { ...body, limit });
  const result = await runQuery(caller, {
    connection,
    origin: rowsOf(connection),
    statement,
    limit: limit + 1,
    signal,
    readOnly: true,
  });
  const rows = result.rows.slice(0, limit);
  // The read stopped at the first row: an empty page would mean the end of the table.
  if (result.truncated && rows.length === 0) throw rowTooLarge();
  if (needsRow && rows.length === 0) {
    throw new AppError("gone", "The row before this page was deleted. Start again from the first page.");
  }
  // A page may also have ended at the size limit of a response.
  const hasMore = result.rowCount > rows.length || result.truncated;
  const { executionId, durationMs, databaseMs } = result;
  const next = hasMore && rows.length > 0 ? toNext(rows, result.fields) : null;
  for (const row of rows) for (const name of hidden) delete row[name];
  const fields = result.fields.slice(0, result.fields.length - hidden.length);
  return {
    executionId,
    fields,
    rows,
    rowCount: rows.length,
    durationMs,
    databaseMs,
    next,
    isStable,
    primaryKey: (entity.columns ?? []).filter((column) => column.primaryKey).map(({ name }) => name),
  };
}

function rowTooLarge(): AppError {
  const message = `The next row has a value over ${CELL_BYTES_MAX / MIB} MiB. Filter it out, or query the table without that column.`;
  return new AppError("too_large", message);
}

/**
 * Counts the rows of a table that match the filters.
 * @throws AppError as `readTableRows`
 */
export async function countTableRows(
  caller: Caller,
  { connection, body, signal }: TableRequest & { body: TableCountBody },
): Promise<{ executionId: string; count: number | string; durationMs: number }> {
  if (!connection) throw noSuchConnection();
  const entity = await getTableOrThrow(caller, { connection, signal }, body.table);
  const driver = driverOf(connection.type);
  const toCount = driver.language === "mongodb" ? toCollectionCount : toTableCount;
  const statement = toCount(driver, entity, body.filters);
  const result = await runQuery(caller, {
    connection,
    origin: rowsOf(connection),
    statement,
    limit: 1,
    signal,
    readOnly: true,
  });
  const count = Object.values(result.rows[0] ?? {})[0];
  const { executionId, durationMs } = result;
  return { executionId, count: typeof count === "number" ? count : String(count), durationMs };
}

function rowsOf({ _id }: ConnectionDoc): QueryOrigin {
  return { kind: "rows", id: _id };
}

/** @throws AppError `not_found` */
export async function getTableOrThrow(
  caller: Caller,
  { connection, signal }: { connection: ConnectionDoc; signal: AbortSignal },
  table: TableRowsBody["table"],
): Promise<Entity> {
  const entity = await getEntityOrThrow(caller, connection._id, table, signal);
  // The columns of a collection come only from its documents, of which there may be none yet.
  if (entity.kind === "collection" || (entity.columns && entity.columns.length > 0)) return entity;
  throw noSuchEntity(table.name);
}
