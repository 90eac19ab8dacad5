import { describe, expect, it } from "vitest";
/** Answers of PostgreSQL 15, MariaDB 10.11, DuckDB 1.4 and SQLite 3.50, over 500 customers and 20,000 orders. */
import answers from "@/test/fixtures/explain/answers.json";
import { type PlanNode, toPlanTree } from "./plan";
import { readPlan, readPlannedRows } from "./read-plan";

const whole = (value: unknown) => ({
  fields: [{ name: "QUERY PLAN", type: "json" }],
  rows: [{ "QUERY PLAN": value as never }],
});
const text = (value: unknown) => ({
  fields: [
    { name: "explain_key", type: "string" },
    { name: "explain_value", type: "string" },
  ],
  rows: [{ explain_key: "plan", explain_value: JSON.stringify(value) }],
});
const outline = (nodes: PlanNode[]) => nodes.map(({ depth, name }) => `${" ".repeat(depth)}${name}`);

describe("PostgreSQL", () => {
  it("is a tree with costs and planned rows without measurements", () => {
    const tree = readPlan("postgres", whole(answers.postgres.plan));
    expect(outline(tree?.nodes ?? [])).toEqual([
      "Limit",
      " Sort",
      "  Group and aggregate",
      "   Sort",
      "    Hash join",
      "     Full scan of orders",
      "     Hash",
      "      Full scan of customers",
    ]);
    expect(tree).toMatchObject({ isMeasured: false, weight: "cost", totalMs: null });
    // 260.8 of 294.53; no other step is close.
    expect(tree?.nodes[tree.slowest ?? -1]).toMatchObject({
      name: "Full scan of orders",
      cost: 260.8,
      plannedRows: 53,
    });
    expect(tree?.warnings[0]?.lead).toBe("89% of the cost is one step: Full scan of orders.");
  });

  it("knows from the table's size that a plan reads many rows for few", () => {
    const tree = readPlan("postgres", whole(answers.postgres.plan), (name) => (name === "orders" ? 20_000 : null));
    expect(tree?.warnings[0]).toMatchObject({
      lead: "89% of the cost is a full scan of orders.",
      rest: "It keeps 53 of 20,000 rows.",
    });
  });

  it("has self times, actual and removed rows when measured", () => {
    const tree = readPlan("postgres", whole(answers.postgres.measured));
    const orders = tree?.nodes.find(({ object }) => object === "orders");
    expect(tree).toMatchObject({ isMeasured: true, weight: "time", totalMs: 8.076, planningMs: 0.101 });
    expect(orders).toMatchObject({ realRows: 400, plannedRows: 53, droppedRows: 19_600, ownMs: 7.338 });
    expect(orders?.about).toBe("19,600 rows removed by the filter, ((status)::text = 'open'::text)");
    expect(tree?.slowest).toBe(orders?.id);
    // The hash below takes 0.116 ms, including 0.058 for its scan.
    expect(tree?.nodes.find(({ name }) => name === "Hash")?.ownMs).toBeCloseTo(0.058);
    expect(tree?.warnings[0]).toMatchObject({
      lead: expect.stringMatching(/^\d+% of the time is a full scan of orders\.$/),
      rest: expect.stringContaining("It keeps 400 of 20,000 rows."),
    });
  });

  it("has a text in which each step knows its lines", () => {
    const tree = readPlan("postgres", whole(answers.postgres.measured));
    const lines = tree?.text.split("\n") ?? [];
    for (const { from, to } of tree?.nodes ?? []) expect(to).toBeGreaterThan(from);
    const orders = tree?.nodes.find(({ object }) => object === "orders");
    const own = lines.slice(orders?.from, orders?.to).map((line) => line.trim());
    expect(own[0]).toBe("-> Seq Scan on orders o  (cost=0.00..260.80 rows=53 width=4)");
    expect(own[1]).toBe("(actual time=0.017..7.338 rows=400 loops=1)");
    expect(own).toContain("Rows Removed by Filter: 19600");
  });

  it("divides the time of parallel steps among their processes", () => {
    const scan = { "Node Type": "Seq Scan", "Relation Name": "t", "Total Cost": 9, "Plan Rows": 10 };
    const plan = {
      ...{ "Node Type": "Gather", "Workers Launched": 2, "Total Cost": 10, "Plan Rows": 30 },
      ...{ "Actual Total Time": 100, "Actual Rows": 30, "Actual Loops": 1 },
      Plans: [{ ...scan, "Actual Total Time": 90, "Actual Rows": 10, "Actual Loops": 3 }],
    };
    const tree = readPlan("postgres", whole([{ Plan: plan, "Execution Time": 101 }]));
    expect(tree?.nodes.map(({ ownMs, realRows }) => [ownMs, realRows])).toEqual([
      [10, 30],
      [90, 30],
    ]);
  });
});

describe("MySQL and MariaDB", () => {
  it("names the access methods", () => {
    const tree = readPlan("mysql", text(answers.mariadb.plan));
    expect(outline(tree?.nodes ?? [])).toEqual([
      "Query 1",
      " Sort",
      "  Temporary table",
      "   Full scan of o",
      "   Single-row lookup in c",
    ]);
    expect(tree?.nodes.at(-1)?.about).toBe("PRIMARY (id)");
  });

  it("adds up a measured subquery over its loops", () => {
    const tree = readPlan("mysql", text(answers.mariadb.measured));
    const inner = tree?.nodes.find(({ rounds }) => rounds === 500 && true);
    const slowest = tree?.nodes[tree.slowest ?? -1];
    expect(tree).toMatchObject({ isMeasured: true, weight: "time" });
    expect(inner).toBeDefined();
    expect(slowest).toMatchObject({ name: "Full scan of orders", rounds: 500 });
    // 20,000 rows, 500 times.
    expect((slowest?.realRows ?? 0) + (slowest?.droppedRows ?? 0)).toBeCloseTo(10_000_000);
    expect(slowest?.ownMs).toBeCloseTo(2421.94 + 1094.14, 1);
    expect(tree?.warnings[0]?.rest).toContain("in 500 loops");
  });

  it("reads MySQL's costs", () => {
    const table = (name: string, read: string, eval_: string) => ({
      table: {
        table_name: name,
        access_type: "ALL",
        rows_examined_per_scan: 5,
        filtered: "100.00",
        cost_info: { read_cost: read, eval_cost: eval_ },
      },
    });
    const block = {
      select_id: 1,
      cost_info: { query_cost: "31.00" },
      nested_loop: [table("a", "1.00", "0.50"), table("b", "27.00", "2.50")],
    };
    const tree = readPlan("mysql", text({ query_block: block }));
    expect(tree?.nodes.map(({ ownCost }) => ownCost)).toEqual([0, 1.5, 29.5]);
    expect(tree?.nodes[tree.slowest ?? -1]?.object).toBe("b");
  });
});

describe("DuckDB", () => {
  it("has planned rows without shares when not measured", () => {
    const tree = readPlan("duckdb", text(answers.duckdb.plan));
    expect(tree?.nodes.filter(({ object }) => object).map(({ name, plannedRows }) => [name, plannedRows])).toEqual([
      ["Filtered scan of orders", 10_000],
      ["Full scan of customers", 500],
    ]);
    expect(tree).toMatchObject({ isMeasured: false, weight: null, slowest: null });
  });

  it("has measured times without EXPLAIN's own step, and wrong estimates", () => {
    const tree = readPlan("duckdb", text(answers.duckdb.measured));
    expect(tree).toMatchObject({ isMeasured: true, weight: "time", totalMs: 13.2955 });
    expect(tree?.nodes[0]?.name).toBe("Top N");
    expect(tree?.nodes.map(({ share }) => share ?? 0).reduce((a, b) => a + b)).toBeCloseTo(1);
    const orders = tree?.nodes.find(({ object }) => object === "orders");
    expect(orders).toMatchObject({ plannedRows: 10_000, realRows: 400, offBy: 25 });
    // The steps above it are wrong as well, as a consequence.
    expect(tree?.warnings.map(({ lead }) => lead).filter((lead) => lead.includes("estimated"))).toEqual([
      "Filtered scan of orders: 10,000 rows estimated, 400 actual.",
    ]);
  });
});

it("doesn't call an estimate wrong because a limit stopped the step", () => {
  const scan = (planned: number, real: number) => ({
    "Node Type": "Seq Scan",
    "Relation Name": "orders",
    "Plan Rows": planned,
    "Actual Rows": real,
    "Actual Loops": 1,
    "Actual Total Time": 1,
  });
  const under = (parent: string, step: object) =>
    readPlan("postgres", whole([{ Plan: { ...scan(10, 10), "Node Type": parent, Plans: [step] } }]))?.warnings.filter(
      ({ lead }) => lead.includes("estimated"),
    );
  expect(under("Limit", scan(20_000, 10))).toEqual([]);
  expect(under("Limit", scan(10, 20_000))).toHaveLength(1);
  expect(under("Unique", scan(20_000, 10))).toHaveLength(1);
});

it("reads SQLite as a tree of its rows", () => {
  const tree = readPlan("sqlite", { fields: [], rows: answers.sqlite.plan as never });
  expect(outline(tree?.nodes ?? [])).toEqual([
    "Compound query",
    " Left-most subquery",
    "  Full scan of c",
    "  Bloom filter on o (customer_id=?)",
    "  Index lookup in o",
    "  Correlated scalar subquery 2",
    "   Index lookup in orders",
    " Union all",
    "  Full scan of orders",
  ]);
});

it("reads how much of a table ClickHouse scans", () => {
  const read = {
    "Node Type": "ReadFromMergeTree",
    Description: "shop.orders",
    Indexes: [{ Type: "PrimaryKey", Condition: "(id in [7, 7])", "Initial Granules": 12, "Selected Granules": 1 }],
  };
  const plan = [{ Plan: { "Node Type": "Expression", Description: "Projection", Plans: [read] } }];
  const tree = readPlan("clickhouse", text(plan));
  expect(tree?.nodes.map(({ name, about }) => [name, about])).toEqual([
    ["Compute columns", "Projection"],
    ["Partial scan of shop.orders", "1 of 12 granules"],
  ]);
});

it("stacks MongoDB's stages", () => {
  const cursor = {
    queryPlanner: { namespace: "shop.orders", winningPlan: { stage: "COLLSCAN" } },
    executionStats: {
      executionTimeMillis: 9,
      executionStages: { stage: "COLLSCAN", nReturned: 400, docsExamined: 20_000, executionTimeMillisEstimate: 7 },
    },
  };
  const find = readPlan("mongodb", { fields: [], rows: [cursor] });
  expect(find?.warnings[0]?.lead).toBe("Full scan of orders.");
  const grouped = readPlan("mongodb", {
    fields: [],
    rows: [
      { stages: [{ $cursor: cursor }, { $group: { _id: "$region" }, nReturned: 4, executionTimeMillisEstimate: 8 }] },
    ],
  });
  expect(grouped?.nodes.map(({ name, ownMs }) => [name, ownMs])).toEqual([
    ["Group", 1],
    ["Collection scan of orders", 7],
  ]);
});

describe("planned rows of the result", () => {
  const mysqlRows = (block: object) => readPlannedRows("mysql", text({ query_block: block }));

  it("are those of the first step", () => {
    expect(readPlannedRows("postgres", whole([{ Plan: { "Node Type": "Seq Scan", "Plan Rows": 53 } }]))).toBe(53);
    const scan = { name: "SEQ_SCAN", extra_info: { "Estimated Cardinality": "1200" }, children: [] };
    expect(readPlannedRows("duckdb", text([{ ...scan, name: "PROJECTION", children: [scan] }]))).toBe(1200);
  });

  it("are those of MySQL's and MariaDB's only table", () => {
    const range = { access_type: "range", rows: 40, filtered: 50, attached_condition: "t.id < 50" };
    expect(mysqlRows({ nested_loop: [{ table: range }] })).toBe(20);
    expect(mysqlRows({ table: { access_type: "ALL", rows_examined_per_scan: 300, filtered: "33.33" } })).toBe(100);
    expect(mysqlRows({ table: { access_type: "ALL", rows: 300, filtered: 100 } })).toBe(300);
    expect(mysqlRows({ nested_loop: [{ table: range }, { table: range }] })).toBeNull();
    expect(mysqlRows({ table: { message: "Impossible WHERE" } })).toBeNull();
  });

  it("are unknown if MariaDB has no statistics about a condition", () => {
    const scan = { access_type: "ALL", rows: 300, attached_condition: "t.v = 1" };
    expect(mysqlRows({ table: { ...scan, filtered: 100 } })).toBeNull();
    expect(mysqlRows({ table: scan })).toBeNull();
    expect(mysqlRows({ table: { ...scan, filtered: 10 } })).toBe(30);
  });

  it("are in the first line of a text", () => {
    const lines = (...all: string[]) => ({
      fields: [{ name: "QUERY PLAN", type: "string" }],
      rows: all.map((line) => ({ "QUERY PLAN": line })),
    });
    const plan = lines("XN Seq Scan on t  (cost=0.00..1.25 rows=33 width=4)", "  Filter: (rows=7 )");
    expect(readPlannedRows("text", plan)).toBe(33);
    expect(readPlannedRows("text", lines("Fragment 0", "(cost=1 rows=7 )"))).toBeNull();
  });
});

describe("an unknown format", () => {
  it("is null", () => {
    const forms = ["postgres", "mysql", "sqlite", "duckdb", "clickhouse", "mongodb", "text"] as const;
    for (const form of forms) {
      for (const value of ["Seq Scan on t", "{}", "[]", "null", "7", '{"query_block":7}', '[{"Plan":null}]']) {
        expect(readPlan(form, { fields: [{ name: "a", type: "string" }], rows: [{ a: value }] }), form).toBeNull();
      }
      expect(readPlan(form, { fields: [], rows: [] }), form).toBeNull();
    }
  });

  it("does not exhaust the stack at any depth", () => {
    const nested = (levels: number) => {
      let plan: Record<string, unknown> = { "Node Type": "Result" };
      for (let level = 1; level < levels; level += 1) plan = { "Node Type": "Subquery Scan", Plans: [plan] };
      return whole([{ Plan: plan }]);
    };
    expect(readPlan("postgres", nested(150))?.nodes).toHaveLength(150);
    expect(readPlan("postgres", nested(5000))).toBeNull();
    expect(toPlanTree({ steps: [], totalMs: null, planningMs: null }).nodes).toEqual([]);
  });
});
