import { describe, expect, it } from "vitest";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { CellValue } from "@/lib/base/values/json-rows";
import { toCellText } from "@/lib/features/results/browser/cell-text";
import { toCopyText } from "@/lib/features/results/browser/copy-rows";

const fields = [
  { name: "name", type: "string" },
  { name: "sold", type: "int64" },
];
const rows = [
  { name: 'Kettle, "2 l"', sold: 1284 },
  { name: "a\tb|c\nd", sold: "9223372036854775807" },
  { name: null, sold: null },
];

describe("toCopyText", () => {
  it("writes CSV by RFC 4180, exact and ungrouped", () => {
    expect(toCopyText("csv", fields, rows, true)).toBe(
      'name,sold\r\n"Kettle, ""2 l""",1284\r\n"a\tb|c\nd",9223372036854775807\r\n,',
    );
  });

  it("writes TSV for spreadsheets, with and without a header", () => {
    expect(toCopyText("tsv", fields, rows, false)).toBe('Kettle, "2 l"\t1284\n"a\tb|c\nd"\t9223372036854775807\n\t');
    expect(toCopyText("tsv", fields, [], true)).toBe("name\tsold");
  });

  it("writes JSON with null and only the selected columns", () => {
    expect(JSON.parse(toCopyText("json", fields.slice(1), rows, true))).toEqual([
      { sold: 1284 },
      { sold: "9223372036854775807" },
      { sold: null },
    ]);
  });

  it("writes Markdown that no cell can break", () => {
    expect(toCopyText("markdown", fields, rows, true).split("\n")).toEqual([
      "| name | sold |",
      "| --- | ---: |",
      '| Kettle, "2 l" | 1284 |',
      "| a\tb\\|c<br>d | 9223372036854775807 |",
      "| null | null |",
    ]);
  });
});

describe("toCellText", () => {
  it("groups digits of amounts, and not of IDs and years", () => {
    expect(toCellText(1284, { name: "orders", type: "int64" })).toBe("1,284");
    expect(toCellText(1284, { name: "order_id", type: "int64" })).toBe("1284");
    expect(toCellText(2026, { name: "year", type: "int32" })).toBe("2026");
    expect(toCellText({ a: [1] }, { name: "x", type: "json" })).toBe('{"a":[1]}');
  });

  it("writes one INSERT that a database reads back as the same values", () => {
    const fields = [
      { name: "Name", type: "string" },
      { name: "sold", type: "int64" },
      { name: "tags", type: "json" },
    ];
    const rows = [
      { Name: "O'Hara", sold: "9223372036854775807", tags: ["a"] },
      { Name: null, sold: 5, tags: null },
    ];
    expect(toCopyText("insert", fields, rows, true, { table: "shop.orders", dialect: "postgres" })).toBe(
      `insert into shop.orders ("Name", sold, tags) values
  ('O''Hara', 9223372036854775807, '["a"]'),
  (null, 5, null);`,
    );
  });

  it("writes HTML with typed numbers and times, and text as text only", () => {
    const typed = [
      { name: "n", type: "int64" },
      { name: "at", type: "timestamptz" },
      { name: "on", type: "boolean" },
      { name: "text", type: "string" },
    ];
    const text = `'mso-number-format:"\\@"'`;
    const cells = [
      { n: "9223372036854775807", at: "2026-05-31T12:30:00.123Z", on: true, text: "=1+1" },
      { n: 12.5, at: null, on: null, text: "<b>a</b>\n007" },
    ];
    expect(toCopyText("html", typed, cells, false)).toBe(
      '<meta charset="utf-8"><table>' +
        `<tr><td style=${text}>9223372036854775807</td><td>2026-05-31 12:30:00</td><td>TRUE</td><td style=${text}>=1+1</td></tr>` +
        `<tr><td>12.5</td><td></td><td></td><td style=${text}>&lt;b&gt;a&lt;/b&gt;<br style="mso-data-placement:same-cell">007</td></tr>` +
        "</table>",
    );
  });
});

describe("C10 a value copied into an INSERT", () => {
  it.each<[dialect: SqlDialect, type: string, dbType: string, value: CellValue, literal: string]>([
    ["postgres", "binary", "bytea", "AP8Q", "'\\x00ff10'"],
    ["mysql", "binary", "blob", "AP8Q", "x'00ff10'"],
    ["sqlite", "binary", "blob", "", "x''"],
    ["duckdb", "binary", "BLOB", "AP8Q", "unhex('00ff10')"],
    ["postgres", "json", "jsonb", "x", "'\"x\"'"],
    ["postgres", "json", "jsonb", 12, "'12'"],
    ["postgres", "json", "jsonb", { a: ["it's"] }, `'{"a":["it''s"]}'`],
    ["postgres", "array", "text[]", ['a"b', null, ["c"]], `'{"a\\"b",NULL,{"c"}}'`],
    ["postgres", "date", "date", "-000043-03-15", "'0044-03-15 BC'"],
    ["postgres", "timestamptz", "timestamptz", "0000-01-01T00:00:00Z", "'0001-01-01T00:00:00Z BC'"],
    ["duckdb", "timestamp", "TIMESTAMP", "-000043-03-15T12:00:00", "'0044-03-15 (BC) 12:00:00'"],
    ["duckdb", "date", "DATE", "+012345-01-02", "'12345-01-02'"],
    ["duckdb", "json", "MAP(VARCHAR, BIGINT)", { k: "9007199254740993" }, `cast(cast('{"k":"9007199254740993"}' as json) as MAP(VARCHAR, BIGINT))`],
    ["duckdb", "json", "MAP(DECIMAL(4,1), STRUCT(a INTEGER))", [{ key: "1.5", value: { a: 1 } }], `map_from_entries(cast(cast('[{"key":"1.5","value":{"a":1}}]' as json) as struct(key DECIMAL(4,1), value STRUCT(a INTEGER))[]))`],
    ["duckdb", "json", "UNION(num INTEGER, str VARCHAR)", { num: 1 }, `cast(cast('{"num":1}' as json) as UNION(num INTEGER, str VARCHAR))`],
    ["duckdb", "interval", "INTERVAL", "P1Y2M-3DT4H5M6.7S", "'1 years 2 months -3 days 4 hours 5 minutes 6.7 seconds'"],
    ["duckdb", "interval", "INTERVAL", "PT0S", "'0 seconds'"],
    ["postgres", "array", "date[]", ["-000043-03-15", ["2026-01-01"], null], `'{"0044-03-15 BC",{"2026-01-01"},NULL}'`],
    ["postgres", "array", "text[]", ["-000043-03-15"], `'{"-000043-03-15"}'`],
    ["duckdb", "string", "VARCHAR", "a\0b", "('a' || chr(0) || 'b')"],
    ["sqlite", "string", "TEXT", "a\0b", "('a' || char(0) || 'b')"],
    ["duckdb", "decimal", "BIGNUM", "123456789012345678901234567890123456789012345", "'123456789012345678901234567890123456789012345'"],
    ["mysql", "string", "bit", "1000000001", "b'1000000001'"],
    ["mysql", "timestamptz", "timestamp", "2026-10-31T10:00:00.123Z", "'2026-10-31T10:00:00.123'"],
    ["clickhouse", "array", "Array(String)", ["a", "it's"], "['a', 'it''s']"],
    ["clickhouse", "json", "Map(String, UInt64)", { a: 1 }, "map('a', 1)"],
    ["postgres", "int64", "bigint", "9223372036854775807", "9223372036854775807"],
  ])("C10 is for %s of %s (%s) the literal of %j", (dialect, type, dbType, value, literal) => {
    const text = toCopyText("insert", [{ name: "v", type, dbType }], [{ v: value }], true, { table: "t", dialect });
    expect(text).toBe(`insert into t (v) values\n  (${literal});`);
  }); // biome-ignore format: a value a line
});
