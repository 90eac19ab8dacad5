import "server-only";
import type { WireValue } from "@/lib/base/values/fields";
import type { CellType, TransactStep } from "@/lib/platform/embedded/engine/wire";
import type { EngineClient } from "@/lib/platform/engines/client";
import { AppError } from "@/lib/platform/http/errors";
import type { ExtractRequest, ExtractStream, Load, LoadRequest, ResultStream } from "../../data-source";
import { type Encode, encodedRows, RowRefused, textOf } from "../shared/flows/rows";
import { EXTRACT_TIMEOUT_MS, type ExtractDialect, extractBySql } from "../shared/flows/sql-extract";
import {
  beginSqlLoad,
  type LoadDialect,
  type LoadEngine,
  LoadTaken,
  type Step,
  type TransactOptions,
} from "../shared/flows/sql-load";
import type { TargetColumn } from "../shared/flows/table-shape";

/* The engine sockets of both kinds of files, for reading and loading. */

export type Cell = { type: CellType; encode: Encode<string | number | boolean> };

type Inserts = {
  cellsOf: (column: TargetColumn) => Cell;
  into: (step: Extract<Step, { rows: unknown }>) => string;
};

/** Returns a table's shape; also the schema in which unqualified names are created. */
type Look = (
  client: EngineClient,
  table: { schema?: string; name: string },
  signal: AbortSignal,
) => ReturnType<LoadEngine["describe"]>;

export function extractFromEngine(
  client: EngineClient,
  request: ExtractRequest,
  { dialect, look }: { dialect: ExtractDialect; look: Look },
): Promise<ExtractStream> {
  return extractBySql(
    {
      dialect,
      describe: async (entity, signal) => (await look(client, entity, signal)).shape,
      query: (sql, params) => readEngine(client, sql, params, request.signal),
    },
    request,
  );
}

/** @param into the targets of the engine's inserts (`TransactStep`) */
export function loadIntoEngine(
  client: EngineClient,
  request: LoadRequest,
  { dialect, look, readOnly, cellsOf, into }: Inserts & { dialect: LoadDialect; look: Look; readOnly: boolean },
): Promise<Load> {
  return beginSqlLoad(
    {
      dialect,
      readOnly,
      describe: (table, signal) => look(client, table, signal),
      read: (sql, params, signal) => allOf(readEngine(client, sql, [...params], signal)),
      transact: (steps, signal, { isProbe = false, onSent } = {}) =>
        transactEngine(client, steps, { isProbe, onSent, signal, cellsOf, into }),
    },
    request,
  );
}

/** Returns a cell of bytes, which are sent as base64. */
export function binaryCell(from: TargetColumn["from"]): Cell {
  const isBinary = from === "binary";
  return {
    type: "blob",
    encode: (value) => (isBinary ? String(value) : Buffer.from(textOf(value)).toString("base64")),
  };
}

/** Runs a driver statement as a read-only one, with the guards of those. */
export function readEngine(
  client: EngineClient,
  query: string,
  params: unknown[],
  signal: AbortSignal,
): Promise<ResultStream> {
  const request = {
    type: "execute" as const,
    query,
    params,
    readOnly: true,
    timeoutMs: EXTRACT_TIMEOUT_MS,
    jsonAsText: true as const,
  };
  return client.execute({ ...request, cellBytesMax: null }, signal);
}

export async function allOf(result: Promise<ResultStream>): Promise<WireValue[][]> {
  const rows: WireValue[][] = [];
  for await (const { rowCount, columns } of (await result).batches) {
    for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((column) => column[row] ?? null));
  }
  return rows;
}

/** Runs steps in one transaction of the engine. @throws RowRefused, LoadTaken, AppError */
async function transactEngine(
  client: EngineClient,
  steps: readonly Step[],
  { isProbe, onSent, signal, cellsOf, into }: Inserts & TransactOptions & { isProbe: boolean; signal: AbortSignal },
): Promise<void> {
  let columns: readonly TargetColumn[] = [];
  const sent = steps.map((step): TransactStep => {
    if ("run" in step) {
      return {
        run: step.run,
        ...(step.params && { params: [...step.params] }),
        ...(step.mustAffect !== undefined && { mustAffect: step.mustAffect }),
      };
    }
    columns = step.into.columns;
    const cells = columns.map(cellsOf);
    const encodes = new Map(columns.map((column, index) => [column, cells[index]?.encode]));
    const encode: Encode<string | number | boolean> = (value, column) => encodes.get(column)?.(value, column) ?? "";
    const values: WireValue[][] = columns.map(() => []);
    for (const row of encodedRows(step.rows, columns, encode)) {
      for (let index = 0; index < row.length; index += 1) values[index]?.push(row[index] ?? null);
    }
    return { into: into(step), types: cells.map(({ type }) => type), rowCount: step.rows.rowCount, columns: values };
  });
  try {
    await client.ask({ type: "transact", steps: sent, isProbe, timeoutMs: EXTRACT_TIMEOUT_MS }, signal, onSent);
  } catch (error) {
    if (!(error instanceof AppError) || !error.details || !("refusal" in error.details)) throw error;
    const { refusal, row, column, place } = error.details;
    if (refusal === "taken") throw new LoadTaken();
    throw new RowRefused(error.message, {
      row: typeof row === "number" ? row : null,
      column: typeof column === "string" ? column : typeof place === "number" ? (columns[place]?.name ?? null) : null,
      cause: error,
    });
  }
}
