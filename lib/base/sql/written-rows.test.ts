import { expect, it } from "vitest";
import type { SqlDialect } from "./dialects/registry";
import { findWrittenRows } from "./written-rows";

const queryOf = (query: string, dialect: SqlDialect = "postgres") => findWrittenRows({ query }, dialect)?.query ?? null;

it.each([
  ["delete from t where id = 1", "select 1 from t where id = 1"],
  [
    "DELETE FROM ONLY s.t AS a WHERE a.id in (select 1 where true) RETURNING * -- all",
    "select 1 from ONLY s.t AS a WHERE a.id in (select 1 where true)",
  ],
  ["delete from t using u, v where t.id = u.id;", "select 1 from t , u, v where t.id = u.id"],
  ["update t set a = (select 1 from u where true), b = 2 where c = 'where'", "select 1 from t where c = 'where'"],
  ["update t a set b = c is distinct from d where e", "select 1 from t a where e"],
  [
    "update t set a = u.a from u join v using (id) where t.id = u.id",
    "select 1 from t , u join v using (id) where t.id = u.id",
  ],
  [
    "with x as (select 1) delete from t where id in (table x)",
    "with x as (select 1) select 1 from t where id in (table x)",
  ],
  ["insert into t (a, b) select c, d from u where c on conflict do nothing", "select c, d from u where c"],
  [
    "insert into t select * from u join v on u.a = v.a limit 3 returning *",
    "select * from u join v on u.a = v.a limit 3",
  ],
  ["insert into t with x as (select 1) select * from x", "with x as (select 1) select * from x"],
  ["with x as (select 1) insert into t select * from x", "with x as (select 1) select * from x"],
  ["merge into t a using u b on a.id = b.id when matched then delete", "select 1 from u b join t a on a.id = b.id"],
  [
    "merge into t using (select 1 id) u on t.id = u.id when not matched then insert values (1)",
    "select 1 from (select 1 id) u where not exists (select 1 from t where t.id = u.id )",
  ],
  [
    "merge into t using u on t.id = u.id when not matched then insert values (1) when matched then delete",
    "select 1 from u left join t on t.id = u.id",
  ],
])("turns %s into a query of its rows", (text, query) => expect(queryOf(text)).toBe(query));

it.each([
  ["delete from t", "postgres"],
  ["delete from t where a; delete from u where b", "postgres"],
  ["insert into t values (1)", "postgres"],
  ["insert into t default values", "postgres"],
  ["insert into t (select 1)", "postgres"],
  ["with x as (select 1) insert into t with y as (table x) select * from y", "postgres"],
  ["merge into t using u on t.id = u.id when not matched by source then delete", "postgres"],
  ["merge into t using u on t.id = u.id when matched then do nothing", "postgres"],
  ["explain analyze delete from t where a", "postgres"],
  ["select 1 where true", "postgres"],
  ["drop table t", "postgres"],
  ["", "postgres"],
  ["delete from t where a limit 3", "mysql"],
  ["delete from t where a order by b limit 3", "sqlite"],
  ["delete low_priority from t where a", "mysql"],
  ["delete a from t a join u b where b.c", "mysql"],
  ["update t join u using (id) set t.a = 1 where u.b", "mysql"],
  ["update t, u set t.a = 1 where u.b", "mysql"],
  ["delete from t where a /*! or b */", "mysql"],
] as const)("has no query for %s", (text, dialect) => expect(queryOf(text, dialect)).toBeNull());

it("keeps the parameters of the parts that it keeps", () => {
  const rowsOf = (query: string, params: unknown[] | Record<string, unknown>, dialect: SqlDialect) => {
    const found = findWrittenRows({ query, params }, dialect);
    return found && { query: found.query, params: found.params };
  };
  expect(rowsOf("update t set a = $1 where b = $2 and c = $3 or d = $2", ["a", "b", "c"], "postgres")).toEqual({
    query: "select 1 from t where b = $1 and c = $2 or d = $1",
    params: ["b", "c"],
  });
  expect(rowsOf("update t set a = $1 where b ? 'x' and c = $10", "abcdefghij".split(""), "postgres")).toEqual({
    query: "select 1 from t where b ? 'x' and c = $1",
    params: ["j"],
  });
  expect(rowsOf("update t set a = ?, b = '?' where c = ? and d in (?, ?)", [1, 2, 3, 4], "mysql")).toEqual({
    query: "select 1 from t where c = ? and d in (?, ?)",
    params: [2, 3, 4],
  });
  expect(rowsOf("merge into t using (select ? id) u on t.id = ? when matched then delete", [1, 2], "duckdb")).toEqual({
    query: "select 1 from (select ? id) u join t on t.id = ?",
    params: [1, 2],
  });
  expect(findWrittenRows({ query: "delete from t where a = ?2", params: [1, 2] }, "sqlite")).toBeNull();
  expect(rowsOf("update t set a = :a where b = :b and c = :a", { a: 1, b: 2 }, "sqlite")?.params).toEqual({
    a: 1,
    b: 2,
  });
  expect(rowsOf("update t set a = :a where b = :b", { a: 1, ":b": 2 }, "sqlite")?.params).toEqual({ ":b": 2 });
  expect(rowsOf("update t set a = $a where b = $b", { a: 1, b: 2 }, "duckdb")?.params).toEqual({ b: 2 });
});

it("tells whether the rows are those of one table", () => {
  const isOneTable = (query: string) => findWrittenRows({ query }, "postgres")?.isOneTable;
  expect(isOneTable("delete from t where a")).toBe(true);
  expect(isOneTable("delete from t using u where a")).toBe(false);
  expect(isOneTable("insert into t select 1")).toBe(false);
});
