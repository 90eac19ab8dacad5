import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lexSql } from "@/lib/sql/lexer";
import { findStatementAt, splitStatements } from "@/lib/sql/statements";

const texts = (sql: string) => splitStatements(sql).map(({ text }) => text);

describe("splitStatements", () => {
  it("cuts at semicolons and leaves comments and blank space around a statement out", () => {
    expect(texts("-- first\nselect 1;\n\n/* second */ select 2 -- tail\n;")).toEqual(["select 1", "select 2"]);
  });

  it("does not cut inside strings, quoted names, comments or dollar quotes", () => {
    for (const sql of [
      "select 'a;b', 'it''s;'",
      'select ";" from t',
      "select 1 /* ; */ + 1",
      "select 1 -- ;\n + 1",
      "select $$ a; b $$",
      "select $tag$ a; $$ b; $tag$",
      "select E'\\';'",
    ]) {
      expect(texts(sql)).toEqual([sql]);
    }
  });

  it("finds none in blank text, comments and lone semicolons", () => {
    expect(texts(" ;; -- nothing\n;")).toEqual([]);
  });

  it("takes an unclosed quote to the end", () => {
    expect(texts("select 'open; select 2")).toEqual(["select 'open; select 2"]);
  });
});

describe("findStatementAt", () => {
  const sql = "-- note\nselect 1;\n\nselect 2; select 3;\n";
  const at = (needle: string, offset = 0) => findStatementAt(sql, sql.indexOf(needle) + offset)?.text;

  it("is the one around the cursor, its ends included", () => {
    expect(at("select 1", 3)).toBe("select 1");
    expect(at("select 2", 8)).toBe("select 2");
  });

  it("is the one that ends on the cursor's line when the cursor stands behind it", () => {
    expect(findStatementAt(sql, sql.indexOf("1;") + 2)?.text).toBe("select 1");
  });

  it("is the next one from a comment or a blank line above it", () => {
    expect(at("-- note", 2)).toBe("select 1");
    expect(findStatementAt(sql, sql.indexOf("\n\n") + 1)?.text).toBe("select 2");
  });

  it("is the last one at the end of the text", () => {
    expect(findStatementAt(sql, sql.length)?.text).toBe("select 3");
    expect(findStatementAt("", 0)).toBeNull();
  });
});

describe("lexSql", () => {
  it("covers any text without gaps", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const pieces = lexSql(text).map(({ from, to }) => text.slice(from, to));
        expect(pieces.join("")).toBe(text);
      }),
    );
  });

  it("takes a keyword with a bracket for a function where it can be one", () => {
    const kindOf = (sql: string, word: string) => lexSql(sql).find(({ from }) => from === sql.indexOf(word))?.kind;
    expect(kindOf("select * from range(3)", "range")).toBe("function");
    expect(kindOf("a left join b", "left")).toBe("keyword");
    expect(kindOf("x in (1)", "in")).toBe("keyword");
  });

  it("tells keywords, functions, names, numbers and strings apart", () => {
    const sql = "select sum(i.qty) / 100.0 as x, 'a' -- c";
    const kinds = lexSql(sql)
      .filter(({ kind }) => kind !== "space" && kind !== "mark")
      .map(({ kind, from, to }) => `${kind} ${sql.slice(from, to)}`);
    expect(kinds).toEqual([
      "keyword select", "function sum", "name i", "name qty", "number 100.0", "keyword as", "name x", "string 'a'", "comment -- c",
    ]); // biome-ignore format: in the order of the statement
  });
});
