import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { FORBIDDEN } from "@/test/conformance/drivers/statements";
import { checkStatement } from "./statement-guard";

/** Returns the kind of the refusal; "runs" when there is none. */
function verdictOf(query: string, readOnly = true): string {
  try {
    checkStatement(query, readOnly);
    return "runs";
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

describe("T50 on a read-only connection", () => {
  it.each([
    "select 1",
    "SELECT top 10 * from sales qualify row_number() over (order by id) = 1",
    "with a as (select 1 as n) select * from a;",
    "(select 1) union all (select 2)",
    "select approximate count(distinct buyer) from sales",
    "select listagg(name, ', ') within group (order by name) from t",
    "select convert_timezone('UTC', getdate()), dateadd(day, 1, sysdate)",
    "select c.a[0].b from t c",
    "select a, b from t minus select a, b from u",
    "select regexp_substr(email, '@[^.]*') from t where x like 'a\\_%'",
    "show table sales",
    "explain select 1",
    "explain verbose with a as (select 1) select * from a",
    'select "insert" from t -- delete\n/* update */',
    "select pg_backend_pid(), pg_get_viewdef('v')",
    "select c.relname from pg_catalog.pg_class c, dev.pg_catalog.pg_tables",
    "select replace(name, 'a', 'b') from t",
  ])("runs %j", (query) => {
    expect(verdictOf(query)).toBe("runs");
  });

  it.each([
    "insert into t values (1)",
    "update t set a = 1",
    "delete from t",
    "merge into t using u on t.a = u.a remove duplicates",
    "truncate t",
    "create table a as select 1",
    "select * into a from t",
    "select a into temp b from t",
    "copy t from 's3://bucket/t' iam_role default",
    "unload ('select 1') to 's3://bucket/t' iam_role default",
    "call change_it()",
    "vacuum t",
    "refresh materialized view v",
    "grant select on t to public",
    "with a as (select 1) insert into t select * from a",
    "with gone as (delete from t returning *) select * from gone",
    "explain delete from t",
    "/* select */ delete from t",
  ])("refuses %j as a change", (query) => {
    expect(verdictOf(query)).toBe("read_only");
  });

  it.each([
    "begin",
    "commit",
    "set readonly to 0",
    "reset all",
    "select 1; delete from t",
    "select pg_terminate_backend(1)",
    'select "pg_cancel_backend"(1)',
    "select pg_catalog.set_config('readonly', 'off', false)",
    "select (1).pg_cancel_backend from t",
    "select u&'a'",
    "select $$a$$",
    "select 1 /* a /* b */ */",
    "select `a`",
    "do something",
  ])("does not allow %j", (query) => {
    expect(verdictOf(query)).toBe("not_allowed");
  });

  it.each([
    // A server on which a backslash escapes runs the second statement, one on which it does not runs it in the other.
    "select 'a\\', '; delete from t; --'",
    "select '\\'; delete from t; --'",
    "select 'a\\', pg_terminate_backend(1), 'b'",
    "select 'a\\'' , pg_terminate_backend(1) , '' , '",
  ])("refuses %j, whose strings end at another place without escapes", (query) => {
    expect(verdictOf(query)).not.toBe("runs");
  });
});

it("runs every change on a connection that may write, except statements about the session", () => {
  for (const query of ["delete from t", "create table a (b int)", "call change_it()"]) {
    expect(verdictOf(query, false)).toBe("runs");
  }
  expect(verdictOf("commit", false)).toBe("not_allowed");
  expect(verdictOf(" -- nothing", false)).toBe("invalid_request");
});

/** Statements about what Redshift does not have, and a user's function, whose changes are rolled back. */
const UNKNOWN_TO_REDSHIFT: readonly string[] = [
  "select * from pg_file_settings",
  "select * from pg_hba_file_rules",
  "select * from guarded for update",
  "select * from guarded for key share",
  "select evil_write()",
];

it("refuses what a read-only connection to PostgreSQL refuses", () => {
  expect(FORBIDDEN.postgres.length).toBeGreaterThan(100);
  const runs = FORBIDDEN.postgres.filter((query) => verdictOf(query) === "runs");
  expect(runs.filter((query) => !UNKNOWN_TO_REDSHIFT.includes(query))).toEqual([]);
});
