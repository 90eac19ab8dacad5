import { expect, test } from "vitest";
import { ExactNumber } from "@/lib/base/values/exact-json";
import { jsonText } from "@/lib/base/values/json-text";
import { RecordTable, TooManyFields } from "./record-table";

const exact = (text: string) => new ExactNumber(text);

function typesOf(...pages: unknown[][]) {
  const table = new RecordTable();
  for (const page of pages) table.learn(page);
  return Object.fromEntries(table.fields.map(({ name, type }) => [name, type]));
}

test.each([
  [[1, 2], "int64"],
  [[1, 2.5], "float64"],
  [[true, false], "boolean"],
  [["a", "b"], "string"],
  [["2026-01-01", "2026-02-28"], "date"],
  [["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.123+02:00"], "timestamptz"],
  [["2026-01-01", "2026-01-01T10:00:00Z"], "string"],
  [["2026-01-01T10:00:00Z", "soon"], "string"],
  [["2026-13-01"], "string"],
  [[1, "a"], "string"],
  [[1, true], "string"],
  [[{ a: 1 }, [1]], "json"],
  [[1, { a: 1 }], "json"],
  [[1, "9007199254740993"], "string"],
  [["9007199254740993"], "string"],
  [[1, "99999999999999999999999"], "string"],
  [[null, 1], "int64"],
  [[1, exact("9007199254740993")], "int64"],
  [[exact("-9223372036854775808")], "int64"],
  [[1, exact("9223372036854775808")], "decimal"],
  [[1.5, exact("9007199254740993")], "decimal"],
  [[1, exact("12345678901234567890.5")], "decimal"],
  [[1.5, exact("0.12345678901234567890")], "decimal"],
  [["a", exact("9007199254740993")], "string"],
  [[{ a: 1 }, exact("9007199254740993")], "json"],
])("values %j have type %s, in any order and on any page", (values, type) => {
  const records = values.map((v) => ({ v }));
  expect(typesOf(records)).toEqual({ v: type });
  expect(typesOf(records.toReversed())).toEqual({ v: type });
  expect(typesOf(...records.map((record) => [record]))).toEqual({ v: type });
});

test("adds a column at its first value, with nulls before", () => {
  const table = new RecordTable();
  const first = [{ id: 1, note: null }];
  table.learn(first);
  expect(table.fields).toEqual([{ name: "id", type: "int64", dbType: "integer" }]);
  expect(table.toBatch(first)).toEqual({ rowCount: 1, columns: [[1]] });
  const second = [{ note: "x", id: 2 }, { id: 3 }];
  table.learn(second);
  expect(table.fields.map(({ name }) => name)).toEqual(["id", "note"]);
  expect(table.toBatch(second)).toEqual({ rowCount: 2, columns: [[2, 3], ["x", null]] }); // biome-ignore format: as a table
});

test("converts values to the type of their column: instants in UTC with their digits, mixed values as text", () => {
  const table = new RecordTable();
  const records = [
    { at: "2026-01-01T10:00:00.1234567+02:00", mixed: 1, json: 5 },
    { at: "2026-01-01T10:00:00Z", mixed: "a", json: [1] },
  ];
  table.learn(records);
  expect(table.toBatch(records).columns).toEqual([
    ["2026-01-01T08:00:00.1234567Z", "2026-01-01T10:00:00Z"],
    ["1", "a"],
    [jsonText("5"), jsonText("[1]")],
  ]);
});

test("C19 keeps every digit of numbers in a widened column", () => {
  const table = new RecordTable();
  const records = [1, 0.1, 1e21, exact("9007199254740993"), exact("12345678901234567890.123456789"), null].map((v) => ({
    v,
    text: v ?? "none",
    json: { v },
  }));
  table.learn(records);
  const [v, text, json] = table.toBatch(records).columns;
  expect(v).toEqual(["1", "0.1", "1e+21", "9007199254740993", "12345678901234567890.123456789", null]);
  expect(text?.slice(3)).toEqual(["9007199254740993", "12345678901234567890.123456789", "none"]);
  expect(json?.slice(3).map(String)).toEqual([
    '{"v":9007199254740993}',
    '{"v":12345678901234567890.123456789}',
    '{"v":null}',
  ]);
});

test("gives records that are not objects a column, and allows any text as a name", () => {
  const table = new RecordTable();
  const records = [7, JSON.parse('{"__proto__": 1, "constructor": 2, "": 3}'), [1]];
  table.learn(records);
  expect(table.fields.map(({ name }) => name)).toEqual(["value", "__proto__", "constructor", ""]);
  expect(table.toBatch(records).columns).toEqual([[jsonText("7"), null, jsonText("[1]")], [null, 1, null], [null, 2, null], [null, 3, null]]); // biome-ignore format: as a table
});

test("rejects an object whose names are data before it becomes a table", () => {
  const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, 1]));
  expect(() => new RecordTable().learn([wide])).toThrow(TooManyFields);
});
