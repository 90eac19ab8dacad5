import { describe, expect, test } from "vitest";
import { chartOf, readChart } from "./chart";
import { emptyPlan, type Plan } from "./plan";
import { Schema } from "./schema";

const column = (name: string, type = "text") => ({ name, type });
const SCHEMA = new Schema([{ name: "orders", columns: [column("channel"), column("placed_at", "timestamp")] }]);

describe("readChart", () => {
  test.each([
    ["show as bar chart", "", "bar"],
    ["Show it as a bar chart.", "", "bar"],
    ["and now as a line graph", "", "line"],
    ["pie chart please", "", "pie"],
    ["Draw a chart", "", null],
    ["orders by channel as a pie chart", "orders by channel", "pie"],
    ["draw a line chart of orders per month", "orders per month", "line"],
    ["Plot orders per month", "orders per month", null],
  ])("%s", (text, question, kind) => {
    expect(readChart(text, SCHEMA)).toEqual({ question, ask: { kind } });
  });

  test("leaves other questions alone, and those about a table called like a chart", () => {
    expect(readChart("orders by channel", SCHEMA)).toBeNull();
    const accounts = new Schema([{ name: "chart_of_accounts", columns: [column("name")] }]);
    expect(readChart("show the chart of accounts", accounts)).toBeNull();
  });
});

describe("chartOf", () => {
  const [orders] = SCHEMA.tables;
  if (!orders) throw new Error("no table");
  const [channel, placed] = orders.columns;
  if (!channel || !placed) throw new Error("no columns");
  const byChannel = { alias: "channel", kind: "column" as const, ref: { table: orders, column: channel } };
  const byMonth = {
    alias: "month",
    kind: "time" as const,
    ref: { table: orders, column: placed },
    grain: "month" as const,
  };
  const counts = (outputs: Plan["outputs"]): Plan => ({
    ...emptyPlan(orders),
    outputs,
    measures: [{ alias: "orders_count", fn: "count" }],
  });
  const draw = (plan: Plan, kind: "pie" | null = null, rows: Record<string, unknown>[] = [], rowCount = rows.length) =>
    chartOf(plan, { kind }, { fields: [], rows, rowCount });
  const shelvesOf = (...of: Parameters<typeof draw>) => {
    const chart = draw(...of);
    return typeof chart === "string" ? chart : (chart.spec.usermeta as { shelves: unknown }).shelves;
  };

  test("draws times as a line, and other groups as bars", () => {
    expect(shelvesOf(counts([byMonth, byChannel]), null)).toMatchObject({
      kind: "line",
      across: "month",
      colour: "channel",
      sort: "given",
    });
    expect(shelvesOf(counts([byChannel]), null)).toMatchObject({ kind: "bar", sort: "value" });
    expect(shelvesOf(counts([byChannel]), "pie")).toMatchObject({ kind: "pie" });
    expect(draw(counts([byMonth]))).toMatchObject({ title: "Orders count by month" });
  });

  test("draws a ranking of whole rows by their names", () => {
    const shop = new Schema([{ name: "customers", columns: [column("id"), column("name"), column("email")] }]);
    const [customers] = shop.tables;
    if (!customers) throw new Error("no table");
    const outputs = customers.columns.map((each) => ({
      alias: each.name,
      kind: "column" as const,
      ref: { table: customers, column: each },
    }));
    const ranking = counts(outputs);
    expect(shelvesOf(ranking, null)).toMatchObject({ across: "name", colour: null });
    // Two people of one name would become one bar.
    const [anna, other] = [
      { id: "1", name: "Anna" },
      { id: "2", name: "Anna" },
    ];
    expect(shelvesOf(ranking, null, [anna, { ...other, name: "Ben" }])).toMatchObject({ across: "name" });
    expect(draw(ranking, null, [anna, other])).toMatch(/would add up rows/);
    expect(draw(ranking, null, [anna], 5000)).toMatch(/would add up rows/);
    const byName = { ...counts(outputs.slice(1, 2)), hiddenKeys: outputs.slice(0, 1).map(({ ref }) => ref) };
    expect(draw(byName, null, [anna, other])).toMatch(/would add up rows/);
    // One bar for a customer would be the sum of the figures of months.
    expect(draw({ ...ranking, outputs: [...outputs, byMonth] })).toMatch(/one or two groups/);
  });

  test("draws no figure without a group, and no rows without a figure", () => {
    expect(draw(counts([]))).toMatch(/one or two groups/);
    expect(draw({ ...emptyPlan(orders), outputs: [byChannel] })).toMatch(/one or two groups/);
  });
});
