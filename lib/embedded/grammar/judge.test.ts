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
  ["select (select pg_read_file('x'))", "not_allowed"],
  ["select x.pg_read_file from concat('a') x", "not_allowed"],
  ["select ('a'::text).pg_read_file", "not_allowed"],
  ["select query_to_xml('select pg_read_file(''x'')', true, true, '')", "not_allowed"],
  ["select query_to_xml('select query_to_xml(''delete from a'', true, true, '''')', true, true, '')", "read_only"],
  ["select query_to_xml('select 1', true, true, '')", "ok"],
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
])("where writing is allowed, %s is %s: a session of its own keeps nothing", (query, kind) => {
  expect(kindOf(query, false)).toBe(kind);
});
