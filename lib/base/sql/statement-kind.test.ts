import { expect, test } from "vitest";
import type { SqlDialect } from "./dialects/registry";
import { type ChangeVerb, changeVerbOf, firstWordOf, transactionStepOf } from "./statement-kind";

const CASES: [string, SqlDialect, ChangeVerb | null][] = [
  ["delete from t", "postgres", "delete"],
  ["  -- why\n DELETE FROM t", "mysql", "delete"],
  ["/* a */ insert into t values (1)", "duckdb", "insert"],
  ["insert or replace into t values (1)", "sqlite", "insert"],
  ["replace into t values (1)", "mysql", "replace"],
  ["select replace('a', 'b', 'c')", "mysql", null],
  ["with x as (select 1) update t set a = 1", "postgres", "update"],
  ["with x(a, b) as (delete from t returning *) select * from x", "postgres", null],
  ["with recursive x as (select 1), y as (select 2) insert into t select * from y", "postgres", "insert"],
  ["merge into t using s on true when matched then delete", "postgres", "merge"],
  ["create table t as select 1", "postgres", null],
  ["explain delete from t", "postgres", null],
  ["explain analyze update t set a = 1", "postgres", null],
  ["call p()", "mysql", null],
  ["(select 1)", "mysql", null],
  ["select 'delete from t'", "postgres", null],
  ['"delete" from t', "postgres", null],
  ["truncate t", "postgres", null],
  ["", "standard", null],
];
test.each(CASES)("C44 finds the verb of %j in %s", (text, dialect, verb) => {
  expect(changeVerbOf(text, dialect)).toBe(verb);
});

test("C5 returns the first word after comments", () => {
  expect(firstWordOf("/* a */ -- b\n call p()", "mysql")).toBe("CALL");
  expect(firstWordOf("(select 1)", "mysql")).toBe("");
});

test.each([
  ["begin", "begin", true],
  ["/* a */ START transaction read only;", "begin", true],
  ["begin isolation level serializable", "begin", false],
  ["BEGIN NOT ATOMIC delete from t; END", "begin", false],
  ["commit work", "commit", true],
  ["commit and chain", "commit", false],
  ["rollback", "rollback", true],
  ['rollback to savepoint "a b"', "savepoint", true],
  ["savepoint a", "savepoint", true],
  ["release savepoint a", "savepoint", true],
  ["savepoint a; delete from t", "savepoint", false],
])("%s: %s, plain: %s", (text, step, isPlain) => {
  expect(transactionStepOf(text, "postgres")).toEqual({ step, isPlain });
});

test.each(["select 1", "", "-- begin", "(begin)", "prepare transaction 'a'"])("%j controls no transaction", (text) => {
  expect(transactionStepOf(text, "postgres")).toBeNull();
});
