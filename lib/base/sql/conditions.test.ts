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
  test("a value that is left out leaves rows without a value in", () => {
    expect(bound({ op: "not", value: "x" })).toEqual({ sql: "(c <> $1 or c is null)", values: ["x"] });
  });

  test("null is asked for by its own words", () => {
    expect(bound({ op: "is", value: null }).sql).toBe("c is null");
    expect(bound({ op: "not", value: null }).sql).toBe("c is not null");
  });

  test("what is looked for is no pattern", () => {
    // Each special character of the pattern is escaped, including the escape itself.
    expect(bound({ op: "holds", value: "50%_!" })).toEqual({
      sql: "lower(c) like $1 escape '!'",
      values: ["%50!%!_!!%"],
    });
  });
});

describe("toFilteredQuery", () => {
  test("writes the conditions around the query, names and texts quoted as the database reads them", () => {
    const conditions = [
      { name: "Region", kind: "text" as const, condition: { op: "is" as const, value: "d'or" } },
      { name: "total", kind: "number" as const, condition: { op: "least" as const, value: "300" } },
    ];
    expect(toFilteredQuery("select * from orders;", conditions, "mysql")).toBe(
      "select *\nfrom (\nselect * from orders\n) as found\nwhere `Region` = 'd''or'\n  and total >= 300;",
    );
  });

  test("a text that looks like a number does not get out of its quotes", () => {
    const condition = { op: "is" as const, value: "1 or 1=1" };
    expect(toFilteredQuery("select 1 as n", [{ name: "n", kind: "number", condition }], "duckdb")).toContain(
      "where n = '1 or 1=1'",
    );
  });
});
