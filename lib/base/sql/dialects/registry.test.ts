import { supportedDialects } from "sql-formatter";
import { describe, expect, it } from "vitest";
import { toSqlCondition, toSqlLiteral } from "../conditions";
import { readSqlTokens } from "../lexer";
import { quoteSqlName, toSqlText } from "../names";
import type { DateGrain } from "./dialect";
import { DIALECTS, SQL_DIALECTS } from "./registry";

const GRAINS: readonly DateGrain[] = ["day", "week", "month", "quarter", "year"];
const TEXTS = ["plain", "it's", "a\\", "\\'; drop table t; --", '"', "`", "'' or 1 = 1", "--", "/*", "$$", "[x]"];

describe.each(SQL_DIALECTS)("the dialect %s", (name) => {
  const dialect = DIALECTS[name];

  it.each(TEXTS)("reads its literal of %j as one string with the same text", (text) => {
    const [token, ...others] = readSqlTokens(toSqlText(text, name), name);
    const escaped = dialect.lexical.quotes["'"]?.escapes ? text.replaceAll("\\", "\\\\") : text;
    expect(token).toMatchObject({ kind: "string", text: escaped });
    expect(others).toEqual([]);
  });

  it.each(TEXTS)("reads its quoted name %j as one name", (text) => {
    expect(readSqlTokens(quoteSqlName(text, name), name).map(({ kind }) => kind)).toEqual(["name"]);
  });

  it("reads every written literal completely", () => {
    for (const written of [
      dialect.toBytes("00ff"),
      dialect.toDay("'2026-11-26'"),
      toSqlLiteral("true", "boolean", name),
    ]) {
      const tokens = readSqlTokens(`select ${written} as x`, name);
      expect(tokens.at(-1)?.text).toBe("x");
      expect(tokens.filter(({ kind }) => kind === "semicolon")).toEqual([]);
    }
  });

  it("truncates a time to each grain", () => {
    const written = GRAINS.map((grain) => dialect.toGrain("placed_at", grain));
    expect(written.every((each) => each.includes("placed_at"))).toBe(true);
    expect(new Set(written).size).toBe(GRAINS.length);
  });

  it("pages rows", () => {
    expect(dialect.toPage(10, 0).trim()).toBe("limit 10");
    expect(dialect.toPage(10, 20)).toMatch(/^ (?=.*\blimit 10\b)(?=.*\boffset 20\b)/);
  });

  it("searches a part of a text", () => {
    const written = toSqlCondition(
      { op: "holds", value: "a%b" },
      { column: "note", kind: "other", dialect: name },
      (text) => toSqlText(text, name),
    );
    expect(written).toContain("note");
    expect(dialect.position).toMatch(/^[a-z]+$/);
  });

  it("names a formatter language", () => {
    expect(["sql", ...supportedDialects]).toContain(dialect.formatter);
  });
});
