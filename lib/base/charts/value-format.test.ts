import { expect, it } from "vitest";
import { formatValue, readFormats, type ValueFormat } from "./value-format";

const LOOK = { digits: "grouped", times: "utc" } as const;
const format = (value: string | number | null, type: string, own?: ValueFormat) =>
  formatValue(value, { name: "a", type }, own, LOOK);

it.each<[string | number | null, string, ValueFormat | undefined, string]>([
  [1234.5, "float64", undefined, "1,234.5"],
  ["1234.50", "decimal", { prefix: "€" }, "€1,234.50"],
  [0.1234, "float64", { style: "percent" }, "12.3%"],
  [0.1234, "float64", { style: "percent", digits: 0 }, "12%"],
  [1_234_567, "int64", { style: "short" }, "1.23M"],
  [1_234_567, "int64", { style: "short", digits: 0, suffix: " kg" }, "1M kg"],
  [2, "int32", { digits: 2 }, "2.00"],
  [-0.004, "float64", { digits: 2 }, "0.00"],
  ["9007199254740993", "int64", { style: "plain" }, "9,007,199,254,740,993"],
  ["9007199254740993", "int64", { digits: 0, suffix: " B" }, "9,007,199,254,740,993 B"],
  ["-12345678901234567890.125", "decimal", { digits: 2 }, "-12,345,678,901,234,567,890.13"],
  ["0.1234567890123456789", "decimal", { style: "plain" }, "0.1234567890123456789"],
  ["90071992547409.93", "decimal", { style: "percent", digits: 0 }, "9,007,199,254,740,993%"],
  [0.1 + 0.2, "float64", { style: "plain" }, "0.3"],
  ["0.30000000000000004", "float64", { style: "plain" }, "0.3"],
  [null, "float64", { digits: 2 }, "No value"],
  ["2026-11-25", "date", { date: "day" }, "25 Nov 2026"],
  ["2026-11-25T07:05:00Z", "timestamptz", { date: "time" }, "07:05"],
  ["2026-09-01", "date", { date: "month" }, "Sep 2026"],
  ["2026-09-06", "date", { date: "weekday" }, "Sun 6 Sep"],
  ["2026-09-06 12:00:00", "timestamp", { date: "year" }, "2026"],
  ["soon", "date", { date: "month" }, "soon"],
  ["paid", "string", { suffix: "!" }, "paid!"],
])("writes %j of type %s with %j as %s", (value, type, own, text) => {
  expect(format(value, type, own)).toBe(text);
});

it("leaves invalid parts of formats out", () => {
  const formats = { a: { digits: 99, style: "roman", prefix: 7, suffix: "%" }, b: null, c: "x" };
  expect(formatValue(5, { name: "a", type: "int64" }, readFormats({ formats }).a, LOOK)).toBe("5%");
  expect(Object.keys(readFormats({ formats }))).toEqual(["a", "b", "c"]);
  expect(readFormats({ formats: [] })).toEqual({});
});
