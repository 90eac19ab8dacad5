import { describe, expect, it } from "vitest";
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
  it("writes CSV as RFC 4180 does, exact and ungrouped", () => {
    expect(toCopyText("csv", fields, rows, true)).toBe(
      'name,sold\r\n"Kettle, ""2 l""",1284\r\n"a\tb|c\nd",9223372036854775807\r\n,',
    );
  });

  it("writes TSV that spreadsheets take, with and without a head", () => {
    expect(toCopyText("tsv", fields, rows, false)).toBe('Kettle, "2 l"\t1284\n"a\tb|c\nd"\t9223372036854775807\n\t');
    expect(toCopyText("tsv", fields, [], true)).toBe("name\tsold");
  });

  it("writes JSON with null as null and only the chosen columns", () => {
    expect(JSON.parse(toCopyText("json", fields.slice(1), rows, true))).toEqual([
      { sold: 1284 },
      { sold: "9223372036854775807" },
      { sold: null },
    ]);
  });

  it("writes Markdown that one cell cannot break", () => {
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
  it("groups what counts and leaves identifiers and years alone", () => {
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

  it("writes HTML in which numbers and times are what they are, and text is never anything else", () => {
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
