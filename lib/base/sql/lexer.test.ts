// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { SQL_DIALECTS } from "./dialects/registry";
import { colourSql } from "./highlight";
import { SqlLexer } from "./lexer";

test("covers any text of any dialect without gaps", () => {
  const hostile = fc
    .array(fc.constantFrom(..."'\"`[]$\\/*-#@.;:! \nea1x‘“\u00a0".split("")), { maxLength: 20 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), hostile), fc.constantFrom(...SQL_DIALECTS), (text, dialect) => {
      expect(
        colourSql(text, dialect)
          .map(({ from, to }) => text.slice(from, to))
          .join(""),
      ).toBe(text);
    }),
  );
});

/** Length of texts that once made a pattern or search scan the rest of the text again and again. */
const LONG = 100_000;
test.each([
  ["minus signs behind a string", `'a' ${"-".repeat(LONG)}`],
  ["strings without a backslash", "'a',".repeat(LONG / 4)],
  ["strings on lines of their own", "'a' -- b\n,".repeat(LONG / 10)],
  ["strings that go on, line by line", "'a'\n".repeat(LONG / 4)],
  ["tags that nothing closes", "$a $b ".repeat(LONG / 6)],
  ["unlike tags", Array.from({ length: LONG / 8 }, (_, index) => `$${index}$`).join(" ")],
  ["comments in comments", "/*".repeat(LONG / 2)],
  ["dots and digits", "1.".repeat(LONG / 2)],
  ["colons", ":".repeat(LONG)],
  ["one long word of digits", "0".repeat(LONG)],
  ["joined names", "a.".repeat(LONG / 2)],
])(
  "reads a long text of %s in linear time",
  (_, text) => {
    for (const dialect of SQL_DIALECTS) {
      const lexer = new SqlLexer(text, dialect);
      let end = 0;
      for (let piece = lexer.next(); piece; piece = lexer.next()) end = piece.end;
      expect(end).toBe(text.length);
    }
  },
  20_000,
);

describe("colours", () => {
  it("treats a keyword with a bracket as a function where possible", () => {
    const kindOf = (sql: string, word: string) =>
      colourSql(sql, "duckdb").find(({ from }) => from === sql.indexOf(word))?.kind;
    expect(kindOf("select * from range(3)", "range")).toBe("function");
    expect(kindOf("a left join b", "left")).toBe("keyword");
    expect(kindOf("x in (1)", "in")).toBe("keyword");
  });

  it("distinguishes keywords, functions, names, numbers and strings", () => {
    const sql = "select sum(i.qty) / 100.0 as x, 'a' -- c";
    const kinds = colourSql(sql, "duckdb")
      .filter(({ kind }) => kind !== "space" && kind !== "mark")
      .map(({ kind, from, to }) => `${kind} ${sql.slice(from, to)}`);
    expect(kinds).toEqual([
      "keyword select", "function sum", "name i", "name qty", "number 100.0", "keyword as", "name x", "string 'a'", "comment -- c",
    ]); // biome-ignore format: in the order of the statement
  });
});
