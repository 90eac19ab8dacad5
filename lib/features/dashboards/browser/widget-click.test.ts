import { describe, expect, it, test } from "vitest";
import {
  addClick,
  findClickColumns,
  findFinerGrains,
  isClicked,
  toCellClick,
  toDayRange,
  toLabelled,
  toRowClick,
  toShownWidget,
} from "@/lib/features/dashboards/browser/widget-click";

const fields = [
  { name: "month", type: "date" },
  { name: "region", type: "string" },
  { name: "total", type: "decimal" },
];
const spec = {
  dimensions: [{ field: "placed_at", timeUnit: "month", as: "month" }, "region"],
  measures: [{ field: "amount", op: "sum", as: "total" }],
};

test.each([
  { name: "of the widget", own: undefined, page: undefined, unit: "month" },
  { name: "of the page", own: undefined, page: "quarter", unit: "quarter" },
  { name: "of the data, over the page's", own: "year", page: "quarter", unit: "year" },
])("shows a widget by the grain $name", ({ own, page, unit }) => {
  const shown = toShownWidget(spec, { fields, grain: own }, page);
  expect(shown.spec.dimensions).toMatchObject([{ timeUnit: unit }, "region"]);
  expect(shown.data.fields).toMatchObject([{ grain: unit }, { grain: undefined }, { grain: undefined }]);
});

test("maps dimensions to the columns that they are computed from", () => {
  expect(findClickColumns(spec, fields)).toEqual([
    { column: "month", field: "placed_at", type: "date", unit: "month" },
    { column: "region", field: "region", type: "string", unit: null },
  ]);
  expect(findClickColumns({}, fields).map(({ field }) => field)).toEqual(["month", "region", "total"]);
});

test("covers all days of a time bin", () => {
  const at = Date.parse("2024-02-01");
  expect(toDayRange(at, "month")).toEqual({ from: "2024-02-01", to: "2024-02-29" });
  expect(toDayRange(at, "week")).toEqual({ from: "2024-02-01", to: "2024-02-07" });
  expect(toDayRange(at, "quarter")).toEqual({ from: "2024-02-01", to: "2024-04-30" });
  expect(toDayRange(at, "year")).toEqual({ from: "2024-02-01", to: "2025-01-31" });
  expect(toDayRange(at, null)).toEqual({ from: "2024-02-01", to: "2024-02-01" });
  expect(toDayRange(at, "day", Date.parse("2024-02-05"))).toEqual({ from: "2024-02-01", to: "2024-02-04" });
  expect(toDayRange(at, "hour")).toBeNull();
});

test("maps a label to its value, and the rest to none", () => {
  const rows = [{ r: "north" }, { r: null }, { r: "" }, { r: 7 }];
  expect(["north", "null", "(empty)", "7", "other"].map((label) => toLabelled(rows, "r", label))).toEqual([
    "north",
    null,
    "",
    7,
    undefined,
  ]);
  const odd = [{ r: "null" }, { r: null }];
  expect([toLabelled(odd, "r", "null"), toLabelled(odd, "r", "null (no text)")]).toEqual(["null", null]);
});

test("makes cells clickable if their value can be filtered", () => {
  const [month, region] = findClickColumns(spec, fields);
  if (!month || !region) throw new Error("Two columns are there.");
  expect(toCellClick(month, "2026-03-01")).toEqual({ from: "2026-03-01", to: "2026-03-31" });
  expect(toCellClick(region, null)).toEqual([null]);
  expect(toCellClick(region, { a: 1 })).toBeNull();
  expect(toCellClick({ ...month, type: "timestamptz", unit: null }, "2026-03-01T00:00:00Z")).toBeNull();
});

test("extends a selection by a mark, or to a range of days", () => {
  expect(addClick({ region: ["north"] }, { region: ["south"] })).toEqual({ region: ["north", "south"] });
  const days = addClick(
    { day: { from: "2026-03-05", to: "2026-03-05" } },
    { day: { from: "2026-03-01", to: "2026-03-02" } },
  );
  expect(days).toEqual({ day: { from: "2026-03-01", to: "2026-03-05" } });
  expect(addClick({ region: ["north"] }, { channel: ["web"] })).toEqual({ channel: ["web"] });
  expect(isClicked(days, { day: { from: "2026-03-02", to: "2026-03-02" } })).toBe(true);
  expect(isClicked(days, { day: { from: "2026-03-05", to: "2026-03-06" } })).toBe(false);
  expect(isClicked({ region: ["north"] }, { region: ["south"] })).toBe(false);
});

describe("drill-through", () => {
  const columns = [
    { column: "month", field: "at", type: "date", unit: "month" },
    { column: "area", field: "region", type: "string", unit: null },
  ];

  it("takes all groups of a row, unless one of them cannot be filtered", () => {
    const row = { month: "2026-02-01", area: "north", n: 5 };
    expect(toRowClick(columns, row)).toEqual({ at: { from: "2026-02-01", to: "2026-02-28" }, region: ["north"] });
    expect(toRowClick(columns, { ...row, area: { a: 1 } })).toBeNull();
    expect(toRowClick([], row)).toBeNull();
  });

  it.each([
    ["year", ["quarter", "month"]],
    ["month", ["week", "day"]],
    ["week", ["day"]],
    ["day", []],
    ["hour", []],
    [null, []],
  ])("divides the days of a %s by %j", (unit, grains) => {
    const time = { column: "t", field: "at", type: "date", unit };
    const click = { at: { from: "2026-01-01", to: "2026-01-31" }, region: ["north"] };
    expect(findFinerGrains([time], click)).toEqual(grains);
    expect(findFinerGrains([time], { region: ["north"] })).toEqual([]);
  });
});
