import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { WidgetData } from "../../schema";

const open = takeDashboardWorld();
let author: DashboardAuthor;
let source: { connectionId: string; query: string };
beforeAll(async () => {
  const world = await open();
  ({ author } = world);
  await world.run(`create table sales as select * from (values
    ('north', 'web', date '2026-01-05', 10.50::decimal(10,2)), ('north', 'app', date '2026-02-01', 4.50),
    ('south', 'web', date '2026-02-01', 1.25), (null, 'web', date '2026-02-03', 1.00)) t(region, channel, day, amount)`);
  source = { connectionId: world.connectionId, query: "select * from sales" };
});

const SPEC = {
  rows: ["region"],
  columns: [{ field: "day", timeUnit: "month" }],
  measures: [{ field: "amount", op: "sum", as: "total" }],
};
const datasets = () => [{ id: "sales", name: "Sales", source }];
const pivotOf = (spec: Record<string, unknown> = SPEC) => ({
  id: "p",
  kind: "pivot",
  source: { datasetId: "sales" },
  spec,
});
const CHANNELS = { dimensions: ["channel"], measures: [{ op: "count" }] };
const make = (spec?: Record<string, unknown>) =>
  author.make(randomUUID(), {
    datasets: datasets(),
    widgets: [pivotOf(spec), { id: "c", kind: "table", source: { datasetId: "sales" }, spec: CHANNELS }],
  });
async function dataOf(id: string, query: Record<string, unknown> = {}): Promise<WidgetData[]> {
  const asked = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const answer = await author.send("GET", `/${id}/data?${new URLSearchParams(asked as [string, string][])}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.widgets;
}
const linesOf = ({ rows, pivot }: WidgetData) => rows.map((row, at) => [...Object.values(row), pivot?.levels[at]]);
const LINES = [
  ["north", "2026-01-01", "10.50", [1, 1]],
  ["north", "2026-02-01", "4.50", [1, 1]],
  ["north", null, "15.00", [1, 0]],
  ["south", "2026-02-01", "1.25", [1, 1]],
  ["south", null, "1.25", [1, 0]],
  [null, "2026-02-01", "1.00", [1, 1]],
  [null, null, "1.00", [1, 0]],
  [null, "2026-01-01", "10.50", [0, 1]],
  [null, "2026-02-01", "6.75", [0, 1]],
  [null, null, "17.25", [0, 0]],
];

describe("a pivot table", () => {
  it("returns groups with totals, for viewers, previews and links", async () => {
    const { id } = await make();
    const [data] = await dataOf(id);
    expect(data && linesOf(data)).toEqual(LINES);
    expect(data).toMatchObject({ truncated: false, pivot: { rows: 1, columns: 1, rowGroups: 3, columnGroups: 2 } });
    const preview = await author.send("POST", "/preview", { datasets: datasets(), widgets: [pivotOf()] });
    expect(linesOf(preview.json.data.widgets[0])).toEqual(LINES);
    const shared = await author.send("PUT", `/${id}/share`, { enabled: true });
    const seen = await call("GET", `/api/share/${shared.json.data.token}/data`);
    expect(linesOf(seen.json.data.widgets.find((each: WidgetData) => each.id === "p"))).toEqual(LINES);
  });

  it("filters other widgets by rows and columns, and is filtered by theirs", async () => {
    const { id } = await make();
    const [, channels] = await dataOf(id, {
      filters: { "@p": { region: [null], day: { from: "2026-02-01", to: "2026-02-28" } } },
    });
    expect(channels?.rows).toEqual([{ channel: "web", count: 1 }]);
    const [pivot] = await dataOf(id, { filters: { "@c": { channel: ["app"] } } });
    expect(pivot && linesOf(pivot).at(-1)).toEqual([null, null, "4.50", [0, 0]]);
    // A column that it does not show filters nothing, so that viewers cannot probe it.
    expect((await dataOf(id, { filters: { "@p": { amount: [1.25] } } }))[1]?.rows).toHaveLength(2);
    const rows = await dataOf(id, { widget: "p", rows: "true", filters: { "@p": { region: ["north"] } } });
    expect(rows[0]?.rows).toHaveLength(2);
  });

  it("follows the page's grain, and has no cube", async () => {
    const { id } = await make();
    expect((await dataOf(id, { grain: "year" }))[0]?.pivot).toMatchObject({ columnGroups: 1 });
    const cube = await author.send("GET", `/${id}/widgets/c/cube`);
    expect(cube.json.data.widgets).toEqual([{ id: "p", none: "totals" }]);
  });

  it("reports the number of groups beyond its limit", async () => {
    const { id } = await make({ ...SPEC, sort: [{ by: "total", order: "desc" }], limit: 1 });
    const [data] = await dataOf(id);
    expect(data?.pivot).toMatchObject({ rowGroups: 3, columnGroups: 2 });
    expect(data && linesOf(data).filter(([, day]) => day === null)).toEqual([LINES[2], LINES[9]]);
  });

  it("returns no rows if the filters leave none", async () => {
    const { id } = await make();
    const [data] = await dataOf(id, { filters: { "@c": { channel: ["post"] } } });
    expect(data).toMatchObject({ rows: [], pivot: { levels: [], rowGroups: 0 } });
  });

  it.each([
    ["measures without a row", { measures: SPEC.measures }, "rows"],
    ["rows without a measure", { rows: ["region"] }, "measures"],
    ["four rows", { ...SPEC, rows: ["a", "b", "c", "d"] }, "rows"],
    ["three columns", { ...SPEC, columns: ["a", "b", "c"] }, "columns"],
    ["more groups than it shows", { ...SPEC, limit: 501 }, "limit"],
    ["totals that are a text", { ...SPEC, totals: "yes" }, "totals"],
  ])("is rejected with %s", async (_, spec, path) => {
    const answer = await author.send("POST", "", {
      title: randomUUID(),
      datasets: datasets(),
      widgets: [pivotOf(spec)],
    });
    expect([answer.status, answer.json.details?.[0].path]).toEqual([400, `widgets.0.spec.${path}`]);
    expect(answer.json.details[0].message).toMatch(/^[A-Z].*\.$/);
  });
});
