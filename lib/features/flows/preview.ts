import "server-only";
import { ObjectId } from "mongodb";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { jsonStart } from "@/lib/base/values/json-slices";
import { isJsonText } from "@/lib/base/values/json-text";
import type { DataSource } from "@/lib/features/connections/data-source";
import { jsonValue } from "@/lib/features/connections/drivers/shared/wire-values";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { withDataSource } from "@/lib/features/connections/pool";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { admit } from "@/lib/features/query/admission";
import { applicantOf } from "@/lib/features/query/applicant";
import { uniqueColumnNames } from "@/lib/features/query/column-names";
import { runQuery } from "@/lib/features/query/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { refuseWide } from "./refuse-wide";
import type { FlowPreview, PreviewBody } from "./schema";

/** Number of rows, enough to see what the columns hold. */
const ROWS_MAX = 20;
/** Short, since a user waits for it. */
const TIMEOUT_MS = 30_000;
/** Maximum length of a text, or of an object as JSON. */
const CELL_CHARS_MAX = 500;

/**
 * Returns the first rows that a flow would read, with the columns that it would write. Changes and stores nothing.
 * @param signal aborts when the caller leaves
 * @throws AppError `not_found`; `invalid_request` for a connection or entity that cannot be read; the source's error
 */
export async function previewSource(caller: Caller, body: PreviewBody, signal: AbortSignal): Promise<FlowPreview> {
  const connection = await getConnectionDocOrThrow(caller, new ObjectId(body.connectionId));
  const started = performance.now();
  const { fields, rows } =
    "query" in body
      ? await ofQuery(caller, connection, body.query, signal)
      : await ofEntity(caller, connection, body.entity, signal);
  const names = uniqueColumnNames(fields.map(({ name }) => name));
  return {
    fields: fields.map(({ type, dbType }, index) => ({ name: names[index] ?? "", type, dbType })),
    rows: rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index] ?? "", toShown(value)]))),
    durationMs: Math.round(performance.now() - started),
  };
}

type FirstRows = { fields: Field[]; rows: WireValue[][] };

/** Runs a query like a console on a read-only connection. */
async function ofQuery(
  caller: Caller,
  connection: ConnectionDoc,
  query: string,
  signal: AbortSignal,
): Promise<FirstRows> {
  const { fields, rows } = await runQuery(caller, {
    connection,
    origin: { kind: "preview", id: null },
    statement: { query },
    limit: ROWS_MAX,
    timeoutMs: TIMEOUT_MS,
    readOnly: true,
    signal,
  });
  return { fields, rows: rows.map((row) => Object.values(row)) };
}

async function ofEntity(
  caller: Caller,
  connection: ConnectionDoc,
  entity: { name: string; schema?: string },
  leaving: AbortSignal,
): Promise<FirstRows> {
  const stop = new AbortController();
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([leaving, late, stop.signal]);
  try {
    const leave = await admit(applicantOf(caller, connection), signal);
    try {
      return await raceAbort(
        withDataSource(connection, (source) => readFirst(source, entity, signal)),
        signal,
      );
    } finally {
      leave();
    }
  } catch (error) {
    if (!late.aborted) throw error;
    throw new AppError("timeout", "The source timed out. Try again.", { cause: error });
  } finally {
    stop.abort(new AppError("cancelled", "The read has ended."));
  }
}

async function readFirst(
  source: DataSource,
  entity: { name: string; schema?: string },
  signal: AbortSignal,
): Promise<FirstRows> {
  if (!source.extract) throw new AppError("invalid_request", "Flows can't read this connection type.");
  const stream = await source.extract({
    entity,
    cursorField: null,
    primaryKey: [],
    from: null,
    batchRows: ROWS_MAX,
    signal,
  });
  let fields = stream.fields;
  refuseWide(fields);
  const rows: WireValue[][] = [];
  for await (const batch of stream.batches) {
    fields = batch.fields ?? fields;
    refuseWide(fields);
    rows.push(...rowsOf(batch, ROWS_MAX - rows.length));
    if (rows.length >= ROWS_MAX) break;
  }
  return { fields, rows };
}

function rowsOf({ rowCount, columns }: Batch, max: number): WireValue[][] {
  return Array.from({ length: Math.min(rowCount, max) }, (_, row) => columns.map((column) => column[row] ?? null));
}

/** Returns a value in the form of a response, cut if it is long. */
function toShown(value: WireValue): WireValue {
  return shorten(isJsonText(value) ? jsonValue(value.json) : value);
}

function shorten(value: WireValue): WireValue {
  if (value === null || (typeof value !== "string" && typeof value !== "object")) return value;
  const text = typeof value === "string" ? value : jsonStart(value, CELL_CHARS_MAX);
  return text.length > CELL_CHARS_MAX ? `${text.slice(0, CELL_CHARS_MAX)}...` : value;
}
