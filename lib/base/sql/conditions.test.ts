import { describe, expect, test } from "vitest";
import { type Condition, type ConditionKind, toFilteredQuery, toSqlCondition, toTableQuery } from "./conditions";

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

describe("toTableQuery", () => {
  test("writes conditions and an order that puts nulls last", () => {
    const plain = { conditions: [], sort: null, limit: 100 };
    expect(toTableQuery("orders", plain, "postgres")).toBe("select *\nfrom orders\nlimit 100");
    const conditions = [
      { name: "Town", kind: "text", condition: { op: "is", value: "it's" } },
      { name: "day", kind: "date", condition: { op: "least", value: "2026-01-02" } },
    ] as const;
    const sort = { name: "total", isDescending: true, mayBeNull: true };
    expect(toTableQuery("orders", { conditions: [...conditions], sort, limit: 100 }, "postgres")).toBe(
      [
        "select *",
        "from orders",
        "where \"Town\" = 'it''s'",
        "  and day >= '2026-01-02'",
        "order by total is null, total desc",
        "limit 100",
      ].join("\n"),
    );
    const sure = { ...plain, sort: { name: "id", isDescending: false, mayBeNull: false } };
    expect(toTableQuery("orders", sure, "mysql")).toBe("select *\nfrom orders\norder by id\nlimit 100");
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
