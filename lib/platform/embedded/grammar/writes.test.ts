import { loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, it } from "vitest";
import { findTreeWrite } from "./writes.ts";

beforeAll(() => loadModule());

const found = (query: string) => {
  const write = findTreeWrite(parseSync(query).stmts?.[0]?.stmt, parseSync);
  return write && [write.reason, write.table && [write.table.schema, write.table.name].filter(Boolean).join(".")];
};

it.each([
  ["delete from a.t", "delete_without_where", "a.t"],
  ["delete from t where id = 1", "write", "t"],
  ["delete from t using u where true", "write", "t"],
  ["update t set a = (select 1 where true)", "update_without_where", "t"],
  ["with x as (delete from t returning *) select * from x where true", "delete_without_where", "t"],
  ["with x as (select 1) update t set a = 1", "update_without_where", "t"],
  ["insert into t select * from u", "write", "t"],
  ["with x as (delete from u) insert into t values (1)", "delete_without_where", "u"],
  ["merge into t using u on true when matched then delete", "write", "t"],
  ["select * into t from u", "write", "t"],
  ["create table t as select 1", "write", null],
  ["create function f() returns void language sql as 'delete from t'", "write", null],
  ["drop table if exists a.t", "drop", "a.t"],
  ["drop function f(int)", "drop", "f"],
  ["drop database d", "drop", null],
  ["truncate a.t, u", "truncate", "a.t"],
  ["alter table t drop column a", "write", "t"],
  ["explain analyze delete from t", "delete_without_where", "t"],
  ["explain (analyze, verbose) update t set a = 1 where b", "write", "t"],
  ["copy t from '/tmp/x'", "write", "t"],
  ["copy (delete from t returning 1) to '/tmp/x'", "delete_without_where", "t"],
  ["call p()", "write", null],
  ["do 'begin end'", "write", null],
  ["select query_to_xml('delete from t', true, true, '')", "delete_without_where", "t"],
  ["select query_to_xml(a, true, true, '') from b", "write", null],
])("reads %j as %s", (query, reason, table) => {
  expect(found(query)).toEqual([reason, table]);
});

it.each([
  "select * from t for update",
  "explain delete from t",
  "explain (costs) delete from t",
  "values (1)",
  "show all",
  "copy t to '/tmp/x'",
  "select 'delete from t'",
  "select query_to_xml('select 1', true, true, '')",
])("reads %j as no write", (query) => {
  expect(found(query)).toBeNull();
});
