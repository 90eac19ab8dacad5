import type { Batch, FieldType, WireValue } from "@/lib/base/values/fields";
import { extendBatch } from "@/lib/base/values/row-bytes";
import { AppError } from "@/lib/platform/http/errors";
import type { Checkpoint, ExtractBatch, ExtractRequest, ExtractStream, ResultStream } from "../../../data-source";
import { type CursorCheckpoint, cursorBatches, toCursorCheckpoint } from "./cursor-batches";
import { BatchRows, regroup } from "./regroup";
import { findColumn, type TableColumn, type TableShape } from "./table-shape";

/**
 * Time limit of a reading on the server, in ms. The run ends it by its signal; this is a guard behind that, since a day
 * exceeds any run.
 */
export const EXTRACT_TIMEOUT_MS = 24 * 3_600_000;

/** Returns the options of a reading's statements. */
export function extractOptions(signal: AbortSignal) {
  return { readOnly: true, signal, timeoutMs: EXTRACT_TIMEOUT_MS, jsonAsText: true } as const;
}

/** Types with one total order in which equal means identical; excludes intervals, JSON and NaN of floats. */
const CURSOR_TYPES: ReadonlySet<FieldType> = new Set([
  ...([
    "int32",
    "int64",
    "float64",
    "decimal",
    "string",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "objectId",
  ] as const),
  "binary",
]);

/** A bound parameter and its expression in the statement. */
export type Bound = { sql: string; param: unknown };

export type ExtractDialect = {
  quote(name: string): string;
  /** Suffix of a column in ORDER BY that puts rows without a value first; empty where that is the default. */
  nullsFirst: string;
  /**
   * Returns the expression that orders and compares the cursor: texts by their bytes, regardless of the column's
   * collation, since it may treat different texts as equal.
   */
  cursorOrder(column: TableColumn, expression: string): string;
  /** Binds a value of the column for `query`. @param place counts from 1 */
  bind(value: Exclude<WireValue, null>, column: TableColumn, place: number): Bound;
};

export type ExtractEngine = {
  dialect: ExtractDialect;
  /** Returns null when there is no table or view of that name. */
  describe(entity: ExtractRequest["entity"], signal: AbortSignal): Promise<TableShape | null>;
  /** Runs one statement through the guards of a read-only connection. */
  query(sql: string, params: unknown[]): Promise<ResultStream>;
};

/** Reads a table or view by SQL, for flows. */
export async function extractBySql(engine: ExtractEngine, request: ExtractRequest): Promise<ExtractStream> {
  const { entity, signal } = request;
  const shape = await engine.describe(entity, signal);
  if (!shape) throw new AppError("invalid_request", `Table or view ${nameOf(entity)} not found, or access is denied.`);
  const reading = request.cursorField === null ? wholeReading(shape, request) : cursorReading(shape, request);
  const statement = statementFor(engine.dialect, shape, reading);
  const { fields, batches } = await engine.query(statement.sql, statement.params);
  return { fields, batches: untilLeft(reading.toBatches(batches, fields.length), signal) };
}

/**
 * Reads one batch ahead while the reader writes the previous one. A batch may still arrive after an abort; the reader
 * then gets the abort instead of more rows.
 */
async function* untilLeft<T>(batches: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = batches[Symbol.asyncIterator]();
  let isOver = false;
  const ask = () => {
    const step = iterator.next();
    // The reader gets the failure when it awaits the step; it may never do so.
    step.catch(() => {});
    return step;
  };
  let next = ask();
  try {
    for (;;) {
      const { done, value } = await next;
      isOver = done === true;
      signal.throwIfAborted();
      if (done) return;
      next = ask();
      yield value;
      signal.throwIfAborted();
    }
  } finally {
    // The pending step is not awaited: the reading ends when it has arrived.
    if (!isOver) void iterator.return?.().catch(() => {});
  }
}

type Reading = {
  cursor: TableColumn | null;
  key: TableColumn[];
  from: { value?: WireValue; isOpen?: boolean; key?: WireValue[] } | null;
  toBatches(batches: AsyncIterable<Batch>, width: number): AsyncIterable<ExtractBatch>;
};

/** Reads all rows in a consistent snapshot: one statement sees no change after its start. */
function wholeReading(shape: TableShape, { from, batchRows }: ExtractRequest): Reading {
  const key = shape.primaryKey.map((name) => columnOf(shape, name));
  const places = key.map((column) => shape.columns.indexOf(column));
  const begun = typeof from === "object" && from !== null && "key" in from ? from.key : undefined;
  return {
    cursor: null,
    key,
    from: Array.isArray(begun) && begun.length === key.length && key.length > 0 ? { key: begun } : null,
    async *toBatches(batches, width) {
      for await (const batch of regroup(batches, width, batchRows)) {
        const rows = new BatchRows(batch);
        const last = places.map((place) => rows.value(place, batch.rowCount - 1));
        const checkpoint: Checkpoint | null = key.length > 0 ? { key: last } : null;
        yield extendBatch(batch, { checkpoint });
      }
    },
  };
}

function cursorReading(shape: TableShape, { cursorField, primaryKey, from, batchRows }: ExtractRequest): Reading {
  const cursor = columnOf(shape, cursorField ?? "");
  if (!CURSOR_TYPES.has(cursor.type)) {
    throw new AppError(
      "invalid_request",
      `${cursor.name} (${cursor.dbType}) can't be a cursor field. Choose a number, text, date or time column.`,
    );
  }
  const key = primaryKey.map((name) => columnOf(shape, name));
  const begun: CursorCheckpoint | null = toCursorCheckpoint(from);
  const hasKey = key.length > 0;
  return {
    cursor,
    key,
    from: begun && {
      value: begun.value,
      isOpen: hasKey,
      ...(begun.key && begun.key.length === key.length && hasKey && { key: begun.key }),
    },
    toBatches: (batches, width) =>
      cursorBatches(
        batches,
        {
          cursor: shape.columns.indexOf(cursor),
          cursorType: cursor.type,
          key: key.map((column) => shape.columns.indexOf(column)),
        },
        { width, batchRows, from: begun },
      ),
  };
}

function statementFor(dialect: ExtractDialect, shape: TableShape, { cursor, key, from }: Reading) {
  const params: unknown[] = [];
  const { quote } = dialect;
  const bind = (value: WireValue, column: TableColumn): string => {
    const { sql, param } = dialect.bind(value as Exclude<WireValue, null>, column, params.length + 1);
    params.push(param);
    return sql;
  };
  const table = [...(shape.schema === null ? [] : [shape.schema]), shape.name].map(quote).join(".");
  const order = cursor && dialect.cursorOrder(cursor, quote(cursor.name));
  const compared = (value: WireValue) => (cursor ? dialect.cursorOrder(cursor, bind(value, cursor)) : "");
  const behindKey = (values: readonly WireValue[]): string => {
    // Rows with a null key come before all others.
    const known = key.flatMap((column, index) => (values[index] === null ? [] : [[column, values[index]] as const]));
    const names = known.map(([column]) => quote(column.name)).join(", ");
    const bound = known.map(([column, value]) => bind(value ?? null, column)).join(", ");
    return known.length === 1 ? `${names} > ${bound}` : `(${names}) > (${bound})`;
  };
  const where = (): string | null => {
    if (!from) return null;
    if (!cursor) return from.key ? behindKey(from.key) : null;
    const { value = null } = from;
    if (value === null)
      return from.key
        ? `(${order} is not null or ${behindKey(from.key)})`
        : from.isOpen
          ? null
          : `${order} is not null`;
    if (from.key)
      return `(${order} > ${compared(value)} or (${order} = ${compared(value)} and ${behindKey(from.key)}))`;
    return `${order} ${from.isOpen ? ">=" : ">"} ${compared(value)}`;
  };
  const condition = where();
  const orders = [...(order ? [order] : []), ...key.map((column) => quote(column.name))];
  const sql = [
    `select ${shape.columns.map(({ name }) => quote(name)).join(", ")} from ${table}`,
    ...(condition === null ? [] : [`where ${condition}`]),
    ...(orders.length === 0 ? [] : [`order by ${orders.map((each) => `${each}${dialect.nullsFirst}`).join(", ")}`]),
  ].join(" ");
  return { sql, params };
}

function columnOf(shape: TableShape, name: string): TableColumn {
  const column = findColumn(shape, name);
  if (column) return column;
  const known = shape.columns
    .map((each) => each.name)
    .slice(0, 20)
    .join(", ");
  throw new AppError("invalid_request", `${shape.name} has no column ${name}. Columns: ${known}.`);
}

function nameOf({ schema, name }: ExtractRequest["entity"]): string {
  return schema === undefined ? name : `${schema}.${name}`;
}
