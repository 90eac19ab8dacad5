import { describe, expect, it } from "vitest";
import type { SqlDialect } from "./dialects/registry";
import { SqlScript } from "./statements";

const findVariables = (text: string, dialect: SqlDialect = "standard") => SqlScript.of(text, dialect).variables();

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
