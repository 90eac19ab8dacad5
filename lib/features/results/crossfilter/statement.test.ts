import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { bindParams } from "@/lib/platform/embedded/engine/params";
import { decodeColumn } from "@/lib/platform/embedded/engine/values";
import { finishBatch } from "./finish";
import { type AggregateSpec, aggregateSpec, type Condition } from "./spec";
import {
  type Statement,
  type TableField,
  toAggregateStatement,
  toCountStatement,
  toDropStatements,
  toListStatement,
  toLoadStatement,
  toWordStatements,
  wordsOf,
} from "./statement";

const FIELDS: Field[] = [
  { name: "id", type: "int64", dbType: "BIGINT" },
  { name: "price", type: "decimal", dbType: "DECIMAL(10,2)" },
  { name: "weight", type: "float64", dbType: "DOUBLE" },
  { name: 'the "group"', type: "string", dbType: "VARCHAR" },
  { name: "at", type: "timestamptz", dbType: "TIMESTAMP WITH TIME ZONE" },
  { name: "day", type: "date", dbType: "DATE" },
  { name: "paid", type: "boolean", dbType: "BOOLEAN" },
];
/** Hours around both changes of Berlin's clocks, and a row of nulls. */
const ROWS = `
  select * from (values
    (1, 10.00, 0.1, 'b', timestamptz '2026-03-29 00:30:00+00', date '2026-03-29', true),
    (2, 20.01, 0.2, 'a', timestamptz '2026-03-29 01:30:00+00', date '2026-03-29', false),
    (3, 30.01, 0.3, 'a', timestamptz '2026-03-31 22:30:00+00', date '2026-03-31', true),
    (4, 40.00, 0.4, 'B', timestamptz '2026-10-25 00:30:00+00', date '2026-10-25', null),
    (5, 50.00, 0.5, 'b', timestamptz '2026-10-25 01:30:00+00', date '2026-10-25', true),
    (6, null, null, null, null, null, null)
  ) t(id, price, weight, g, "at", day, paid)`;

let connection: DuckDBConnection;
const folder = mkdtempSync(join(tmpdir(), "millrace-crossfilter-"));

beforeAll(async () => {
  const instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  const file = join(folder, "kept.parquet");
  const typed = 'id::bigint, price::decimal(10,2), weight::double, g::varchar, "at", day, paid';
  await connection.run(`copy (select ${typed} from (${ROWS})) to '${file}' (format parquet)`);
  await answer(toLoadStatement("kept", file, FIELDS, "Europe/Berlin"));
  await answer(toCountStatement("counted", file, FIELDS));
  const [counts = []] = await answer({ sql: "select * from counted", values: [] });
  // Three distinct texts in six rows.
  const words = wordsOf(FIELDS, counts.map(Number));
  expect(words).toEqual([3]);
  for (const sql of toWordStatements("worded", file, words)) await answer({ sql, values: [] });
  await answer(toLoadStatement("worded", file, FIELDS, "Europe/Berlin", words));
});
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

async function answer({ sql, values, finish }: Pick<Statement, "sql" | "values"> & Partial<Statement>) {
  const statement = await connection.prepare(sql);
  bindParams(statement, values);
  const result = await statement.run();
  const columns: WireValue[][] = Array.from({ length: result.columnCount }, () => []);
  for (const chunk of await result.fetchAllChunks()) {
    for (const [index, column] of columns.entries()) {
      column.push(...decodeColumn(chunk.getColumnVector(index), result.columnType(index), 0, chunk.rowCount));
    }
  }
  const batch = { rowCount: columns[0]?.length ?? 0, columns };
  const { columns: finished, rowCount } = finish ? finishBatch(batch, finish) : batch;
  return Array.from({ length: rowCount }, (_, row) => finished.map((column) => column[row]));
}

const TABLES: [string, string, TableField[]][] = [
  ["texts", "kept", FIELDS],
  ["words", "worded", FIELDS.map((field) => (field.type === "string" ? { ...field, isWord: true } : field))],
];
describe.each(TABLES)("where texts are held as %s:", (_, table, fields) => {
  const ask = (spec: Partial<Record<keyof AggregateSpec, unknown>>, ...conditions: Condition[]) =>
    answer(toAggregateStatement(table, fields, aggregateSpec.parse(spec), conditions));

  describe("groups", () => {
    it("are exact: sums, averages and medians of decimals", async () => {
      const measures = ["sum", "avg", "min", "max", "median"].map((op) => ({ field: "price", op }));
      expect(await ask({ measures })).toEqual([["150.02", "30.00400000", "10.00", "50.00", "30.01000000"]]);
      const ids = ["sum", "avg", "median", "count", "countDistinct"].map((op) => ({ field: "id", op }));
      expect(await ask({ measures: ids })).toEqual([[21, 3.5, 3.5, 6, 6]]);
      const weights = ["sum", "avg", "median"].map((op) => ({ field: "weight", op }));
      expect(await ask({ measures: [...weights, { op: "count" }] })).toEqual([[1.5, 0.3, 0.3, 6]]);
    });

    it("have quartiles: values of the column, and interpolated only for binary fractions", async () => {
      const quartiles = (field: string) => ask({ measures: ["q1", "q3"].map((op) => ({ field, op })) });
      expect(await quartiles("price")).toEqual([["20.01", "40.00"]]);
      expect(await quartiles("id")).toEqual([[2, 5]]);
      expect(await quartiles("weight")).toEqual([[0.2, 0.4]]);
    });

    it("use the page's time zone, through both clock changes", async () => {
      const by = (timeUnit: string) =>
        ask({ dimensions: [{ field: "at", timeUnit, as: "when" }], measures: [{ field: "id", op: "count" }] });
      // 22:30 UTC is 1 April in Berlin.
      expect(await by("day")).toEqual([
        ["2026-03-29", 2],
        ["2026-04-01", 1],
        ["2026-10-25", 2],
        [null, 1],
      ]);
      expect(await by("week")).toEqual([
        ["2026-03-23", 2],
        ["2026-03-30", 1],
        ["2026-10-19", 2],
        [null, 1],
      ]);
      // One hour is skipped in spring, and one is repeated in autumn.
      expect(await by("hour")).toEqual([
        ["2026-03-29T01:00:00", 1],
        ["2026-03-29T03:00:00", 1],
        ["2026-04-01T00:00:00", 1],
        ["2026-10-25T02:00:00", 2],
        [null, 1],
      ]);
      expect((await by("quarter")).map(([quarter]) => quarter)).toEqual([
        "2026-01-01",
        "2026-04-01",
        "2026-10-01",
        null,
      ]);
    });

    it("are sorted as requested, nulls last both ways, then by dimensions", async () => {
      const spec = { dimensions: ['the "group"'], measures: [{ op: "count" }] };
      const named = async (sort: unknown[]) => (await ask({ ...spec, sort })).map(([name]) => name);
      expect(await named([])).toEqual(["B", "a", "b", null]);
      expect(await named([{ by: 'the "group"', order: "desc" }])).toEqual(["b", "a", "B", null]);
      expect(await named([{ by: "count", order: "desc" }])).toEqual(["a", "b", "B", null]);
      const average = { dimensions: ['the "group"'], measures: [{ field: "price", op: "avg", as: "mean" }] };
      const sorted = await ask({ ...average, sort: [{ by: "mean", order: "desc" }] });
      expect(sorted.map(([name]) => name)).toEqual(["B", "b", "a", null]);
    });

    it("of no rows are none, and a total of none is empty", async () => {
      const nothing: Condition = { field: "id", kind: "oneOf", values: [] };
      expect(await ask({ dimensions: ["day"], measures: [{ op: "count" }] }, nothing)).toEqual([]);
      const measures = [
        { op: "count" },
        { field: "price", op: "avg" },
        { field: "id", op: "sum" },
        { field: "id", op: "median" },
      ];
      expect(await ask({ measures }, nothing)).toEqual([[0, null, null, null]]);
    });

    it("are limited with one more, which shows that there are more", async () => {
      expect(await ask({ dimensions: ["id"], limit: 2 })).toEqual([[1], [2], [3]]);
    });
  });

  describe("rows", () => {
    it("are returned without grouping", async () => {
      expect((await ask({ limit: 1 }))[0]).toEqual([1, "10.00", 0.1, "b", "2026-03-29T00:30:00Z", "2026-03-29", true]);
    });
  });

  describe("conditions", () => {
    const ids = async (...conditions: Condition[]) =>
      (await ask({ dimensions: ["id"] }, ...conditions)).map(([id]) => id);

    it("of days include both ends, in the page's zone", async () => {
      const days = (from: string | null, to: string | null, field = "at"): Condition => ({
        field,
        kind: "days",
        from,
        to,
      });
      expect(await ids(days("2026-04-01", "2026-10-25"))).toEqual([3, 4, 5]);
      expect(await ids(days(null, "2026-03-29"))).toEqual([1, 2]);
      expect(await ids(days("2026-03-31", null, "day"))).toEqual([3, 4, 5]);
      expect(await ids(days(null, null))).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it("of values accept every type of row value: numbers, booleans, times and null", async () => {
      const oneOf = (field: string, ...values: (string | number | boolean | null)[]): Condition => ({
        field,
        kind: "oneOf",
        values,
      });
      expect(await ids(oneOf("id", 2, "3", null))).toEqual([2, 3]);
      expect(await ids(oneOf("price", "20.01", "10.00"))).toEqual([1, 2]);
      expect(await ids(oneOf("weight", 0.3))).toEqual([3]);
      expect(await ids(oneOf("paid", true))).toEqual([1, 3, 5]);
      expect(await ids(oneOf("paid", null))).toEqual([4, 6]);
      expect(await ids(oneOf('the "group"', "a", null))).toEqual([2, 3, 6]);
      expect(await ids(oneOf("at", "2026-03-29T01:30:00Z"))).toEqual([2]);
      expect(await ids(oneOf("day", "2026-03-31"), oneOf("paid", true))).toEqual([3]);
    });

    it("of numbers include both ends, and exclude null", async () => {
      const between = (field: string, from: number | null, to: number | null): Condition => ({
        field,
        kind: "between",
        from,
        to,
      });
      expect(await ids(between("price", 20.01, 40))).toEqual([2, 3, 4]);
      expect(await ids(between("weight", null, 0.2))).toEqual([1, 2]);
      expect(await ids(between("id", 4.5, null))).toEqual([5, 6]);
      expect(await ids(between("price", null, null))).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it("of a text match any case, as literal text", async () => {
      const contains = (text: string): Condition => ({ field: 'the "group"', kind: "contains", text });
      expect(await ids(contains("b"))).toEqual([1, 4, 5]);
      expect(await ids(contains("%"))).toEqual([]);
      expect(await ids(contains("' or 1=1 --"))).toEqual([]);
      expect(await ids({ field: 'the "group"', kind: "oneOf", values: ["a') or (1=1"] })).toEqual([]);
    });
  });

  describe("a filter's list", () => {
    it("has each value with its count, most frequent first, under other filters", async () => {
      const list = (search: string, ...conditions: Condition[]) =>
        answer(toListStatement(table, fields, { field: 'the "group"', search, limit: 10 }, conditions));
      expect(await list("")).toEqual([
        ["a", 2],
        ["b", 2],
        ["B", 1],
        [null, 1],
      ]);
      expect(await list("B", { field: "paid", kind: "oneOf", values: [true] })).toEqual([["b", 2]]);
    });
  });

  describe("invalid queries", () => {
    const refuse =
      (spec: Parameters<typeof ask>[0], ...conditions: Condition[]) =>
      (words: RegExp) =>
        expect(() => toAggregateStatement(table, fields, aggregateSpec.parse(spec), conditions)).toThrow(words);

    it("name unknown columns and the known ones", () => {
      refuse({ dimensions: ["nothing"] })(/Unknown column nothing\. Columns: id, price/);
      refuse({ dimensions: ["id"], sort: [{ by: "price" }] })(/Unknown sort column price\. Columns: id/);
      refuse({}, { field: "gone", kind: "contains", text: "x" })(/Unknown column gone/);
    });

    it("report types, and duplicate names", () => {
      refuse({ measures: [{ field: 'the "group"', op: "sum" }] })(/is not a number, so sum is not supported/);
      refuse({ dimensions: [{ field: "id", timeUnit: "day" }] })(/so day is not supported/);
      refuse({ dimensions: [{ field: "day", timeUnit: "hour" }] })(/so hour is not supported/);
      refuse({ dimensions: ["id", "id"] })(/Duplicate column id/);
      refuse({}, { field: "id", kind: "days", from: "2026-01-01", to: null })(/is not a date or time/);
      refuse({}, { field: "day", kind: "between", from: 1, to: null })(/is not a number/);
      refuse({}, { field: "id", kind: "oneOf", values: ["1; drop table kept"] })(/is not a valid value for id/);
    });
  });
});

it("texts are dictionary-encoded if few values repeat", () => {
  const texts = ["a", "b", "c"].map((name): Field => ({ name, type: "string", dbType: "VARCHAR" }));
  const fields: Field[] = [{ name: "n", type: "int32", dbType: "INTEGER" }, ...texts];
  expect(wordsOf(fields, [1_000_000, 12, 50_001, 50_000])).toEqual([1, 3]);
  // A column without texts needs no type, and one of distinct texts gains nothing.
  expect(wordsOf(fields, [100, 0, 51, 50])).toEqual([3]);
  expect(wordsOf(fields, [0, 0, 0, 0])).toEqual([]);
});

it("a table is dropped with its dictionaries, which appear in no result", async () => {
  const [, , fields] = TABLES[1] ?? ["", "", []];
  const { fields: shown } = toAggregateStatement("worded", fields, aggregateSpec.parse({ limit: 1 }), []);
  expect(shown).toEqual(FIELDS);
  const types = "select count(*) from duckdb_types() where type_name = 'wordedw3'";
  expect(await answer({ sql: types, values: [] })).toEqual([[1]]);
  for (const sql of toDropStatements("worded", fields)) await answer({ sql, values: [] });
  expect(await answer({ sql: types, values: [] })).toEqual([[0]]);
});
