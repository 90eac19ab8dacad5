import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, it } from "vitest";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { parquet } from "@/lib/features/query/serialize/parquet";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type PivotQuery, toPivotStatement } from "./pivot";
import { aggregateSpec, type Condition } from "./spec";
import { type Kept, queryTables } from "./tables";

afterAll(() => closeServerMember("crossfilterTables"));
const ANY = new AbortController().signal;

const FIELDS: Field[] = [
  { name: "region", type: "string", dbType: "VARCHAR" },
  { name: "channel", type: "string", dbType: "VARCHAR" },
  { name: "at", type: "timestamptz", dbType: "TIMESTAMPTZ" },
  { name: "amount", type: "decimal", dbType: "DECIMAL(30, 4)" },
  { name: "user", type: "int64", dbType: "BIGINT" },
];
/** Sums beyond 2^53, a null in each column, and one user in several groups. */
const ROWS: WireValue[][] = [
  ["north", "web", "2026-01-31T23:30:00Z", "9007199254740993.0001", "9007199254740993"],
  ["north", "web", "2026-01-05T10:00:00Z", "0.0002", 1],
  ["north", "app", "2026-02-01T10:00:00Z", "2.5000", 1],
  ["north", null, "2026-02-02T10:00:00Z", null, 2],
  ["south", "web", "2026-02-03T10:00:00Z", "-1.0000", 1],
  ["south", "app", null, "4.0000", null],
  [null, "web", "2026-01-07T10:00:00Z", "3.0000", 3],
  [null, null, null, "1.0000", 3],
];
const KEPT: Kept = {
  id: "pivot",
  fields: FIELDS,
  rowCount: ROWS.length,
  read: async function* () {
    const columns = FIELDS.map((_, index) => ROWS.map((row) => row[index] ?? null));
    const batches = async function* () {
      yield { rowCount: ROWS.length, columns } satisfies Batch;
    };
    yield* parquet(FIELDS).pipe(batches());
  },
};
const ask = async (query: Partial<PivotQuery>, zone = "UTC", conditions: Condition[] = []) => {
  const { dimensions, measures, sort } = aggregateSpec.parse(query);
  const whole: PivotQuery = { ...{ rowCount: 1, rowsMax: 100, columnsMax: 50 }, ...query, dimensions, measures, sort };
  const build = (table: string, fields: readonly Field[]) => toPivotStatement(table, fields, whole, conditions);
  return (await queryTables(KEPT, zone, build, ANY)).rows;
};

/** Runs a statement of the test on the same rows, in a separate engine. */
async function bySql(query: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    const text = (value: WireValue | undefined) => (value == null ? "null" : `'${value}'`);
    const values = ROWS.map((row) => `(${row.map(text).join(", ")})`).join(", ");
    await connection.run(
      `create table sales as select region, channel, "at"::timestamptz as "at", amount::decimal(30, 4) as amount, "user"::bigint as "user"
       from (values ${values}) t(region, channel, "at", amount, "user")`,
    );
    return (await connection.runAndReadAll(query)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
const texts = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => JSON.stringify(row.map((value) => (value === null ? null : String(value))))).sort();

describe("a pivot statement", () => {
  it("computes totals of every level from the rows, as SQL does", async () => {
    const rows = await ask({
      dimensions: [{ field: "region" }, { field: "channel" }, { field: "at", timeUnit: "month" }],
      rowCount: 2,
      measures: [
        { field: "amount", op: "sum" },
        { field: "user", op: "countDistinct" },
        { field: "user", op: "max" },
        { op: "count" },
      ],
    });
    const values = 'sum(amount), count(distinct "user"), max("user"), count(*)';
    const month = "date_trunc('month', \"at\")::date";
    const expected = [
      ...(await bySql(`select region, channel, ${month}, ${values}, 2, 1 from sales group by 1, 2, 3`)),
      ...(await bySql(`select region, channel, null, ${values}, 2, 0 from sales group by 1, 2`)),
      ...(await bySql(`select region, null, ${month}, ${values}, 1, 1 from sales group by 1, 3`)),
      ...(await bySql(`select region, null, null, ${values}, 1, 0 from sales group by 1`)),
      ...(await bySql(`select null, null, ${month}, ${values}, 0, 1 from sales group by ${month}`)),
      ...(await bySql(`select null, null, null, ${values}, 0, 0 from sales`)),
    ];
    expect(texts(rows.map((row) => row.slice(0, -2)))).toEqual(texts(expected));
  });

  it("divides averages exactly at each level, unlike an average of averages", async () => {
    const rows = await ask({ dimensions: [{ field: "region" }], measures: [{ field: "amount", op: "avg" }] });
    // south: (-1 + 4) / 2; no region: (3 + 1) / 2; all: 9007199254741002.5003 / 7, from seven amounts.
    expect(rows.map(([region, avg]) => [region, avg])).toEqual([
      ["north", "3002399751580331.8334333333"],
      ["south", "1.5000000000"],
      [null, "2.0000000000"],
      [null, "1286742750677286.0714714286"],
    ]);
    expect(rows.map((row) => row.slice(-4, -2))).toEqual([[1, 0], [1, 0], [1, 0], [0, 0]]); // biome-ignore format: levels
  });

  it("divides the sums of a ratio at each level", async () => {
    const rows = await ask(
      {
        dimensions: [{ field: "region" }],
        measures: [{ field: "amount", op: "ratio", by: "user", as: "per user" }],
      },
      "UTC",
      [{ field: "region", kind: "oneOf", values: ["south", null] }],
    );
    // south: (-1 + 4) / 1; no region: (3 + 1) / (3 + 3); all: 7 / 7, where the mean of both would be 1.8.
    expect(rows.map(([region, ratio]) => [region, ratio])).toEqual([["south", 3], [null, 4 / 6], [null, 1]]); // biome-ignore format: cells
    await expect(ask({ dimensions: [{ field: "region" }], measures: [{ field: "channel", op: "ratio", by: "user" }] })).rejects.toThrow(/is not a number, so ratios are not supported/); // biome-ignore format: one look
  });

  it("ranks groups and subgroups by their totals, and counts hidden groups", async () => {
    const query = {
      dimensions: [{ field: "region" }, { field: "channel" }],
      rowCount: 2,
      measures: [{ op: "count" as const }],
      sort: [{ by: "count", order: "desc" as const }],
      rowsMax: 3,
    };
    const heads = (await ask(query)).map((row) => row.slice(0, -1));
    // Seven groups of both fields, of which three are shown; the totals are those of all rows.
    expect(heads).toEqual([
      ["north", null, 4, 1, 0, 7],
      ["north", "web", 2, 2, 0, 7],
      ["north", "app", 1, 2, 0, 7],
      ["north", null, 1, 2, 0, 7],
      [null, null, 8, 0, 0, 7],
    ]);
    await expect(ask({ ...query, sort: [{ by: "sum_amount", order: "asc" }] })).rejects.toThrow(/Unknown sort column/);
  });

  it("limits columns in order and keeps their rows in the totals", async () => {
    const rows = await ask({
      dimensions: [{ field: "region" }, { field: "channel" }],
      measures: [{ op: "count" }],
      columnsMax: 1,
    });
    const total = rows.filter((row) => row.at(-4) === 0);
    expect(total.map((row) => row.slice(1))).toEqual([["app", 2, 0, 1, 3, 3], [null, 8, 0, 0, 3, 3]]); // biome-ignore format: cells
  });

  it("groups by months of the page's zone, with its filters", async () => {
    const query = { dimensions: [{ field: "region" }, { field: "at", timeUnit: "month" as const }], measures: [{ op: "count" as const }] }; // biome-ignore format: one look
    const north: Condition[] = [{ field: "region", kind: "oneOf", values: ["north"] }];
    const monthsOf = async (zone: string) =>
      (await ask(query, zone, north)).filter((row) => row.at(-4) === 0).map((row) => row.slice(1, 3));
    expect(await monthsOf("UTC")).toEqual([["2026-01-01", 2], ["2026-02-01", 2], [null, 4]]); // biome-ignore format: cells
    expect(await monthsOf("Europe/Berlin")).toEqual([["2026-01-01", 1], ["2026-02-01", 3], [null, 4]]); // biome-ignore format: cells
  });
});
