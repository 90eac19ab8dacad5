import { expect, test } from "vitest";
import { findSqliteFault } from "./parse.ts";

test.each([
  "",
  "-- nothing",
  ";;",
  "select 1",
  "select 1; /* and */ select 2;",
  "select * from nowhere where a = no_function(b)",
  "insert into t (a, b) values (1, ?) on conflict (a) do update set b = excluded.b returning *",
  "create trigger r after insert on t begin select 1; update t set a = 2; end; select 1",
  "create table t (a text default ';', \"b;c\" int) strict, without rowid; drop table if exists t",
  "with recursive c(n) as (values (1) union all select n + 1 from c limit 3) select * from c",
  "pragma table_info(t); attach 'x' as y; vacuum into 'z'",
  "create virtual table f using fts5(a, b)",
  "select a -> '$.b' ->> 'c', iif(a, 1, 2), a is not distinct from b from t",
  "explain query plan select 1",
  "begin; savepoint s; rollback to s; commit",
  "select 'it''s; fine', x'00', [a;b], `c;d` from t /* open",
  "create view v as select 1; select * from v",
])("finds no fault in %s, which SQLite can parse", (text) => {
  expect(findSqliteFault(text)).toBeNull();
});

test.each([
  ["select 1 form t x", 'near "t": syntax error', 14],
  ["select 1;\nselect from", 'near "from": syntax error', 17],
  ["select 1;\n\nselect (1 +", "incomplete input", null],
  ["select 1, @", 'unrecognized token: "@"', 10],
  ["select 'abc", 'unrecognized token: "\'abc"', 7],
  ["create trigger r after insert on t begin select 1; form; end", 'near "form": syntax error', 51],
])("finds the fault in %j, with its offset if SQLite names the word", (text, message, offset) => {
  expect(findSqliteFault(text)).toEqual({ message, offset });
});

test("checks no text with thousands of semicolons", () => {
  expect(findSqliteFault(`${"select 1;".repeat(3000)}form`)).toBeNull();
});
