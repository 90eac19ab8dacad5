import { afterAll, describe, expect, it } from "vitest";
import type { Batch, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import { parquet } from "@/lib/features/query/serialize/parquet";
import { settleTypes } from "@/lib/features/query/serialize/settle";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { splitCases } from "@/test/cases";
import { type AggregateSpec, aggregateSpec, type Condition } from "./spec";
import { toAggregateStatement, toListStatement } from "./statement";
import { type Kept, queryTables } from "./tables";

afterAll(() => closeServerMember("crossfilterTables"));
const ANY = new AbortController().signal;
let count = 0;

/** Returns rows as a dataset stores them: the column `v` beside a number without odd values. */
function keep(type: FieldType, dbType: string, values: WireValue[]): Kept {
  const fields: Field[] = [
    { name: "v", type, dbType },
    { name: "n", type: "int32", dbType: "INTEGER" },
  ];
  const batch: Batch = { rowCount: values.length, columns: [values, values.map((_, index) => index + 1)] };
  count += 1;
  return {
    id: `odd${count}`,
    fields,
    rowCount: values.length,
    read: async function* () {
      const batches = (async function* () {
        yield batch;
      })();
      const settled = await settleTypes("parquet", fields, batches, { loose: "all" });
      yield* parquet(settled.fields).pipe(settled.batches);
    },
  };
}

const ask = async (kept: Kept, spec: Partial<Record<keyof AggregateSpec, unknown>>, conditions: Condition[] = []) => {
  const build = (table: string, fields: readonly Field[]) =>
    toAggregateStatement(table, fields, aggregateSpec.parse(spec), conditions);
  return (await queryTables(kept, "Europe/Vienna", build, ANY)).rows;
};
const measure = (op: string, field = "v") => ({ measures: [{ field, op, as: "it" }] });

/** The odd value is the last one. */
const ODD: [dbType: string, type: FieldType, values: WireValue[]][] = [
  ["INTEGER", "int64", [1, 2, "N/A"]],
  ["INTEGER", "int64", [1, 2, 1.5]],
  ["INT", "int32", [1, 2, "9223372036854775807"]],
  ["REAL", "float64", [1.5, 2, "9223372036854775807"]],
  ["REAL", "float64", [1.5, "Infinity", "text"]],
  ["BIGINT", "int64", [1, "9223372036854775807", "18446744073709551615"]],
  ["UBIGINT", "int64", [1, "18446744073709551615", -1]],
  ["HUGEINT", "decimal", ["1", "2", "170141183460469231731687303715884105727"]],
  ["numeric(10,2)", "decimal", ["1.50", "2.50", "NaN"]],
  ["numeric", "decimal", ["1.5", "2", "Infinity"]],
  ["date", "date", ["2026-01-31", "2026-02-01", "0000-00-00"]],
  ["date", "date", ["2026-01-31", "2026-02-01", "2026-00-00"]],
  ["date", "date", ["2026-01-31", "2026-02-01", "infinity"]],
  ["datetime", "timestamp", ["2026-01-31T23:59:59", "2026-02-01T00:00:00", "0000-00-00T00:00:00"]],
  ["timestamp", "timestamptz", ["2026-01-31T10:00:00Z", "2026-02-01T10:00:00Z", "0000-00-00T00:00:00Z"]],
  ["timestamp", "timestamp", ["2026-01-31T10:00:00", "2026-02-01T10:00:00", "+294276-12-31T23:59:59.999999"]],
  ["timestamptz", "timestamptz", ["2026-01-31T10:00:00Z", "2026-02-01T10:00:00Z", "+294247-01-10T04:00:54.775806Z"]],
  ["TIMESTAMP_NS", "timestamp", ["2026-01-31T10:00:00", "2026-02-01T10:00:00.000000001", "9999-12-31T00:00:00"]],
  ["BOOLEAN", "boolean", [true, false, 2]],
  ["BLOB", "binary", ["AP8=", "", "no base64!"]],
  ["TIME", "time", ["10:00:00", "838:59:59", "-838:59:59"]],
];

for (const { tags, cases } of splitCases(ODD, 2))
  describe.each(cases)("C8 a dataset whose %s column (%s) contains %j", { tags }, (dbType, type, values) => {
    const kept = keep(type, dbType, values);

    it("answers widgets of other columns, and shows and filters the odd value", async () => {
      expect(await ask(kept, measure("sum", "n"))).toEqual([[6]]);
      const rows = await ask(kept, { sort: [{ by: "n" }] });
      // A decimal column has as many fractional digits as the widest of its values.
      expect(rows.map(([value]) => String(value).replace(/\.0$/, ""))).toEqual(values.map(String));
      const list = await queryTables(
        kept,
        "UTC",
        (table, fields) => toListStatement(table, fields, { field: "v", search: "", limit: 200 }, []),
        ANY,
      );
      expect(list.rows).toHaveLength(3);
      // Each value of a filter's list matches its row.
      for (const [value] of list.rows) {
        const chosen: Condition = { field: "v", kind: "oneOf", values: [value as string] };
        expect(await ask(kept, { measures: [{ op: "count" }] }, [chosen])).toEqual([[1]]);
      }
    });
  });

it("C8 groups odd days beside months, and a date range excludes them", async () => {
  const spec = { dimensions: [{ field: "v", timeUnit: "month" }], measures: [{ op: "count" }] };
  const chosen: Condition = { field: "v", kind: "days", from: "2026-01-01", to: "2026-01-31" };
  for (const odd of ["0000-00-00", "2026-00-00"]) {
    const kept = keep("date", "date", ["2026-01-31", "2026-02-01", odd]);
    expect(await ask(kept, spec)).toEqual([
      ["2026-01-01", 1],
      ["2026-02-01", 1],
      [null, 1],
    ]);
    expect(await ask(kept, { measures: [{ op: "count" }] }, [chosen])).toEqual([[1]]);
    await expect(ask(kept, measure("max"))).rejects.toThrow(`holds “${odd}”, which is not a time`);
  }
  const endless = keep("timestamp", "timestamp", ["2026-01-31T10:00:00", "infinity", "-infinity"]);
  expect((await ask(endless, spec)).map(String)).toEqual(["-infinity,1", "2026-01-01,1", "infinity,1"]);
});

it("C8 names the odd value when a sum is rejected", async () => {
  const kept = keep("int64", "INTEGER", [1, "N/A"]);
  await expect(ask(kept, measure("sum"))).rejects.toThrow(
    "The column v (INTEGER) holds “N/A”, which is not a number, so sum is not supported. Cast or filter it in the query.",
  );
});

/** Expected values are calculated manually. */
const EXACT: [name: string, dbType: string, type: FieldType, values: WireValue[], op: string, expected: WireValue][] = [
  ["sum of int64", "BIGINT", "int64", ["9223372036854775807", "9223372036854775807"], "sum", "18446744073709551614"],
  ["average of one large integer", "BIGINT", "int64", ["9007199254740993"], "avg", "9007199254740993"],
  ["average of two", "BIGINT", "int64", ["9223372036854775807", "9223372036854775806"], "avg", "9223372036854775806.5"],
  ["average below zero", "BIGINT", "int64", ["-9223372036854775808", "-9223372036854775807"], "avg", "-9223372036854775807.5"],
  ["average of small integers", "INTEGER", "int32", [1, 2], "avg", 1.5],
  ["average that does not end", "INTEGER", "int32", [1, 1, 2], "avg", 1.333333],
  ["average of uint64", "UBIGINT", "int64", ["18446744073709551615", "18446744073709551613"], "avg", "18446744073709551614"],
  ["median of one large integer", "BIGINT", "int64", ["9007199254740993"], "median", "9007199254740993"],
  ["median of two", "BIGINT", "int64", ["9007199254740993", "9007199254740994"], "median", "9007199254740993.5"],
  ["median of three", "BIGINT", "int64", [1, "9007199254740993", "9223372036854775807"], "median", "9007199254740993"],
  ["median of small integers", "INTEGER", "int32", [1, 4, 2, 3], "median", 2.5],
  ["average of decimals", "DECIMAL(20,2)", "decimal", ["123456789012345678.01", "0.02"], "avg", "61728394506172839.01500000"],
  ["median of decimals", "DECIMAL(20,2)", "decimal", ["123456789012345678.01", "123456789012345678.02"], "median", "123456789012345678.01500000"],
  ["sum of hugeint", "HUGEINT", "decimal", ["12345678901234567890123456789", "1"], "sum", "12345678901234567890123456790"],
  ["average of numeric without digits", "numeric", "decimal", ["0.1", "0.2"], "avg", "0.1500000"],
  ["maximum of nanoseconds", "TIMESTAMP_NS", "timestamp", ["2026-01-31T10:00:00.123456788", "2026-01-31T10:00:00.123456789"], "max", "2026-01-31T10:00:00.123456789"],
  ["minimum of nanoseconds with a zone", "timestamp(9) with time zone", "timestamptz", ["2026-01-31T10:00:00.000000001Z", "2026-01-31T10:00:00Z"], "min", "2026-01-31T10:00:00Z"],
  ["maximum of nanoseconds with a zone", "timestamp(9) with time zone", "timestamptz", ["2026-01-31T10:00:00.000000001Z", "2026-01-31T10:00:00Z"], "max", "2026-01-31T10:00:00.000000001Z"],
  ["average of nothing", "BIGINT", "int64", [null], "avg", null],
]; // biome-ignore format: a table

it.each(EXACT)("C20 the %s of a %s column is exact", async (_, dbType, type, values, op, expected) => {
  expect(await ask(keep(type, dbType, values), measure(op))).toEqual([[expected]]);
});

it("C20 sorts averages that are equal as doubles", async () => {
  const kept = keep("int64", "BIGINT", ["9007199254740993", "9007199254740992", "9007199254740994"]);
  const spec = { dimensions: ["n"], ...measure("avg"), sort: [{ by: "it", order: "asc" }] };
  expect((await ask(kept, spec)).map(([n]) => n)).toEqual([2, 1, 3]);
});

it("C20 has no minimum and maximum of an interval", async () => {
  const kept = keep("interval", "INTERVAL", ["P1M", "P30D"]);
  await expect(ask(kept, measure("max"))).rejects.toThrow("has no sort order");
});

it("C8 shows, lists and filters repeated texts that contain U+0000 in full", async () => {
  const texts = ["a\0b", "a", "a\0c", "\0", `${"a long text ".repeat(3)}\0end`, "", "a\\0b"];
  const kept = keep("string", "VARCHAR", [...texts, ...texts, ...texts]);
  expect((await ask(kept, { sort: [{ by: "n" }] })).map(([value]) => value)).toEqual([...texts, ...texts, ...texts]);
  const groups = await ask(kept, { dimensions: ["v"], measures: [{ op: "count" }] });
  expect(groups.map(([value]) => value).sort()).toEqual([...texts].sort());
  for (const text of texts) {
    const chosen: Condition = { field: "v", kind: "oneOf", values: [text] };
    expect(await ask(kept, { measures: [{ op: "count" }] }, [chosen])).toEqual([[3]]);
  }
});
