import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { readXlsx } from "hucre/xlsx";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Field } from "@/lib/base/values/fields";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { change, type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import { arrow } from "./arrow";
import { byteStream } from "./byte-stream";
import { csv } from "./csv";
import { ndjson } from "./ndjson";
import { parquet } from "./parquet";
import { settleTypes } from "./settle";
import { xlsx } from "./xlsx";

const FORMATS = { csv, ndjson, arrow, parquet, xlsx };
type Format = keyof typeof FORMATS;

/**
 * An expression and its value as text in the form of docs/develop/api.md. The databases' own clients print the same
 * digits. The third text is DuckDB's for a typed Parquet column, if it is spelled differently.
 */
type Case = [expression: string, text: string | null, inParquet?: string];

const INT64: Case[] = [
  ["9007199254740993", "9007199254740993"],
  ["-9223372036854775807 - 1", "-9223372036854775808"],
  ["9223372036854775807", "9223372036854775807"],
];
const TEXTS: Case[] = [
  ["''", ""],
  ["'\u{1f389} \ufffe\uffff \u007f'", "\u{1f389} \ufffe\uffff \u007f"],
  ["'=1+1'", "=1+1"],
  ["'_x0041_'", "_x0041_"],
  ["null", null],
];

const CASES: Partial<Record<SubjectName, Case[]>> = {
  duckdb: [
    ...INT64,
    ...TEXTS,
    ["18446744073709551615::ubigint", "18446744073709551615"],
    ["4294967295::uinteger", "4294967295"],
    ["170141183460469231731687303715884105727::hugeint", "170141183460469231731687303715884105727"],
    ["(-170141183460469231731687303715884105728)::hugeint", "-170141183460469231731687303715884105728"],
    ["340282366920938463463374607431768211455::uhugeint", "340282366920938463463374607431768211455"],
    ["99999999999999999999999999999999999999::decimal(38,0)", "99999999999999999999999999999999999999"],
    ["'123456789012345678901234567890123456789012345'::bignum", "123456789012345678901234567890123456789012345"],
    ["'NaN'::double", "NaN", "nan"],
    ["'-Infinity'::double", "-Infinity", "-inf"],
    ["'-0'::double", "-0", "-0.0"],
    ["5e-324::double", "5e-324"],
    ["1.7976931348623157e308::double", "1.7976931348623157e+308"],
    ["'\\x00\\xFF'::blob", "AP8=", "\\x00\\xFF"],
    ["date '5881580-07-10'", "+5881580-07-10", "5881580-07-10"],
    ["'5877642-06-25 (BC)'::date", "-5877641-06-25", "5877642-06-25 (BC)"],
    ["date '0044-03-15 (BC)'", "-000043-03-15", "0044-03-15 (BC)"],
    ["'infinity'::date", "infinity"],
    ["'-infinity'::timestamp", "-infinity"],
    ["timestamp '294247-01-10 04:00:54.775806'", "+294247-01-10T04:00:54.775806", "294247-01-10 04:00:54.775806"],
    ["timestamptz '2026-11-22 10:00:00.000001+02'", "2026-11-22T08:00:00.000001Z", "2026-11-22 08:00:00.000001+00"],
    ["'2026-11-22 10:00:00.123456789'::timestamp_ns", "2026-11-22T10:00:00.123456789"],
    ["time '24:00:00'", "24:00:00"],
    ["timetz '12:00:00.000001+05:30'", "12:00:00.000001+05:30"],
    ["interval '1 month -2 days 3 microseconds'", "P1M-2DT0.000003S"],
    ["[1, null, 3]", "[1,null,3]"],
    ["{'a': {'b': [18446744073709551615::ubigint]}}", '{"a":{"b":["18446744073709551615"]}}'],
    ["map {'k': 9007199254740993}", '{"k":"9007199254740993"}'],
    ["'a' || chr(0) || 'b'", "a\0b"],
    ["'0101'::bit", "0101"],
    ["'01234567-89ab-cdef-0123-456789abcdef'::uuid", "01234567-89ab-cdef-0123-456789abcdef"],
    ["'{\"a\": 1}'::json", '{"a":1}'],
    ["null::integer", null],
  ],
  postgres: [
    ...INT64,
    ...TEXTS,
    ["'18446744073709551615'::xid8", "18446744073709551615"],
    ["'NaN'::numeric(10,2)", "NaN"],
    [
      "12345678901234567890123456789012345678901234567890.5::numeric",
      "12345678901234567890123456789012345678901234567890.5",
    ],
    ["99999999.99::numeric(10,2)", "99999999.99"],
    ["'-0'::float8", "-0", "-0.0"],
    ["'NaN'::float4", "NaN", "nan"],
    ["date '0044-03-15 BC'", "-000043-03-15", "0044-03-15 (BC)"],
    ["date '5874897-12-31'", "+5874897-12-31", "5874897-12-31"],
    ["'infinity'::date", "infinity"],
    ["timestamp '294276-12-31 23:59:59.999999'", "+294276-12-31T23:59:59.999999"],
    ["'-infinity'::timestamptz", "-infinity"],
    ["time '24:00:00'", "24:00:00"],
    ["'12:34:56.789-05:30'::timetz", "12:34:56.789-05:30"],
    ["interval '-1 day +02:00'", "P-1DT2H"],
    ["b'101'", "101"],
    ["'\\x00ff'::bytea", "AP8=", "\\x00\\xFF"],
    ["array[array[1,2],array[3,null]]", "[[1,2],[3,null]]"],
    ["'<a/>'::xml", "<a/>"],
    ["'01234567-89ab-cdef-0123-456789abcdef'::uuid", "01234567-89ab-cdef-0123-456789abcdef"],
  ],
  mariadb: [
    ...INT64,
    ...TEXTS,
    ["18446744073709551615", "18446744073709551615"],
    ["cast(18446744073709551615 as unsigned)", "18446744073709551615"],
    ["d.day", "0000-00-00"],
    ["d.part", "2026-00-00"],
    ["d.at", "0000-00-00T00:00:00"],
    ["d.stamp", "0000-00-00T00:00:00Z"],
    ["cast('838:59:59' as time)", "838:59:59"],
    ["cast('-838:59:59' as time)", "-838:59:59"],
    ["cast(repeat('9', 65) as decimal(65,0))", "9".repeat(65)],
    ["cast('9999-12-31 23:59:59.999999' as datetime(6))", "9999-12-31T23:59:59.999999", "9999-12-31 23:59:59.999999"],
    ["d.big", "18446744073709551615"],
  ],
  sqlite: [
    ...INT64,
    ...TEXTS,
    ["9e999", "Infinity", "inf"],
    ["-9e999", "-Infinity", "-inf"],
    ["x'00ff'", "AP8=", "\\x00\\xFF"],
    ["1e15", "1000000000000000", "1000000000000000.0"],
  ],
};
const FROM: Partial<Record<SubjectName, string>> = { mariadb: " from odd d" };
const SETUP: Partial<Record<SubjectName, string[]>> = {
  mariadb: [
    "create table odd (day date, part date, at datetime, stamp timestamp null, big bigint unsigned)",
    "insert ignore into odd values ('0000-00-00', '2026-00-00', '0000-00-00', '0000-00-00', 18446744073709551615)",
  ],
};

const folder = mkdtempSync(path.join(tmpdir(), "boundary-"));
let duck: DuckDBInstance;
beforeAll(async () => {
  duck = await DuckDBInstance.create(":memory:");
});
afterAll(() => {
  duck.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the bytes of a result, as the query path writes them. */
async function write(
  subject: Subject,
  source: QueryableSource,
  query: string,
  format: Format,
): Promise<{ fields: Field[]; bytes: Uint8Array }> {
  const { fields, batches } = await source.query(
    { query },
    { readOnly: true, timeoutMs: 60_000, signal: new AbortController().signal, asBytes: true },
  );
  const iterator = batches[Symbol.asyncIterator]();
  const settled =
    format === "csv" || format === "ndjson"
      ? { fields, batches: iterator }
      : await settleTypes(format, fields, iterator, { loose: subject.driver.looseTypes });
  const stream = byteStream(settled.batches, FORMATS[format](settled.fields), null, () => undefined);
  return { fields: settled.fields, bytes: new Uint8Array(await new Response(stream).arrayBuffer()) };
}

/** Readers from other projects, which return the rows as texts. */
const READERS: Record<Format, (bytes: Uint8Array) => Promise<(string | null)[][]>> = {
  csv: async (bytes) => {
    const rows: (string | null)[][] = [[]];
    const text = new TextDecoder().decode(bytes);
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
      if (end === "" && plain === "") break;
      rows.at(-1)?.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain === "" ? null : (plain ?? null));
      if (end === "\r\n") rows.push([]);
    }
    return rows.slice(1, -1);
  },
  ndjson: async (bytes) =>
    new TextDecoder()
      .decode(bytes)
      .trimEnd()
      .split("\n")
      .map((line) => Object.values(JSON.parse(line) as object).map(toText)),
  arrow: async (bytes) =>
    tableFromIPC(bytes)
      .toArray()
      .map((row) =>
        Object.values(row.toJSON() as object).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("base64") : toText(value),
        ),
      ),
  parquet: async (bytes) => {
    const file = path.join(folder, "rows.parquet");
    await writeFile(file, bytes);
    const connection = await duck.connect();
    await connection.run("set timezone = 'UTC'");
    const reader = await connection.runAndReadAll(`select columns(*)::varchar from '${file}'`);
    connection.closeSync();
    return reader.getRowsJson() as (string | null)[][];
  },
  xlsx: async (bytes) => {
    const { sheets } = await readXlsx(bytes);
    return (sheets[0]?.rows.slice(1) ?? []).map((row) => row.map(toText));
  },
};

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "object") return value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

for (const name of Object.keys(CASES) as SubjectName[]) {
  describe(`C8 ${name}`, () => {
    let subject: Subject | null = null;
    let source: QueryableSource;
    beforeAll(async () => {
      subject = await startSubject(name);
      if (!subject) return;
      const writer = await subject.open(false);
      // The file of an engine is created by a statement.
      await change(writer, ...(SETUP[name] ?? ["create table made (n integer)"]));
      await writer.close();
      source = await subject.open(true);
    }, 60_000);
    afterAll(async () => {
      await source?.close();
      await subject?.stop();
    });

    for (const format of Object.keys(FORMATS) as Format[]) {
      it(`writes every boundary value of ${name} exactly as ${format}`, async ({ skip }) => {
        if (!subject) return skip();
        const cases = CASES[name] ?? [];
        const columns = cases.map(([expression], index) => `${expression} as c${index}`);
        const { bytes } = await write(subject, source, `select ${columns.join(", ")}${FROM[name] ?? ""}`, format);
        const [row] = await READERS[format](bytes);
        const found = cases.map(([expression], index) => [expression, row?.[index] ?? null]);
        const wanted = cases.map(([expression, text, inParquet]) => {
          if (format === "parquet") return [expression, inParquet ?? text];
          if (format === "xlsx" && found.find(([each]) => each === expression)?.[1]?.endsWith(".000Z")) {
            return [expression, new Date(`${text}${text?.includes("T") ? "Z" : ""}`).toISOString()];
          }
          return [expression, text];
        });
        expect(found).toEqual(wanted);
      });
    }

    if (name !== "sqlite") return;
    it.each(["arrow", "parquet"] as const)("keeps a late text of a numeric column in %s", async (format) => {
      if (!subject) throw new Error("SQLite is always there.");
      // The first rows determine the type of the column.
      const late = `with recursive t(i) as (select 1 union all select i + 1 from t where i < 20000)
        select i as n, case when i = 20000 then 'N/A' else i end as v from t`;
      const { fields, bytes } = await write(subject, source, late, format);
      expect(fields.map(({ type }) => type)).toEqual(["int64", "string"]);
      const rows = await READERS[format](bytes);
      expect([rows.length, rows[0], rows.at(-1)]).toEqual([20_000, ["1", "1"], ["20000", "N/A"]]);
    });
  });
}
