import { describe, expect, test } from "vitest";
import { type Condition, type ConditionKind, toFilteredQuery, toSqlCondition } from "./conditions";

const bound = (condition: Condition, kind: ConditionKind = "text") => {
  const values: string[] = [];
  const sql = toSqlCondition(
    condition,
    { column: "c", kind, dialect: "postgres" },
    (value) => `$${values.push(value)}`,
  );
  return { sql, values };
};

describe("toSqlCondition", () => {
  test("keeps rows with null for an excluded value", () => {
    expect(bound({ op: "not", value: "x" })).toEqual({ sql: "(c <> $1 or c is null)", values: ["x"] });
  });

  test("tests null explicitly", () => {
    expect(bound({ op: "is", value: null }).sql).toBe("c is null");
    expect(bound({ op: "not", value: null }).sql).toBe("c is not null");
  });

  test("treats search text literally", () => {
    // Each special character of the pattern is escaped, including the escape itself.
    expect(bound({ op: "holds", value: "50%_!" })).toEqual({
      sql: "lower(c) like $1 escape '!'",
      values: ["%50!%!_!!%"],
    });
  });
});

describe("toFilteredQuery", () => {
  test("wraps conditions around the query, with correct quoting", () => {
    const conditions = [
      { name: "Region", kind: "text" as const, condition: { op: "is" as const, value: "d'or" } },
      { name: "total", kind: "number" as const, condition: { op: "least" as const, value: "300" } },
    ];
    expect(toFilteredQuery("select * from orders;", conditions, "mysql")).toBe(
      "select *\nfrom (\nselect * from orders\n) as found\nwhere `Region` = 'd''or'\n  and total >= 300;",
    );
  });

  test("keeps numeric-looking text quoted", () => {
    const condition = { op: "is" as const, value: "1 or 1=1" };
    expect(toFilteredQuery("select 1 as n", [{ name: "n", kind: "number", condition }], "duckdb")).toContain(
      "where n = '1 or 1=1'",
    );
  });
});
