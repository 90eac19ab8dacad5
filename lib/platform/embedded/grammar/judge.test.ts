import { loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import { judge } from "./judge.ts";

beforeAll(() => loadModule());

const kindOf = (query: string, readOnly = true) => {
  const verdict = judge(query, readOnly, parseSync);
  return verdict.status === "refused" ? verdict.kind : verdict.status;
};

test.each([
  ["select 1", "ok"],
  ["select t.pg_class from t", "ok"],
  ["select 1; select 2", "query_failed"],
  [" -- nothing\n", "invalid_request"],
  ["", "invalid_request"],
  ["delete from a", "read_only"],
  ["with a as (delete from b returning 1) select * from a", "read_only"],
  ["explain analyze delete from a", "read_only"],
  ["select query_to_xml('select query_to_xml(''delete from a'', true, true, '''')', true, true, '')", "read_only"],
  ["select query_to_xml('select 1', true, true, '')", "ok"],
  // Text that this grammar rejects may be a valid statement in another version of PostgreSQL.
  ["select query_to_xml('select 1 !', true, true, '')", "query_failed"],
  ["select query_to_xml('select 1'::varchar(3), true, true, '')", "not_allowed"],
  ["select query_to_xml('select 1'::pg_catalog.text, true, true, '')", "ok"],
  ["select query_to_xml(query => 'select 1', nulls => true, tableforest => true, targetns => '')", "not_allowed"],
  ["select ('select 1'::text).ts_stat", "not_allowed"],
  ["select ts_rewrite('a', 'select a, b from c')", "ok"],
  ["select ts_rewrite('a', 'delete from c')", "read_only"],
  ["select ts_rewrite(a, b, c) from d", "ok"],
  ["select * from crosstab('select 1', 'delete from a') as t(a int)", "read_only"],
  ["select * from mine('delete from a') as t(a int)", "ok"],
  ["select query_to_xml(a, true, true, '') from b", "not_allowed"],
  ["select pg_sleep(1)", "ok"],
])("T42 T50 on a read-only connection, %s is %s", (query, kind) => {
  expect(kindOf(query)).toBe(kind);
});

test.each([
  ["delete from a", "ok"],
  ["create table a (b int)", "ok"],
  ["select pg_read_file('x')", "ok"],
  ["copy a to '/tmp/x'", "ok"],
  ["begin", "not_allowed"],
  ["set search_path = a", "not_allowed"],
  ["prepare a as select 1", "not_allowed"],
  ["listen a", "not_allowed"],
  ["copy a from stdin", "not_allowed"],
  ["delete from a; delete from b", "query_failed"],
])("on a writable connection, %s is %s: its session keeps nothing", (query, kind) => {
  expect(kindOf(query, false)).toBe(kind);
});

test("T50 checks the text argument of functions that run text as a statement", () => {
  expect(
    judge("select * from mine('delete from a') t", true, parseSync, { statementFunctions: ["mine"] }),
  ).toMatchObject({
    kind: "read_only",
  });
  expect(judge("select * from mine(1, 'select 1') t", true, parseSync, { statementFunctions: ["mine"] })).toMatchObject(
    { status: "ok" },
  );
  expect(
    judge("select * from mine('select ' || a) t", true, parseSync, { statementFunctions: ["mine"] }),
  ).toMatchObject({
    kind: "not_allowed",
  });
});

const usesOf = (query: string) => {
  const verdict = judge(query, true, parseSync);
  if (verdict.status !== "ok") throw new Error(JSON.stringify(verdict));
  return verdict.uses
    .map(({ kind, schema, name, args }) => `${kind} ${schema ?? ""}.${name} ${args ?? ""}`.trim())
    .sort();
};

test.each<[string, string[]]>([
  ["select 1", []],
  ["select a, b as pg_class", []],
  ["select s.f(1, 2), db.s.g(variadic c)", ["f s.f 2", "f s.g"]],
  ["select percentile_cont(0.5) within group (order by a)", ["f .percentile_cont"]],
  ["select x.pg_read_file, (y).z from a.t x", ["a .pg_read_file", "a .z", "r a.t"]],
  ["select 1 operator(s.+) 2, -a", ["o .-", "o s.+"]],
  ["select a <> all (select 1) order by 1 using >", ["o .<>", "o .>"]],
  ["select b::s.d[], cast(c as e), f 'x'", ["t .e", "t .f", "t s.d"]],
  ["select * from t tablesample s.m(1)", ["f s.m", "r .t"]],
  ["select * from g() as (c d)", ["f .g 0", "t .d"]],
  ["select * from rows from (g() as (c d)) x", ["f .g 0", "t .d"]],
  ["select * from xmltable('/a' passing b columns c d path 'e')", ["t .d"]],
  ["select json_value(a, '$' returning d)", ["f pg_catalog.to_json 1", "t .d"]],
  ["select extract(year from a)", ["f pg_catalog.extract 2"]],
  ["select a like 'x', b between 1 and 2", ["o .BETWEEN", "o .~~"]],
  ['select U&"f\\005Fg"(1), "F"(), F()', ["f .F 0", "f .f 0", "f .f_g 1"]],
  ["explain select f(1)", ["f .f 1"]],
  ["select query_to_xml('select f(1)', true, true, '')", ["f .f 1", "f .query_to_xml 4"]],
  [
    "with a as (select f(1)) values ((select g(2) over w from a window w as (order by h(3))))",
    ["f .f 1", "f .g 1", "f .h 1", "r .a"],
  ],
])("T42 looks up every name in %s that is more than a column name", (query, uses) => {
  expect(usesOf(query)).toEqual(uses);
});

test.each([
  ["show primary_conninfo", ["primary_conninfo"]],
  ["show all", [""]],
  ["select current_setting('TimeZone')", ["TimeZone"]],
  ["select pg_catalog.current_setting('a'::text, true)", ["a"]],
  ["select current_setting('a' || 'b')", [""]],
  ["select current_setting($1)", [""]],
  ["select current_setting('ab'::varchar(1))", [""]],
  ["select (a).current_setting from b", [""]],
  ["select a.current_setting from b", [""]],
  ["select query_to_xml('show a', true, true, '')", ["a"]],
  ["select 1", []],
])("C23 %s reads the settings %j", (query, names) => {
  const verdict = judge(query, true, parseSync);
  const uses = verdict.status === "ok" ? verdict.uses : [];
  expect(uses.filter(({ kind }) => kind === "s").map(({ name }) => name)).toEqual(names);
});
