import "server-only";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Batch, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import { OUT_OF_MEMORY } from "@/lib/platform/embedded/engine/failures";
import { EngineClient } from "@/lib/platform/engines/client";
import { type EngineLease, leaseEngine } from "@/lib/platform/engines/service";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { absolutePath } from "@/lib/platform/process/paths";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { serverMember } from "@/lib/platform/process/server-context";
import { Answers } from "./answer-cache";
import type { Together } from "./batched-statement";
import { type Answer, finishBatch, toAnswer } from "./finish";
import {
  type Question,
  type Statement,
  type TableField,
  toCountStatement,
  toDropStatements,
  toLoadStatement,
  toWordStatements,
  wordsOf,
} from "./statement";

/** A stored result that crossfilter can read. */
export type Kept = {
  /** Identifies its rows permanently: other rows have another id. */
  id: string;
  fields: Field[];
  rowCount: number;
  /** Reads Parquet; called when this server has no table of it. */
  read: () => AsyncIterable<Uint8Array>;
};

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
/** Reading a million rows of twenty columns takes some seconds on a slow machine. */
const LOAD_TIMEOUT_MS = 120_000;
/** A user who clicks has given up by then. */
const ASK_TIMEOUT_MS = 30_000;
/** A million rows over a slow connection. The readers of streams limit their concurrency. */
const STREAM_TIMEOUT_MS = 5 * 60_000;
/** Longer than any table takes to load: an untouched folder belongs to a server that was killed. */
const FOLDER_LEFT_MS = 24 * 60 * 60 * 1000;
/** Maximum number of cells of all tables together: some hundred bytes a row, within the engine's memory. */
const CELLS_MAX = 60_000_000;
/**
 * Maximum number of cells of one table. A larger one exceeds the engine's memory, which it would only discover after
 * minutes, at each click.
 */
const CELLS_OF_ONE_MAX = 2 * CELLS_MAX;
const NUMBERS: ReadonlySet<FieldType> = new Set(["int32", "int64", "float64", "decimal"]);
/** Types whose columns are text in a file only when a value is outside the type. */
const TYPED: ReadonlySet<FieldType> = new Set(["boolean", "binary"]);
const DECIMAL_DIGITS_MAX = 38;
const MICRO_DIGITS = 6;
const NANO_DIGITS = 9;

type Table = { name: string; fields: TableField[]; cells: number; lastUsed: number };
export type Tables = {
  client: EngineClient;
  lease: EngineLease;
  folder: string;
  loaded: Map<string, Promise<Table>>;
  answers: Answers;
  count: number;
};

type Build<T extends Question> = (table: string, fields: readonly TableField[]) => T;

/**
 * Runs one statement on a stored result's table, which is loaded if missing.
 * @param zone time zone for days, weeks and hours
 * @param build receives the table's name and columns: decimals that fit no column type of the engine are text
 * @throws AppError `invalid_request` of `build`, `cancelled`, `timeout`, `unavailable`
 */
export function queryTables(kept: Kept, zone: string, build: Build<Statement>, signal: AbortSignal): Promise<Answer> {
  return withTable(kept, zone, build, signal, async (tables, statement) =>
    toAnswer(statement, await answerOnce(tables, statement, signal)),
  );
}

/** Runs several queries as one statement. */
export function queryTablesTogether(
  kept: Kept,
  zone: string,
  build: Build<Together>,
  signal: AbortSignal,
): Promise<Answer[]> {
  return withTable(kept, zone, build, signal, async (tables, together) =>
    together.part(await answerOnce(tables, together, signal)),
  );
}

/** Does the same as `queryTables` and measures the engine's time for rows in memory, without the cache of answers. */
export function timeKept(
  kept: Kept,
  zone: string,
  build: Build<Statement>,
  signal: AbortSignal,
): Promise<{ answer: Answer; tookMs: number }> {
  return withTable(kept, zone, build, signal, async (tables, statement) => {
    const began = performance.now();
    const answer = toAnswer(statement, await readWhole(tables, statement, signal));
    return { answer, tookMs: performance.now() - began };
  });
}

/**
 * Streams an answer batch by batch, for more rows than memory should hold; with one row more than the statement's limit
 * when there are more. Leaving the loop early aborts the statement.
 */
export function streamKept(
  kept: Kept,
  zone: string,
  build: Build<Statement>,
  signal: AbortSignal,
): Promise<{ fields: Field[]; limit: number; batches: AsyncIterator<Batch> }> {
  return withTable(kept, zone, build, signal, async (tables, statement) => {
    const { batches } = await execute(tables, statement.sql, statement.values, signal, STREAM_TIMEOUT_MS);
    const inner = batches[Symbol.asyncIterator]();
    const finish = (step: IteratorResult<Batch>): IteratorResult<Batch> =>
      step.done ? step : { done: false, value: finishBatch(step.value, statement.finish) };
    // The engine reports a dropped table with the first batch.
    let first: IteratorResult<Batch> | null = finish(await inner.next());
    const next = async () => {
      const step = first ?? finish(await inner.next());
      first = null;
      return step;
    };
    const leave = async () => (await inner.return?.()) ?? { done: true as const, value: undefined };
    return { fields: statement.fields, limit: statement.limit, batches: { next, return: leave } };
  });
}

async function withTable<Q extends Question, T>(
  kept: Kept,
  zone: string,
  build: Build<Q>,
  signal: AbortSignal,
  run: (tables: Tables, question: Q) => Promise<T>,
): Promise<T> {
  const tables = await open();
  const key = `${kept.id} ${zone}`;
  for (let isAgain = false; ; isAgain = true) {
    const loading = loadingOf(tables, key, kept, zone);
    const table = await raceAbort(loading, signal);
    table.lastUsed = performance.now();
    const statement = build(table.name, table.fields);
    try {
      return await run(tables, statement);
    } catch (error) {
      // A restarted engine has no tables, and a table may have been evicted a moment ago.
      if (isAgain || !isUnknownTable(error)) throw error;
      if (tables.loaded.get(key) === loading) tables.loaded.delete(key);
    }
  }
}

/** Loads a stored result into a table before it is needed. Errors surface in the later query. */
export function warmKept(kept: Kept, zone: string): void {
  open()
    .then((tables) => loadingOf(tables, `${kept.id} ${zone}`, kept, zone))
    .catch(() => {});
}

/**
 * Loads new rows into tables before they replace others, in the same time zones: later clicks find them there. Errors
 * are ignored.
 */
export async function followKept(beforeId: string, kept: Kept): Promise<void> {
  const tables = await sharedTables().tables?.catch(() => null);
  if (!tables) return;
  const zones = [...tables.loaded.keys()].flatMap((key) =>
    key.startsWith(`${beforeId} `) ? [key.slice(beforeId.length + 1)] : [],
  );
  for (const zone of zones) await loadingOf(tables, `${kept.id} ${zone}`, kept, zone).catch(() => {});
}

const sharedTables = serverMember("crossfilterTables", () => ({ tables: null }), {
  phase: "clients",
  close: async (holder) => {
    const tables = await holder.tables?.catch(() => null);
    if (!tables) return;
    await tables.client.close();
    await tables.lease.release();
    await rm(tables.folder, { recursive: true, force: true });
  },
});

function open(): Promise<Tables> {
  const holder = sharedTables();
  holder.tables ??= start().catch((error: unknown) => {
    holder.tables = null;
    throw error;
  });
  return holder.tables;
}

/** Starts the engine. Each server process has a separate engine and files: they cache the store. */
async function start(): Promise<Tables> {
  const root = join(absolutePath(env().DATA_DIR), "crossfilter");
  await mkdir(root, { recursive: true, mode: OWNER_ONLY_FOLDER });
  await removeLeft(root);
  const folder = await mkdtemp(join(root, "server-"));
  const lease = await leaseEngine({ kind: "memory", path: join(folder, "tables"), readOnlyFile: false, trusted: true });
  return { client: new EngineClient(lease.socket), lease, folder, loaded: new Map(), answers: new Answers(), count: 0 };
}

/** Deletes folders of servers that were killed. */
async function removeLeft(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const path = join(root, name);
    const touched = await stat(path).catch(() => null);
    if (touched && Date.now() - touched.mtimeMs > FOLDER_LEFT_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Loads a table once for all callers: one that leaves does not abort it for the others. */
function loadingOf(tables: Tables, key: string, kept: Kept, zone: string): Promise<Table> {
  const there = tables.loaded.get(key);
  if (there) return there;
  const loading = load(tables, kept, zone);
  tables.loaded.set(key, loading);
  loading.catch(() => tables.loaded.delete(key));
  return loading;
}

async function load(tables: Tables, kept: Kept, zone: string): Promise<Table> {
  if (kept.rowCount * kept.fields.length > CELLS_OF_ONE_MAX) throw tooLarge();
  tables.count += 1;
  const name = `t${tables.count}`;
  const file = `${name}.parquet`;
  const path = join(tables.folder, file);
  let rowCount: number;
  let words: number[];
  let plan: ColumnPlan;
  try {
    await pipeline(Readable.from(kept.read()), createWriteStream(path, { flags: "wx", mode: OWNER_ONLY_FILE }));
    const counted = `${name}n`;
    const [counts = []] = await readThrough(tables, counted, toCountStatement(counted, file, kept.fields));
    rowCount = Number(counts[0]);
    words = wordsOf(kept.fields, counts.map(Number));
    const facts = `${name}f`;
    const factsOf = (query: string) =>
      readThrough(tables, facts, { sql: `create table ${facts} as ${query}`, values: [] });
    plan = await planColumns(factsOf, file, kept.fields);
    const { sql, values } = toLoadStatement(name, file, plan.fields, zone, words, plan.casts);
    const steps = [
      ...toWordStatements(name, file, words).map((run) => ({ run, params: [] })),
      { run: sql, params: values },
    ];
    await transact(tables, steps).catch(async (error: unknown) => {
      if (!isOutOfMemory(error)) throw error;
      await makeRoom(tables, CELLS_MAX);
      await transact(tables, steps);
    });
  } catch (error) {
    if (isOutOfMemory(error)) throw tooLarge(error);
    if (!(error instanceof AppError) || error.kind !== "timeout") throw error;
    const words = "Preparing these rows takes too long. Select fewer columns or rows.";
    throw new AppError("timeout", words, { cause: error });
  } finally {
    await rm(path, { force: true });
  }
  const fields = plan.fields.map(
    (field, index): TableField => (words.includes(index) ? { ...field, isWord: true } : field),
  );
  const cells = rowCount * fields.length;
  await makeRoom(tables, cells);
  return { name, fields, cells, lastUsed: performance.now() };
}

function tooLarge(cause?: unknown): AppError {
  const words = "These rows need too much memory. Select fewer columns or rows.";
  return new AppError("too_large", words, { cause });
}

/** Drops the tables unused for longest. */
async function makeRoom(tables: Tables, cells: number): Promise<void> {
  const held = await Promise.all(
    [...tables.loaded].map(async ([key, loading]) => ({
      key,
      table: await Promise.race([loading.catch(() => null), null]),
    })),
  );
  const there = held
    .flatMap(({ key, table }) => (table ? [{ key, table }] : []))
    .sort((a, b) => a.table.lastUsed - b.table.lastUsed);
  let sum = there.reduce((all, { table }) => all + table.cells, cells);
  for (const { key, table } of there) {
    if (sum <= CELLS_MAX) return;
    tables.loaded.delete(key);
    sum -= table.cells;
    await transact(
      tables,
      toDropStatements(table.name, table.fields).map((run) => ({ run, params: [] })),
    );
  }
}

/** Queries a file. */
type Look = (query: string) => Promise<WireValue[][]>;

type ColumnPlan = {
  fields: TableField[];
  /** Types of columns that the file stores as text. */
  casts: Map<number, string>;
};

/**
 * Plans the columns of a table. Values that Parquet has no type for, or that are outside their column's type, were
 * stored as text: decimals of unknown precision, times below a microsecond, a word among numbers, 0000-00-00. The table
 * restores their type where a single type of the engine holds the whole column.
 */
async function planColumns(look: Look, file: string, kept: readonly Field[]): Promise<ColumnPlan> {
  const casts = new Map<number, string>();
  if (kept.length === 0) return { fields: [], casts };
  const found = (await look(`select column_type from (describe from read_parquet('${file}'))`)).flat();
  const fields: TableField[] = [];
  for (const [index, field] of kept.entries()) {
    const isText = found[index] === "VARCHAR";
    if (isText && NUMBERS.has(field.type)) fields.push(await planNumber(look, file, index, field, casts));
    else if (isText && isTime(field)) fields.push(await planTime(look, file, index, field, casts));
    else fields.push(isText && TYPED.has(field.type) ? { ...field, type: "string" } : field);
  }
  return { fields, casts };
}

/** @returns the column as a decimal, or as text, which has no sum, where no single type holds all its digits */
async function planNumber(
  look: Look,
  file: string,
  index: number,
  field: Field,
  casts: ColumnPlan["casts"],
): Promise<TableField> {
  const plain = "regexp_full_match(v, '-?\\d+(\\.\\d+)?')";
  const [facts] = await look(
    `select coalesce(max(length(ltrim(split_part(v, '.', 1), '-'))), 1),
            coalesce(max(length(split_part(v, '.', 2))), 0),
            any_value(v) filter (where not ${plain})
     from (select #${index + 1} as v from read_parquet('${file}'))`,
  );
  const [whole, scale, odd] = [Number(facts?.[0]), Number(facts?.[1]), facts?.[2] ?? null];
  if (odd !== null) return { ...field, type: "string", odd: String(odd) };
  if (whole + scale > DECIMAL_DIGITS_MAX) return { ...field, type: "string" };
  casts.set(index, `decimal(${DECIMAL_DIGITS_MAX}, ${scale})`);
  return { ...field, type: "decimal" };
}

/** @returns the column as times, or as text with a clock column where no single type holds all its digits and days */
async function planTime(
  look: Look,
  file: string,
  index: number,
  field: Field,
  casts: ColumnPlan["casts"],
): Promise<TableField> {
  const { type } = field;
  const [facts] = await look(
    `select coalesce(max(length(regexp_extract(v, '\\.(\\d+)', 1))), 0),
            any_value(v) filter (where try_cast(v as ${type}) is null),
            count(*) filter (where v is not null and try_cast(v as timestamp_ns) is null)
     from (select #${index + 1} as v from read_parquet('${file}'))`,
  );
  const [digits, odd, beyondNanos] = [Number(facts?.[0]), facts?.[1] ?? null, Number(facts?.[2])];
  if (odd !== null) return { ...field, isTimeText: true, odd: String(odd) };
  if (digits <= MICRO_DIGITS) {
    casts.set(index, type);
    return field;
  }
  if (type !== "timestamp" || digits > NANO_DIGITS || beyondNanos > 0) return { ...field, isTimeText: true };
  casts.set(index, "timestamp_ns");
  return { ...field, isNanos: true };
}

/**
 * Returns the rows of a table that a statement creates, and drops it: only statements that create tables may read
 * files.
 */
async function readThrough(
  tables: Tables,
  table: string,
  { sql, values }: { sql: string; values: string[] },
): Promise<WireValue[][]> {
  await transact(tables, [{ run: sql, params: values }]);
  const drop = () => transact(tables, [{ run: `drop table ${table}`, params: [] }]);
  const rows = await rowsOf(tables, `from ${table}`).catch(async (error: unknown) => {
    await drop().catch(() => {});
    throw error;
  });
  await drop();
  return rows;
}

function isTime({ type }: Field): boolean {
  return type === "date" || type === "timestamp" || type === "timestamptz";
}

async function rowsOf(tables: Tables, sql: string): Promise<WireValue[][]> {
  const { rowCount, columns } = await readWhole(tables, { sql, values: [] }, new AbortController().signal);
  return Array.from({ length: rowCount }, (_, row) => columns.map((column) => column[row] ?? null));
}

/** Table names of an engine are never reused, so the statement's text also identifies its rows. */
function answerOnce(tables: Tables, { sql, values }: Question, signal: AbortSignal): Promise<Batch> {
  const question = JSON.stringify([sql, values]);
  return tables.answers.once(question, signal, (leave) => readWhole(tables, { sql, values }, leave));
}

async function readWhole(tables: Tables, { sql, values }: Question, signal: AbortSignal): Promise<Batch> {
  const { fields, batches } = await execute(tables, sql, values, signal);
  const columns: WireValue[][] = fields.map(() => []);
  let rowCount = 0;
  for await (const batch of batches) {
    rowCount += batch.rowCount;
    for (const [index, column] of batch.columns.entries()) for (const value of column) columns[index]?.push(value);
  }
  return { rowCount, columns };
}

function execute(
  { client }: Tables,
  query: string,
  params: Statement["values"],
  signal: AbortSignal,
  timeoutMs = ASK_TIMEOUT_MS,
) {
  const request = { type: "execute" as const, query, params, readOnly: true, timeoutMs };
  return client.execute({ ...request, cellBytesMax: null }, signal);
}

async function transact({ client }: Tables, steps: { run: string; params: string[] }[]): Promise<void> {
  const request = { type: "transact" as const, steps, isProbe: false, timeoutMs: LOAD_TIMEOUT_MS };
  await client.ask(request, new AbortController().signal);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof AppError && error.message.startsWith(OUT_OF_MEMORY);
}

function isUnknownTable(error: unknown): boolean {
  return (
    error instanceof AppError &&
    error.kind === "query_failed" &&
    /Table with name t\d+ does not exist/.test(error.message)
  );
}
