import { expect, test } from "vitest";
import { readerOf } from "./types";

// The output of ClickHouse 26.9 with the settings of request.ts.
test.each([
  ["Int32", 1, "int32", 1],
  ["UInt32", 4_294_967_295, "int64", 4_294_967_295],
  ["UInt64", "18446744073709551615", "int64", "18446744073709551615"],
  ["Int256", -5, "decimal", "-5"],
  ["Decimal(10, 2)", "1.50", "decimal", "1.50"],
  ["Float64", "nan", "float64", "NaN"],
  ["Float32", "-inf", "float64", "-Infinity"],
  ["Nullable(Float64)", null, "float64", null],
  ["LowCardinality(Nullable(String))", "x", "string", "x"],
  ["Enum8('a(,' = 1, 'b' = 2)", "a(,", "string", "a(,"],
  ["DateTime64(6, 'Europe/Berlin')", "2026-10-31T11:00:00.123456Z", "timestamptz", "2026-10-31T11:00:00.123456Z"],
  ["Array(Nullable(Int64))", [1, null, "9007199254740993"], "array", [1, null, "9007199254740993"]],
  ["Tuple(UInt8, String)", [1, "a"], "json", [1, "a"]],
  [
    "Tuple(x Decimal(4, 1), `y z` Array(Float32))",
    { x: "1.5", "y z": ["inf"] },
    "json",
    { x: "1.5", "y z": ["Infinity"] },
  ],
  ["Map(String, Array(Float64))", { a: ["nan"] }, "json", { a: ["NaN"] }],
  ["AggregateFunction(sum, UInt8)", "x", "other", "x"],
])("a value of %s", (name, written, type, value) => {
  const reader = readerOf(name as string);
  expect([reader.type, reader.read(written)]).toEqual([type, value]);
});
