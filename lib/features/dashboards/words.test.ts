import { expect, test } from "vitest";
import type { DashboardFile } from "./schema";
import { changesBetween } from "./words";

const layout = { x: 0, y: 0, w: 6, h: 4 };
const EMPTY: DashboardFile = { title: "Sales", description: "", datasets: [], widgets: [], filters: [] };
const chart = { id: "a", kind: "chart", title: "Revenue", source: { datasetId: "d" }, spec: {}, layout } as const;
const FULL: DashboardFile = {
  ...EMPTY,
  datasets: [{ id: "d", name: "Orders", source: { consoleId: "f".repeat(24) }, maxAgeS: null }],
  widgets: [chart],
  filters: [{ id: "f", kind: "select", field: "country", title: null, datasets: "all", exclude: [], default: null }],
};

test("names added and removed parts with their kind", () => {
  expect(changesBetween(null, FULL)).toEqual([
    "Created dashboard",
    "Added dataset “Orders”",
    "Added chart “Revenue”",
    "Added filter “country”",
  ]);
  expect(changesBetween(FULL, EMPTY)).toEqual([
    "Removed dataset “Orders”",
    "Removed chart “Revenue”",
    "Removed filter “country”",
  ]);
  expect([changesBetween(FULL, null), changesBetween(null, null)]).toEqual([["Deleted dashboard"], []]);
});

test.each([
  [{ title: "Income" }, "Renamed chart “Income” from “Revenue”"],
  [{ kind: "kpi" as const }, "Changed chart to number “Revenue”"],
  [{ source: { datasetId: "e" } }, "Changed source of chart “Revenue”"],
  [{ spec: { limit: 1 } }, "Edited chart “Revenue”"],
  [{ layout: { ...layout, x: 1 } }, "Moved chart “Revenue”"],
  [{ layout: { ...layout, h: 5 } }, "Resized chart “Revenue”"],
  [{ tab: "Sales" }, "Moved chart “Revenue” to tab “Sales”"],
])("describes only the change of a widget with %j", (change, words) => {
  expect(changesBetween(FULL, { ...FULL, widgets: [{ ...chart, ...change }] })).toEqual([words]);
});

test("never names a widget without a title by its ID", () => {
  const bare = { ...FULL, widgets: [{ ...chart, title: "" }] };
  expect(changesBetween(EMPTY, bare)).toContain("Added chart without a title");
  expect(changesBetween(bare, FULL)).toEqual(["Named chart “Revenue”"]);
  expect(changesBetween(FULL, bare)).toEqual(["Removed title “Revenue” of chart"]);
});

test("ignores a change of order", () => {
  const widget = { ...chart, spec: { a: 1, b: { c: [1, 2] } } };
  const other = { ...chart, spec: { b: { c: [1, 2] }, a: 1 } };
  expect(changesBetween({ ...FULL, widgets: [widget] }, { ...FULL, widgets: [other] })).toEqual([]);
  const second = { ...chart, id: "b" };
  expect(changesBetween({ ...FULL, widgets: [chart, second] }, { ...FULL, widgets: [second, chart] })).toEqual([]);
  // Tabs appear in the order of their widgets.
  const [one, two] = [
    { ...chart, tab: "Sales" },
    { ...second, tab: "Orders" },
  ];
  const reordered = changesBetween({ ...FULL, widgets: [one, two] }, { ...FULL, widgets: [two, one] });
  expect(reordered).toEqual(["Reordered tabs"]);
});

test("describes changes of title, description, datasets and filters", () => {
  const [dataset] = FULL.datasets;
  const [filter] = FULL.filters;
  if (!dataset || !filter) throw new Error("Each has one.");
  const after: DashboardFile = {
    ...FULL,
    title: "Income",
    description: "By month",
    datasets: [{ ...dataset, name: "Sales", maxAgeS: 60 }],
    filters: [{ ...filter, title: "Country", default: "AT" }],
  };
  expect(changesBetween(FULL, after)).toEqual([
    "Renamed dashboard from “Sales” to “Income”",
    "Changed description",
    "Renamed dataset “Sales” from “Orders”",
    "Changed cache duration of dataset “Sales”",
    "Changed filter “Country” (was “country”)",
  ]);
});
