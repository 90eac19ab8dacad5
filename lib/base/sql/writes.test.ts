import { describe, expect, it } from "vitest";
import type { SqlDialect } from "./dialects/registry";
import { findSqlWrite } from "./writes";

const found = (text: string, dialect: SqlDialect = "sqlite") => {
  const write = findSqlWrite(text, dialect);
  return write && [write.reason, write.table && [write.table.schema, write.table.name].filter(Boolean).join(".")];
};

describe("findSqlWrite", () => {
  it.each([
    ["delete from t", "delete_without_where", "t"],
    ["/* where */ DELETE FROM main.t -- where", "delete_without_where", "main.t"],
    ["delete from t where id = 1", "write", "t"],
    ["delete from t returning (select 1 where true)", "delete_without_where", "t"],
    ["update t set a = (select 1 where true)", "update_without_where", "t"],
    ["update t set a = 'where'", "update_without_where", "t"],
    ['update "where" set a = 1', "update_without_where", "where"],
    ["update or ignore t set a = 1 where b", "write", "t"],
    ["with x as (select 1 where true) delete from t", "delete_without_where", "t"],
    ["with x as (delete from t returning *) select * from x where true", "delete_without_where", "t"],
    ["with x as (select 1) insert into t select * from x", "write", "t"],
    ["drop table if exists s.t", "drop", "s.t"],
    ["drop view v", "drop", "v"],
    ["truncate table t", "truncate", "t"],
    ["insert into t values (1)", "write", "t"],
    ["replace into t values (1)", "write", "t"],
    ["create table t (a int)", "write", null],
    ["create trigger x after insert on t begin delete from u; end", "write", null],
    ["alter table t drop column a", "write", null],
    ["explain analyze delete from t", "delete_without_where", "t"],
    ["explain analyse delete from t", "delete_without_where", "t"],
    ["explain (analyse, verbose) delete from t", "delete_without_where", "t"],
    ["explain analyze verbose drop table t", "drop", "t"],
    ["explain analyze truncate t", "truncate", "t"],
    ["explain analyze create table x as select 1", "write", null],
    ["create or replace temp table t as select 1", "drop", "t"],
    ["with a as (select 1 as x) select x into t from a", "write", "t"],
    ["with 1 as x insert into t select x", "write", "t"],
    ["with a as (select 1) insert into t select 1 on conflict (a) do update set b = 1", "write", "t"],
    ["select 1; delete from t", "delete_without_where", "t"],
    ["delete from t where a; select 1", "write", "t"],
    ["vacuum", "write", null],
    ["call p()", "write", null],
    ["(((delete from t", "delete_without_where", "t"],
  ])("reads %j as %s", (text, reason, table) => {
    expect(found(text)).toEqual([reason, table]);
  });

  it.each([
    "select * from t",
    "select replace(a, 'x', 'y') from t",
    "with x as (select 1) select * from x",
    "explain delete from t",
    "explain query plan delete from t",
    "select 'delete from t'",
    "select * from t for update",
    "with a as (select 1) select * from a for update",
    "with a as (select 1) select * from a for no key update",
    "explain (format json) delete from t",
    "analyze t",
    "set search_path = a",
    "values (1)",
    "show tables",
    "-- delete from t\nselect 1",
    "",
  ])("reads %j as no write", (text) => {
    expect(found(text)).toBeNull();
  });

  it.each([
    ["/*!50000 delete from t */", "delete_without_where"],
    ["/*!delete*/ from t where /*! a */ = 1", "write"],
    ["/*M!100000 truncate*/ t", "truncate"],
    ["analyze delete from t", "delete_without_where"],
    ["analyze format=json delete from t", "delete_without_where"],
    ["explain analyze format=tree delete from t", "delete_without_where"],
    ["set statement max_statement_time=60 for delete from t", "delete_without_where"],
    ["set statement max_statement_time=60 for delete from t where role <> 'x'", "write"],
    ["set password for bob = 'x'", "write"],
    ["set global general_log = 1", "write"],
    ["update (t) set a = 0", "update_without_where"],
    ["delete from t /*!99999 where id = 1 */", "delete_without_where"],
    ["delete from t /*M! where id = 1 */", "delete_without_where"],
    ["select * from t into outfile '/tmp/x'", "write"],
    ["delete low_priority quick from t", "delete_without_where"],
    ["delete a from t a join u on u.id = a.id", "delete_without_where"],
  ])("reads %j of MySQL as %s", (text, reason) => {
    expect(found(text, "mysql")?.[0]).toBe(reason);
  });

  it.each([
    "analyze table t update histogram on c",
    "set statement max_statement_time=60 for select 1",
    "set names utf8mb4",
  ])("reads %j of MySQL as no write", (text) => {
    expect(findSqlWrite(text, "mysql")).toBeNull();
  });
});
