import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { checkStatement } from "./statement-guard";

const kindOf = (query: string) => {
  try {
    checkStatement(query, true);
    return "passed";
  } catch (error) {
    return error instanceof AppError ? error.kind : error;
  }
};

// No MySQL is available where this runs, so the tests cover the guard without a server.
describe("T50 MySQL's own syntax on a read-only connection", () => {
  test.each([
    "select 1 /*!80000 into outfile '/tmp/evil' */",
    "select /*+ set_var(sql_mode = 'ANSI_QUOTES') */ 1",
    "select /*+ SET_VAR(sql_mode=ANSI_QUOTES) */ 1",
    "select /*+ no_merge() max_execution_time(1) */ 1",
    "select /*+ resource_group(r) */ 1",
    "select $$a$$",
    "select $tag$ into outfile 'x' $tag$",
    "table t into outfile '/tmp/evil'",
    "table t into @a",
    "values row(1) into dumpfile '/tmp/evil'",
    "explain format = json into @a select 1",
    "explain analyze format = json into @a select 1",
    "show parse_tree select 1",
    "clone instance from a@b:1 identified by 'c'",
    "set persist max_connections = 1",
    "set resource group r",
    "create function f() returns int language javascript as $$ return 1 $$",
    "execute immediate 'select 1'",
    "select \\N",
  ])("%s is rejected", (query) => expect(["not_allowed", "read_only"]).toContain(kindOf(query)));

  test.each([
    "explain analyze update t join u using (id) set t.a = 1",
    "explain analyze delete t from t join u using (id)",
    "with a as (select 1) update t join a set t.b = 1",
    "with a as (select 1) delete from t where b in (select * from a)",
    "select * from t for share skip locked",
    "select * from t for update of t nowait",
    "table t for update",
    "analyze table t update histogram on a",
    "analyze local table t",
  ])("%s is a change", (query) => expect(kindOf(query)).toBe("read_only"));

  test.each([
    "table t",
    "table t order by a limit 1",
    "values row(1, 2), row(3, 4)",
    "explain analyze select * from t",
    "explain analyze table t",
    "explain format = tree select * from t",
    "explain for connection 5",
    "select /*+ join_order(t, u) no_index_merge(t@a) bka(u) */ * from t join u using (id)",
    "select a->'$.b', a->>'$.c' from t",
    "select 1 member of ('[1]'), json_table(a, '$' columns (b int path '$')) from t",
    "select * from t, lateral (select t.a) u",
    "select a, grouping(a), count(*) from t group by a with rollup",
    "select regexp_like(a, 'b'), any_value(c), bin_to_uuid(d), st_x(e) from t",
    "show binary log status",
    "show extended columns from t",
  ])("%s is a read", (query) => expect(kindOf(query)).toBe("passed"));
});

describe("the text sent to the server", () => {
  test("has no comments, and keeps positions and lines", () => {
    const query = ";; select /* a\n ' */ 1 -- b '\n, '--' # c\n;";
    const { text } = checkStatement(query, true);
    expect(text).toBe("   select     \n      1       \n, '--'    \n ");
    expect(text).toHaveLength(query.length);
  });

  test("keeps hints about the execution plan", () => {
    expect(checkStatement("select /*+ bka(t) */ 1 /* a */", true).text).toBe("select /*+ bka(t) */ 1        ");
  });

  test.each(["select 1 --/* */ 2", "select 1 --#\n 2"])(
    "%j is rejected, because removing comments would change it",
    (query) => {
      expect(kindOf(query)).toBe("not_allowed");
    },
  );

  test("is unchanged on a writable connection", () => {
    const query = "/*!50000 insert */ into t values (1); -- a";
    expect(kindOf(query)).toBe("not_allowed");
    expect(checkStatement(`insert ${query.slice(19)}`, false).text).toBe(`insert ${query.slice(19)}`);
  });
});

test("reports the position of ambiguous text", () => {
  expect(() => checkStatement("select 1,\n 'a", true)).toThrow(
    expect.objectContaining({ kind: "query_failed", details: { position: 12, line: 2, column: 2 } }),
  );
  expect(() => checkStatement("select 1\u00a0", true)).toThrow(
    expect.objectContaining({ kind: "not_allowed", message: expect.stringContaining("space") }),
  );
});
