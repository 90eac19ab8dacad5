import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";

const open = takeDashboardWorld();
let author: DashboardAuthor;
let id: string;
beforeAll(async () => {
  const world = await open();
  ({ author } = world);
  const query = "select date '2026-01-01' + i::integer as day, i::integer as n from range(90) t(i)";
  const datasets = [{ id: "d", name: "D", source: { connectionId: world.connectionId, query } }];
  const spec = { dimensions: [{ field: "day", timeUnit: "month" }], measures: [{ op: "count", as: "n" }] };
  const source = { datasetId: "d" };
  const widgets = [
    { id: "chart", kind: "chart", source, spec: { ...spec, mark: "line" } },
    { id: "spared", kind: "chart", source, spec: { ...spec, mark: "line" } },
    { id: "days", kind: "table", source, spec: { ...spec, dimensions: ["day"] } },
  ];
  const filters = [{ id: "when", kind: "dateRange", field: "day", exclude: ["spared"] }];
  ({ id } = await author.make(randomUUID(), { datasets, widgets, filters }));
});

async function shown(when: unknown, more = "") {
  const { json } = await author.send(
    "GET",
    `/${id}/data?filters=${encodeURIComponent(JSON.stringify({ when }))}${more}`,
  );
  return json.data.widgets.map(({ grain, rows }: { grain?: string; rows: object[] }) => [grain, rows.length]);
}

it("groups by days when a range has only one month, unless the page has a grain", async () => {
  expect(await shown(null)).toEqual([
    [undefined, 3],
    [undefined, 3],
    [undefined, 90],
  ]);
  expect(await shown({ from: "2026-01-05", to: "2026-03-10" })).toEqual([
    [undefined, 3],
    [undefined, 3],
    [undefined, 65],
  ]);
  const february = { from: "2026-02-01", to: "2026-02-28" };
  expect(await shown(february)).toEqual([
    ["day", 28],
    [undefined, 3],
    [undefined, 28],
  ]);
  expect(await shown(february, "&grain=month")).toEqual([
    [undefined, 1],
    [undefined, 3],
    [undefined, 1],
  ]);
  expect(await shown({ from: "2026-02-01" })).toEqual([
    [undefined, 2],
    [undefined, 3],
    [undefined, 59],
  ]);
});

it("has no cube then, so that a click is answered by the server", async () => {
  const filters = encodeURIComponent(JSON.stringify({ when: { from: "2026-02-01", to: "2026-02-28" } }));
  const { json } = await author.send("GET", `/${id}/widgets/days/cube?filters=${filters}`);
  expect(json.data.widgets.find((each: { id: string }) => each.id === "chart")).toEqual({ id: "chart", none: "grain" });
});
