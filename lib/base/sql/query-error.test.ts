import { describe, expect, it } from "vitest";
import { describeQueryError, locateError } from "@/lib/base/sql/query-error";

describe("describeQueryError", () => {
  it.each([
    [
      'Binder Error: Referenced column "net_cent" not found in FROM clause!\nCandidate bindings: "net_cents"',
      'Unknown column "net_cent"',
    ],
    ['Binder Error: Table "p" does not have a column named "nmae"', 'Unknown column "nmae"'],
    ['column "net_cent" does not exist', 'Unknown column "net_cent"'],
    ["column p.nmae does not exist", 'Unknown column "nmae"'],
    ["Unknown column 'p.nmae' in 'field list'", 'Unknown column "nmae"'],
    ["no such column: p.nmae", 'Unknown column "nmae"'],
    ['Catalog Error: Table with name ordres does not exist!\nDid you mean "orders"?', 'Unknown table "ordres"'],
    ['relation "ordres" does not exist', 'Unknown table "ordres"'],
    ["Table 'shop.ordres' doesn't exist", 'Unknown table "ordres"'],
    ["line 1:15: Table 'memory.default.ordres' does not exist", 'Unknown table "ordres"'],
    ["line 1:8: Column 'nmae' cannot be resolved", 'Unknown column "nmae"'],
    ["function pg_catalog.lenght(text) does not exist", 'Unknown function "lenght(text)"'],
    ["function avg(money) does not exist", 'Unknown function "avg(money)"'],
    ["function now_utc() does not exist", 'Unknown function "now_utc"'],
    ["FUNCTION shop.lenght does not exist", 'Unknown function "lenght"'],
    ["Function with name `lenght` does not exist. In scope SELECT", 'Unknown function "lenght"'],
    ["line 1:8: Function 'lenght' not registered", 'Unknown function "lenght"'],
    ['column reference "id" is ambiguous', 'Ambiguous column "id"'],
    ["Column 'id' in SELECT is ambiguous", 'Ambiguous column "id"'],
    ["ambiguous column name: id", 'Ambiguous column "id"'],
    ['Ambiguous reference to column name "id" (use: "a.id" or "b.id")', 'Ambiguous column "id"'],
    ['Parser Error: syntax error at or near "frm"', 'Syntax error at "frm"'],
    ["Parser Error: syntax error at end of input", "Unexpected end of query"],
    ["Conversion Error: Could not convert\nLINE 1: x", "Conversion Error: Could not convert"],
  ])("describes %j", (message, title) => {
    expect(describeQueryError(message).title).toBe(title);
  });
});

describe("locateError", () => {
  const content = "-- note\nselect id,\n  sum(net_cent)\nfrom paid;";
  const from = content.indexOf("select");
  const statement = content.slice(from, -1);
  const place = { line: 3, column: 7, from: content.indexOf("net_cent"), to: content.indexOf("net_cent") + 8 };

  it("converts the position in the statement to line and column of the console", () => {
    const position = statement.indexOf("net_cent") + 1;
    expect(locateError(content, { from, text: statement, dialect: "duckdb" }, { position }, "net_cent")).toEqual(place);
  });

  it("uses line and column without a position", () => {
    expect(locateError(content, { from, text: statement, dialect: "duckdb" }, { line: 2, column: 7 }, null)).toEqual(
      place,
    );
  });

  it("searches for the name without either", () => {
    expect(locateError(content, { from, text: statement, dialect: "duckdb" }, {}, "net_cent")).toEqual(place);
    expect(locateError(content, { from, text: statement, dialect: "duckdb" }, {}, null)).toBeNull();
  });

  it("marks the column, not its table, if the database names both", () => {
    const sql = "select p.nmae from products p";
    expect(locateError(sql, { from: 0, text: sql, dialect: "duckdb" }, { position: 8 }, "nmae")).toMatchObject({
      from: 9,
      to: 13,
      column: 10,
    });
  });

  it("stays within the text for a position beyond its end", () => {
    expect(locateError("select", { from: 0, text: "select", dialect: "duckdb" }, { position: 99 }, null)).toMatchObject(
      { line: 1, from: 0, to: 6 },
    );
  });
});
