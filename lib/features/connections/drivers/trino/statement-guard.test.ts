import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { FORBIDDEN, HARMLESS } from "@/test/conformance/drivers/statements";
import { checkStatement } from "./statement-guard";

function refusal(statement: string, readOnly = true): string | null {
  try {
    checkStatement(statement, readOnly);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

/** Looks like a read: the server's parser and transaction refuse it if it is none, or is two statements. */
const LEFT_TO_THE_SERVER =
  /^(?:explain (?:analyze )?|with a as \(.*\) (?:insert|update|delete) |(?:select|values|table|show) .*;|\/\* harmless|select "a)/i;

describe("T50 on a read-only connection to Trino", () => {
  test.each(FORBIDDEN.trino.filter((statement) => !LEFT_TO_THE_SERVER.test(statement)))(
    "%j is not sent",
    (statement) => {
      expect(["read_only", "not_allowed", "invalid_request"]).toContain(refusal(statement));
    },
  );

  test.each(HARMLESS.trino)("%j is", (statement) => {
    expect(refusal(statement)).toBeNull();
  });

  test.each([
    ["show create table a", null],
    ["show create materialized view a", null],
    ["show create schema a", null],
    ["show create catalog pg", "not_allowed"],
    ["SHOW /* x */ CREATE CATALOG pg", "not_allowed"],
    ["show create role admin", "not_allowed"],
  ])("C24 %j", (statement, expected) => {
    expect(refusal(statement)).toBe(expected);
  });

  test.each([
    ["select * from table(sequence(start => 1, stop => 3))", null],
    ["select * from table(system.builtin.sequence(1, 3))", null],
    ["select * from table(exclude_columns(input => table(orders), columns => descriptor(a)))", null],
    ["select * from table(exclude_columns(input => table(select 1 as a), columns => descriptor(a)))", null],
    ["select * from table(lake.builtin.sequence(1, 3))", "not_allowed"],
    ["select * from table(pg.system.query(query => 'select evil()'))", "not_allowed"],
    ["select * from table(exclude_columns(input => table(pg.system.query(query => 'x'))))", "not_allowed"],
    ["select * from table(", "not_allowed"],
    ["select 1 /* /* */ */", "not_allowed"],
    ["select $$a$$", "not_allowed"],
    ["select `a`", "not_allowed"],
    ["select 'a", "not_allowed"],
    ["select 'table(pg.system.query(1))'", null],
    ['select "table"(1)', null],
  ])("%j is checked by its table functions and known statements: %s", (statement, kind) => {
    expect(refusal(statement)).toBe(kind);
  });
});

test("runs session statements on no connection, and everything else on a writable one", () => {
  for (const statement of ["set session a = 1", "use a.b", "START TRANSACTION", "prepare p from select 1", "commit"]) {
    expect([statement, refusal(statement, false)]).toEqual([statement, "not_allowed"]);
  }
  for (const statement of ["insert into t values (1)", "call a.b()", "select * from table(pg.system.query('x'))"]) {
    expect([statement, refusal(statement, false)]).toEqual([statement, null]);
  }
  for (const statement of ["", " ", ";", "-- nothing"]) expect(refusal(statement, false)).toBe("invalid_request");
});
