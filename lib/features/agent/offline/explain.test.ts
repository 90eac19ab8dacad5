import { describe, expect, it } from "vitest";
import { explain, spanWords } from "./explain";
import { emptyPlan, type Plan } from "./plan";
import type { Column, Table } from "./schema";

describe("a span of days", () => {
  it.each([
    ["2025-01-01", "2026-01-01", "in 2025"],
    ["2025-09-01", "2025-10-01", "in Sep 2025"],
    ["2025-07-01", "2025-10-01", "in Q3 2025"],
    ["2025-09-01", "2025-09-08", "in the week of 1 Sep 2025"],
    ["2025-09-01", "2025-09-02", "on 1 Sep 2025"],
    ["2025-09-02", "2025-10-01", "from 2 Sep 2025 to 30 Sep 2025"],
    ["2025-09-01", null, "since 1 Sep 2025"],
    [null, "2025-09-01", "before 1 Sep 2025"],
  ])("from %s to %s is %s", (start, end, words) => {
    expect(spanWords(start, end)).toBe(words);
  });
});

it("shows the figure of a ranking beside the first of many columns", () => {
  const columns = ["id", "name", "b", "c", "d", "e", "f"].map(
    (name) => ({ name, kind: "text", words: [name] }) as Column,
  );
  const from = { name: "customers", columns } as Table;
  const plan = {
    ...emptyPlan(from),
    outputs: columns.map((column) => ({ alias: column.name, kind: "column" as const, ref: { table: from, column } })),
    measures: [{ fn: "count" as const, alias: "orders_count" }],
    order: [{ alias: "orders_count", isDescending: true }],
  };
  const row = { id: "1", name: "Ada", b: "", c: "", d: "", e: "", f: "", orders_count: 7 };
  const text = explain(plan, { fields: Object.keys(row), rows: [row], rowCount: 1, truncated: false }, []);
  expect(text).toContain("by customer: the highest is **Ada** with **7**");
  expect(text).toContain("| id | name | b | c | d | orders\\_count |");
});

describe("a group by time", () => {
  const column = { name: "placed_at", kind: "date" } as Column;
  const from = { name: "orders", columns: [column] } as Table;
  const plan = (grain: "day" | "week" | "month" | "year") =>
    ({
      ...{ from, joins: [], where: [], having: [], order: [], limit: null, countedAs: null },
      outputs: [{ kind: "time", alias: grain, grain, ref: { table: from, column } }],
      measures: [{ fn: "count", alias: "orders_count" }],
    }) as unknown as Plan;

  it.each([
    ["2025-09-01", "week", "week of 1 Sep 2025"],
    ["2025-09-01T00:00:00Z", "month", "Sep 2025"],
    // As MongoDB returns months and years.
    ["2025-09", "month", "Sep 2025"],
    ["2025", "year", "2025"],
    [null, "month", "none"],
  ] as const)("%s by %s is %s", (start, grain, words) => {
    const rows = [{ [grain]: start, orders_count: 2 }];
    const answer = { fields: [grain, "orders_count"], rows, rowCount: 1, truncated: false };
    expect(explain(plan(grain), answer, [])).toContain(`| ${words} | 2 |`);
  });
});
