import { describe, expect, it } from "vitest";
import type { SqlDialect } from "./dialects/registry";
import { blankClauses, findNestedClause, openClauses, readSqlMarks } from "./marks";
import { SqlScript } from "./statements";

const findVariables = (text: string, dialect: SqlDialect = "standard") =>
  SqlScript.of(text, dialect)
    .variables()
    .map(({ name }) => name);

describe("variables", () => {
  it("finds each name once, in order, with or without spaces", () => {
    expect(findVariables("select {{b}}, {{ a }}, {{b}}")).toEqual(["b", "a"]);
  });

  it("ignores strings, quoted names and comments, as the server does", () => {
    expect(findVariables("select '{{a}}', \"{{b}}\" -- {{c}}\n/* {{d}} */")).toEqual([]);
  });

  it.each<[SqlDialect, string]>([
    ["mysql", "select 'it\\'s {{a}}' # {{b}}\n, `{{c}}`, {{d}}"],
    ["sqlite", "select [{{a}}], '\\', {{d}}"],
    ["postgres", "select $${{a}}$$, e'\\'{{b}}', {{d}}; -- {{c}}"],
    ["clickhouse", "select 'it\\'s {{a}}' // {{b}}\n, {{d}}"],
  ])("reads the strings and comments of %s: %s", (dialect, text) => {
    expect(findVariables(text, dialect)).toEqual(["d"]);
  });

  it("treats no other brackets as a variable", () => {
    expect(findVariables("select {a}, { {b} }, {{1a}}, {{a b}}, {{}}")).toEqual([]);
  });
});

describe("optional clauses", () => {
  const findClauses = (text: string, dialect: SqlDialect = "standard") =>
    readSqlMarks(text, dialect).map(({ name, clause }) => [name, clause && text.slice(clause.start, clause.end)]);

  it.each<SqlDialect>(["standard", "postgres", "mysql", "sqlite", "duckdb", "clickhouse"])(
    "are found in %s",
    (dialect) => {
      const text = "select 1 from t where a = {{a}} [[and b = {{b}} and c = {{c}}]] [[limit {{n}}]]";
      expect(findClauses(text, dialect)).toEqual([
        ["a", undefined],
        ["b", "[[and b = {{b}} and c = {{c}}]]"],
        ["c", "[[and b = {{b}} and c = {{c}}]]"],
        ["n", "[[limit {{n}}]]"],
      ]);
      expect(findClauses("select 1 where [[b = {{b}} and]] true", dialect)).toEqual([["b", "[[b = {{b}} and]]"]]);
    },
  );

  it("are no arrays, strings or comments, and have a variable", () => {
    expect(findClauses("select [[{{a}}, 2], [3, 4]], [[{{b}}]]")).toEqual([
      ["a", undefined],
      ["b", undefined],
    ]);
    expect(findClauses("select '[[and {{a}}]]' /* [[and {{b}}]] */, [[and x]], {{c}}")).toEqual([["c", undefined]]);
    expect(findClauses("select [a b], [[and], {{c}}", "sqlite")).toEqual([["c", undefined]]);
  });

  it.each<[SqlDialect, string, string]>([
    ["postgres", "select 1 [[and tags[{{i}}]]] from t", "[[and tags[{{i}}]]]"],
    ["postgres", "select [[1, 2], [3, 4]] [[and a = [[{{a}}]]]]", "[[and a = [[{{a}}]]]]"],
    ["duckdb", "select [1 [[, {{a}}]]]", "[[, {{a}}]]"],
    ["sqlite", "select 1 [[and [a b] = {{a}} and c = [d e]]]", "[[and [a b] = {{a}} and c = [d e]]]"],
  ])("end at their own brackets in %s: %s", (dialect, text, clause) => {
    expect(findClauses(text, dialect).map(([, found]) => found)).toEqual([clause]);
  });

  it.each<SqlDialect>(["postgres", "sqlite"])("have no clauses inside in %s", (dialect) => {
    const text = "select 1 [[ and a={{a}} [[ and b={{b}} ]] ]]";
    expect(findNestedClause(readSqlMarks(text, dialect))).toMatchObject({ offset: text.indexOf("[[") });
    expect(findNestedClause(readSqlMarks("select 1 [[and {{a}}]] [[and {{b}}]]", dialect))).toBeNull();
  });

  it("make their variables optional, unless one is also used elsewhere", () => {
    const script = SqlScript.of("select {{a}} [[and b = {{b}}]] [[and a > {{a}}]]", "standard");
    expect(script.variables()).toEqual([
      { name: "a", isOptional: false },
      { name: "b", isOptional: true },
    ]);
  });

  it("lose their brackets or their text without moving the rest", () => {
    const text = "select 1 [[and b = {{b}}]] x";
    const marks = readSqlMarks(text, "standard");
    expect(openClauses(text, marks)).toBe("select 1   and b = {{b}}   x");
    expect(blankClauses(text, marks)).toBe(`select 1 ${" ".repeat("[[and b = {{b}}]]".length)} x`);
  });
});
