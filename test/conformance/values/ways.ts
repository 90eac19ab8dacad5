import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { readXlsx } from "hucre/xlsx";
import type { Batch, Entity, Field, WireValue } from "@/lib/base/values/fields";
import type { ResultStream } from "@/lib/features/connections/data-source";
import type { TableRowsBody } from "@/lib/features/query/schema";
import { arrow } from "@/lib/features/query/serialize/arrow";
import { byteStream } from "@/lib/features/query/serialize/byte-stream";
import { csv } from "@/lib/features/query/serialize/csv";
import { jsonAnswer, jsonFields, readJsonRows } from "@/lib/features/query/serialize/json";
import { ndjson } from "@/lib/features/query/serialize/ndjson";
import { parquet } from "@/lib/features/query/serialize/parquet";
import { settleTypes } from "@/lib/features/query/serialize/settle";
import { xlsx } from "@/lib/features/query/serialize/xlsx";
import { toTableCount, toTablePage } from "@/lib/features/query/table-statement";
import { AppError } from "@/lib/platform/http/errors";
import { ask } from "@/test/conformance/drivers/subjects";
import type { ValueSubject } from "./subjects";
import type { TypeCase } from "./types";

/** One type's tables with their rows, and the displayed values a reader has to get. */
export type ValueTable = {
  type: TypeCase;
  /** With a primary key `id`. */
  keyed: Entity;
  /** With `id` as an ordinary column. */
  keyless: Entity;
  /** The displayed text of `v` by `id`; null for rows without a value. */
  shown: ReadonlyMap<number, string | null>;
  /** The ids in the client's order of `v`, then of `id`; empty for a type that cannot be sorted. */
  ascending: readonly number[];
  descending: readonly number[];
};

/** The sample tests less of each type, so that it ends within a minute. */
export type Depth = "sample" | "whole";

export type Difference = { value: string; expected: string; found: string };
export type Way = (subject: ValueSubject, table: ValueTable, depth: Depth) => Promise<Difference[]>;

export const shownText = (value: WireValue): string | null =>
  value === null ? null : typeof value === "string" ? value : JSON.stringify(value);

/** Whether two values are equal as text, or as JSON values. */
export function isSame(left: string | null, right: string | null, form: TypeCase["form"]): boolean {
  if (left === right) return true;
  if (form !== "json" || left === null || right === null) return false;
  return canonical(left) === canonical(right);
}

/** Whether two numbers have equal digits, ignoring trailing zeros and the exponent. */
export function isSameNumber(left: string | null, right: string | null): boolean {
  const [one, other] = [digitsOf(left ?? ""), digitsOf(right ?? "")];
  return one !== null && one === other;
}

/** Whether two times are equal as instants or as local times, ignoring trailing zeros of the fraction. */
export function isSameTime(left: string | null, right: string | null): boolean {
  const trimmed = (text: string | null) =>
    text !== null && /T\d\d:\d\d:\d\d/.test(text)
      ? text.replace(/\.\d*?(0+)(?=Z?$)/, (fraction, zeros: string) =>
          fraction.slice(0, -zeros.length).replace(/\.$/, ""),
        )
      : null;
  return trimmed(left) !== null && trimmed(left) === trimmed(right);
}

/** @returns null for text that is not a number */
export function digitsOf(text: string): string | null {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === "") return null;
  const all = `${whole}${fraction}`;
  const digits = all.replace(/^0+/, "").replace(/0+$/, "");
  if (digits === "") return "0";
  const zeros = all.length - all.replace(/0+$/, "").length;
  return `${sign}${digits}e${Number(exponent) - fraction.length + zeros}`;
}

/**
 * Whether two JSON values are equal if a number may be a text of its digits: within JSON, flows carry every number as a
 * number, and results show those that exceed a double, and decimals, as text.
 */
export function isSameJson(shown: string, found: string): boolean {
  const exact = (text: string) =>
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
      const digits = digitsOf(token.replace(/^"|"$/g, ""));
      return digits === null ? token : `"${digits}"`;
    });
  return isSame(exact(shown), exact(found), "json");
}

function canonical(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** @param as numbers may be written with other digits, such as 1e3 for 1000 or 1.5 for 1.50 */
function compare(table: ValueTable, found: ReadonlyMap<number, string | null>, as?: "number"): Difference[] {
  const differences: Difference[] = [];
  for (const [id, expected] of table.shown) {
    const value = found.has(id) ? (found.get(id) ?? null) : "(no row)";
    const isNumber = as === "number" && isSameNumber(expected, value);
    if (!isNumber && !isSame(expected, value, table.type.form) && !isSameTime(expected, value)) {
      differences.push({ value: String(expected), expected: String(expected), found: String(value) });
    }
  }
  return differences;
}

type Result = { fields: Field[]; batches: Batch[]; looseTypes: ResultStream["looseTypes"] };
const results = new WeakMap<ValueTable, Promise<Result>>();

/** Returns all rows of a table, read once for every format. */
export function resultOf({ source, select }: ValueSubject, table: ValueTable): Promise<Result> {
  const known = results.get(table);
  if (known) return known;
  const read = async () => {
    const { fields, batches, looseTypes } = await source.query(
      { query: select(table.keyed.name) },
      // Streams are read as bytes; the other ways decode the same rows.
      { readOnly: true, timeoutMs: 60_000, signal: new AbortController().signal, asBytes: true },
    );
    const all: Batch[] = [];
    for await (const batch of batches) all.push(batch);
    return { fields, batches: all, looseTypes };
  };
  const result = read();
  results.set(table, result);
  return result;
}

/** Returns the rows of batches as objects. */
export function rowsOf(fields: readonly Field[], batches: readonly Batch[]): Record<string, WireValue>[] {
  return batches.flatMap(({ rowCount, columns }) =>
    Array.from({ length: rowCount }, (_, row) =>
      Object.fromEntries(fields.map(({ name }, at) => [name, columns[at]?.[row] ?? null])),
    ),
  );
}

async function* each(batches: readonly Batch[]): AsyncGenerator<Batch> {
  yield* batches;
}

const FACTS = { executionId: "", affectedRows: null, resultsOmitted: 0, durationMs: 0, databaseMs: 0 };
const LIMITS = { rows: 10_000, bytes: 1e9, cellBytes: 1e9 };

const json: Way = async (subject, table) => {
  const { fields, batches } = await resultOf(subject, table);
  const rows = await readJsonRows({ fields, batches: each(batches) }, LIMITS);
  const pieces = jsonAnswer({ ...rows, fields: jsonFields(fields) }, [], FACTS);
  const answer = JSON.parse(Buffer.concat(pieces).toString()) as { data: { rows: { id: number; v: WireValue }[] } };
  return compare(table, new Map(answer.data.rows.map(({ id, v }) => [Number(id), shownText(v)])));
};

const FORMATS = { ndjson, csv, arrow, parquet, xlsx };
type Written = { fields: Field[]; bytes: Uint8Array };

/** Returns the bytes of a result, as the query service writes them. */
async function write(subject: ValueSubject, table: ValueTable, format: keyof typeof FORMATS): Promise<Written> {
  const { fields, batches, looseTypes } = await resultOf(subject, table);
  const isText = format === "ndjson" || format === "csv";
  const settled = isText
    ? { fields, batches: each(batches) }
    : await settleTypes(format, fields, each(batches), { loose: looseTypes ?? subject.driver.looseTypes });
  const stream = byteStream(settled.batches, FORMATS[format](settled.fields), null, () => undefined);
  return { fields: settled.fields, bytes: new Uint8Array(await new Response(stream).arrayBuffer()) };
}

const ndjsonWay: Way = async (subject, table) => {
  const { bytes } = await write(subject, table, "ndjson");
  const lines = Buffer.from(bytes)
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  const rows = lines.map((line) => JSON.parse(line) as { id: number; v: WireValue });
  return compare(table, new Map(rows.map(({ id, v }) => [Number(id), shownText(v)])));
};

const csvWay: Way = async (subject, table) => {
  const { bytes } = await write(subject, table, "csv");
  const [, ...records] = readCsv(Buffer.from(bytes).toString());
  // An empty field is null; an empty text is quoted.
  const toShown = (field: CsvField | undefined) =>
    field?.isQuoted || field?.text !== "" ? (field?.text ?? null) : null;
  return compare(table, new Map(records.map(([id, v]) => [Number(id?.text), toShown(v)])));
};

const arrowWay: Way = async (subject, table) => {
  const { bytes } = await write(subject, table, "arrow");
  const rows = tableFromIPC(bytes).toArray() as { id: unknown; v: unknown }[];
  const toShown = (v: unknown) =>
    v === null || v === undefined ? null : v instanceof Uint8Array ? Buffer.from(v).toString("base64") : String(v);
  return compare(table, new Map(rows.map(({ id, v }) => [Number(id), toShown(v)])), "number");
};

const parquetWay: Way = async (subject, table) => {
  const { bytes } = await write(subject, table, "parquet");
  const folder = mkdtempSync(join(tmpdir(), "millrace-values-"));
  const file = join(folder, "rows.parquet");
  await writeFile(file, bytes);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    const described = await connection.runAndReadAll(`describe select v from '${file}'`);
    const type = String(described.getRows()[0]?.[1]);
    const text = type === "BLOB" ? "to_base64(v)" : "v::varchar";
    const rows = (await connection.runAndReadAll(`select id::varchar, ${text} from '${file}'`)).getRows();
    return compare(
      table,
      new Map(rows.map(([id, v]) => [Number(id), v === null ? null : parquetText(String(v), type)])),
      "number",
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
};

/** Returns DuckDB's text of a value in a Parquet column, in the displayed form. */
function parquetText(text: string, type: string): string {
  if (/^(?:DOUBLE|FLOAT)$/.test(type)) return text.replace("nan", "NaN").replace("inf", "Infinity");
  if (!/^(?:DATE|TIMESTAMP)/.test(type)) return text;
  const [, year = "", day = "", bc, time = ""] = /^(\d+)(-\d\d-\d\d)( \(BC\))?(.*)$/.exec(text) ?? [];
  if (year === "") return text;
  const isoYear = bc === undefined ? Number(year) : 1 - Number(year);
  const digits = String(Math.abs(isoYear));
  const isPlain = isoYear >= 0 && digits.length <= 4;
  const written = isPlain ? digits.padStart(4, "0") : `${isoYear < 0 ? "-" : "+"}${digits.padStart(6, "0")}`;
  return `${written}${day}${time.replace(" ", "T").replace(/\+00$/, "Z")}`;
}

const xlsxWay: Way = async (subject, table) => {
  const { fields, bytes } = await write(subject, table, "xlsx");
  const { sheets } = await readXlsx(bytes);
  const type = fields.find(({ name }) => name === "v")?.type ?? "other";
  const found = new Map<number, string | null>();
  for (const [id, v] of sheets[0]?.rows.slice(1) ?? []) {
    const text = sheetText(v, type);
    // In a sheet, an empty text is an empty cell.
    found.set(Number(id), text === null && table.shown.get(Number(id)) === "" ? "" : text);
  }
  return compare(table, found, "number");
};

/** Returns the displayed form of a sheet's cell. */
function sheetText(value: unknown, type: Field["type"]): string | null {
  if (value === null || value === undefined) return null;
  if (!(value instanceof Date)) return String(value);
  const [day = "", clock = ""] = value
    .toISOString()
    .replace(/\.?0*Z$/, "")
    .split("T");
  if (type === "date") return day;
  return type === "time" ? clock : `${day}T${clock}${type === "timestamptz" ? "Z" : ""}`;
}

type CsvField = { text: string; isQuoted: boolean };

/** RFC 4180. */
export function readCsv(text: string): CsvField[][] {
  const records: CsvField[][] = [];
  let record: CsvField[] = [];
  let at = 0;
  while (at < text.length) {
    let field = "";
    const isQuoted = text.charAt(at) === '"';
    if (isQuoted) {
      at += 1;
      for (;;) {
        const end = text.indexOf('"', at);
        field += text.slice(at, end);
        at = end + 1;
        if (text.charAt(at) !== '"') break;
        field += '"';
        at += 1;
      }
    } else {
      const [plain = ""] = /^[^,\r\n]*/.exec(text.slice(at)) ?? [];
      field = plain;
      at += plain.length;
    }
    record.push({ text: field, isQuoted });
    if (text.charAt(at) === ",") {
      at += 1;
      continue;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    records.push(record);
    record = [];
  }
  return records;
}

/** Whether the displayed text is the engine's own syntax of the value. */
export function isBound({ type: { isNotBound } }: ValueTable, text: string): boolean {
  return isNotBound === undefined || (isNotBound !== true && !isNotBound.test(text));
}

const params: Way = async (subject, table) => {
  if (subject.dialectName === null) return [];
  const differences: Difference[] = [];
  for (const text of new Set(table.shown.values())) {
    if (text === null || !isBound(table, text)) continue;
    const query = `select ${subject.cast(subject.placeholder, table.type.type)} as v`;
    // PostgreSQL accepts a list as an array.
    const given = text.startsWith("[") && table.type.type.endsWith("[]") ? JSON.parse(text) : text;
    const answer = await ask(subject.source, query, { params: subject.name === "clickhouse" ? { p: given } : [given] });
    const found = shownText(answer.rows[0]?.[0] ?? null);
    if (!isSame(text, found, table.type.form)) differences.push({ value: text, expected: text, found: String(found) });
  }
  return differences;
};

type Question = Partial<Omit<TableRowsBody, "table">>;

async function page({ driver, source }: ValueSubject, entity: Entity, question: Question) {
  const given = { filters: [], sort: [], limit: 100, ...question };
  const { statement, hidden, toNext } = toTablePage(driver, entity, given);
  const { fields, rows } = await ask(source, statement.query, statement);
  const all = rows
    .slice(0, given.limit)
    .map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, row[i] ?? null])));
  const next = rows.length > given.limit ? toNext(all, fields) : null;
  if (fields.length - hidden.length !== entity.columns?.length) throw new Error("The page has other columns.");
  return { rows: all as Record<string, WireValue>[], next };
}

const PAGES_MAX = 200;

async function allPages(
  subject: ValueSubject,
  entity: Entity,
  question: Question,
): Promise<Record<string, WireValue>[]> {
  const rows: Record<string, WireValue>[] = [];
  let after: string | undefined;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const { rows: found, next } = await page(subject, entity, { ...question, ...(after !== undefined && { after }) });
    rows.push(...found);
    if (next === null) return rows;
    after = next;
  }
  return rows;
}

const idsOf = (rows: readonly Record<string, WireValue>[]) => rows.map(({ id }) => Number(id));

const paging: Way = async (subject, table, depth) => {
  if (subject.dialectName === null) return [];
  const differences: Difference[] = [];
  for (const descending of depth === "sample" ? [false] : [false, true]) {
    const sort = [{ column: "v", descending }];
    if (table.type.isUnordered) {
      const refusal = await page(subject, table.keyed, { sort }).then(() => "no refusal", kindOf);
      if (refusal !== "invalid_request")
        differences.push({ value: "sort", expected: "invalid_request", found: refusal });
      continue;
    }
    const direction = descending ? "desc" : "asc";
    const expected = (descending ? table.descending : table.ascending).join(" ");
    for (const limit of depth === "sample" ? [2] : [2, 100]) {
      const found = await allPages(subject, table.keyed, { sort, limit }).then((rows) => idsOf(rows).join(" "), String);
      if (found !== expected) differences.push({ value: `${direction}, limit ${limit}`, expected, found });
      const loose = await allPages(subject, table.keyless, { sort, limit }).then(
        (rows) =>
          idsOf(rows)
            .sort((a, b) => a - b)
            .join(" "),
        String,
      );
      const each = [...table.shown.keys()].sort((a, b) => a - b).join(" ");
      if (loose !== each)
        differences.push({ value: `${direction}, no key, limit ${limit}`, expected: each, found: loose });
    }
  }
  return differences;
};

const filtering: Way = async (subject, table, depth) => {
  if (subject.dialectName === null) return [];
  const differences: Difference[] = [];
  for (const text of new Set(table.shown.values())) {
    const alike = [...table.shown].filter(([, each]) => each === text).map(([id]) => id);
    const filters: TableRowsBody["filters"] = [{ column: "v", op: "is", value: text }];
    const found = await page(subject, table.keyed, { filters }).then(({ rows }) => idsOf(rows), String);
    const isWhole = typeof found !== "string" && alike.every((id) => found.includes(id));
    const others = typeof found === "string" ? [] : found.filter((id) => !alike.includes(id));
    const isEqual = others.length === 0 || (text !== null && (await areEqual(subject, table, alike[0] ?? 0, others)));
    if (!isWhole || !isEqual) {
      differences.push({ value: `is ${text}`, expected: alike.join(" "), found: String(found) });
      continue;
    }
    if (depth === "sample") continue;
    const statement = toTableCount(subject.driver, table.keyed, [{ column: "v", op: "any", values: [text, null] }]);
    const nulls = [...table.shown.values()].filter((each) => each === null).length;
    const { rows } = await ask(subject.source, statement.query, statement);
    const wanted = text === null ? nulls : found.length + nulls;
    if (Number(rows[0]?.[0]) !== wanted) {
      differences.push({ value: `any of ${text} and null`, expected: String(wanted), found: String(rows[0]?.[0]) });
    }
    const rest = toTableCount(subject.driver, table.keyed, [{ column: "v", op: "not", value: text }]);
    const left = await ask(subject.source, rest.query, rest.params ? { params: rest.params } : {});
    const wantedRest = table.shown.size - found.length;
    if (Number(left.rows[0]?.[0]) !== wantedRest) {
      differences.push({ value: `not ${text}`, expected: String(wantedRest), found: String(left.rows[0]?.[0]) });
    }
  }
  return differences;
};

/**
 * Returns the rows whose text differs but that the database treats as equal, such as intervals of 24 hours and of a
 * day.
 */
async function areEqual({ client }: ValueSubject, { keyed, type }: ValueTable, id: number, others: readonly number[]) {
  if (type.isUnordered) return false;
  const [row] = await client(
    `select count(*) from ${keyed.name} a, ${keyed.name} b where a.id = ${id} and b.id in (${others.join(", ")}) and a.v = b.v`,
  );
  return Number(row?.[0]) === others.length;
}

function kindOf(error: unknown): string {
  return error instanceof AppError ? error.kind : String(error);
}

/** Returns the displayed text of `v` in a table that a flow wrote, by `id`. */
export async function readShown({ source, select }: ValueSubject, name: string): Promise<Map<number, string | null>> {
  // The stand-in for ClickHouse's server repeats all writes for a read-only session.
  const { fields, rows } = await ask(source, select(name), { readOnly: false });
  const [id, v] = ["id", "v"].map((column) => fields.findIndex((field) => field.name === column));
  return new Map(rows.map((row) => [Number(row[id ?? 0]), shownText(row[v ?? 1] ?? null)]));
}

/** Paths of values without those between browser and database (`copy.ts`). */
export const DATABASE_WAYS: Readonly<Record<string, Way>> = {
  json,
  ndjson: ndjsonWay,
  csv: csvWay,
  arrow: arrowWay,
  parquet: parquetWay,
  xlsx: xlsxWay,
  params,
  "rows, page by page": paging,
  "rows, by the shown value": filtering,
};
