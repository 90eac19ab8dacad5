import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSqlTokens } from "../../../base/sql/lexer.ts";
import { checkPlan, checkText, explainedText, refusedAmong } from "./guard.ts";

const tokensOf = (text: string) => readSqlTokens(text, "duckdb");

describe("the statement behind EXPLAIN", () => {
  it.each<[string, string | null]>([
    ["explain select 1", null],
    ["explain (format json) select 1", null],
    ["select 1", null],
    ["explain analyze delete from t", "delete from t"],
    ["EXPLAIN /* ; */ ANALYZE -- x\n (select 1)", "(select 1)"],
    ["explain (analyze, format json) select 1", "select 1"],
    ["explain analyze verbose select 1", "select 1"],
  ])("of %s is %s", (text, inner) => expect(explainedText(text, tokensOf(text))).toBe(inner));
});

describe("counting statements", () => {
  // No single non-ASCII letter: DuckDB ignores one between semicolons, while this check counts it.
  const pieces = [
    "select 1", ";", ";;", " ", "\n", "-- a;b\n", "/* a; /* b; */ c; */", "'a;b'", "';'';'", '"a;b"', "$$;$$", "$x$ ; $$ ; $x$",
    "E'\\';'", "select ';'", "select 1 as \"a\"\"b\"", "(", ")", ",", "+", "$1", "from", "values (1)", "e", "1.5e3", "'",
    '"', "/*", "*/", "--", "$$", "select 'é'", '"é"',
  ]; // biome-ignore format: a list to be read at a glance

  it("agrees with DuckDB's own parser on every accepted text (T50)", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }), async (parts) => {
        const text = parts.join(parts.length % 2 === 0 ? " " : "");
        const count = await connection.extractStatements(text).then(
          (statements) => statements.count,
          () => null,
        );
        if (count === null) return;
        taken += 1;
        if (count === 1) expect(() => checkText(text)).not.toThrow();
        else expect(() => checkText(text)).toThrow(/one statement/);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(100);
    connection.closeSync();
  });
});

describe("plans with the server's records", () => {
  const [records, refused] = ["__millrace.imports", refusedAmong(["duckdb_table_sample", "pragma_table_info"], [])];
  const definitions = [
    "create schema __millrace",
    `create table ${records} (id varchar, "rows" bigint)`,
    "create table sales (id varchar, __millrace varchar)",
    `create view seen as select * from ${records}`,
    "create view twice as from seen",
    `create macro listed() as table from ${records}`,
    `create macro counted() as (select count(*) from ${records})`,
  ];

  let connection: DuckDBConnection;

  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const each of definitions) await connection.run(each);
    await connection.run(`insert into ${records} values ('1', 1), ('2', 2)`);
  });
  afterAll(() => connection.closeSync());

  it.each<[string, boolean]>([
    ["from sales where __millrace = '__millrace.imports'", true],
    ["from seen", false],
    ["select count(*) from twice where id = '1'", false],
    ["from listed()", false],
    ["select counted() from sales", false],
    ["select (select max(id) from seen)", false],
    ["insert into sales select id, id from seen", false],
    ["create table own as from seen", false],
    ["summarize seen", false],
    ["pivot seen on id using count(*)", false],
    ["update sales set id = (select min(id) from seen)", false],
    [`from duckdb_table_sample('${records}')`, false],
  ])("%s: allowed is %s", async (query, isAllowed) => {
    const rows = (await connection.runAndReadAll(`explain (format json) ${query}`)).getRows();
    const check = () => {
      for (const [, plan] of rows) checkPlan(JSON.parse(String(plan)), refused, false);
    };
    if (isAllowed) expect(check).not.toThrow();
    else expect(check).toThrow(/not allowed|Schema __millrace has records/);
  });
});
