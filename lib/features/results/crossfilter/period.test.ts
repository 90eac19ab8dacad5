import { expect, it } from "vitest";
import { finerGrain, toEarlier, withGrain } from "./period";
import { aggregateSpec, type Condition, type TimeUnit } from "./spec";

const days = (from: string | null, to: string | null, field = "day"): Condition => ({ field, kind: "days", from, to });
const north: Condition = { field: "region", kind: "oneOf", values: ["north"] };
const TODAY = "2026-06-15";

it("compares a range with as many days before it, under all other conditions", () => {
  expect(toEarlier([north, days("2026-03-01", "2026-03-28")], "previous", TODAY)).toEqual({
    from: "2026-02-01",
    to: "2026-02-28",
    shift: { field: "day", unit: "day", count: 28 },
    conditions: [north, days("2026-03-01", "2026-03-28")],
  });
});

it("compares with the same days a year before, also without a 29th of February", () => {
  expect(toEarlier([days("2024-02-29", "2024-03-31")], "year", TODAY)).toMatchObject({
    from: "2023-02-28",
    to: "2023-03-31",
    shift: { unit: "year", count: 1 },
  });
});

it("intersects two ranges of a column, up to today", () => {
  const both = [days("2026-06-01", "2026-06-30"), days("2026-06-10", null)];
  expect(toEarlier(both, "previous", TODAY)).toMatchObject({ from: "2026-06-04", to: "2026-06-09" });
  expect(toEarlier([days("2026-07-01", "2026-07-02")], "previous", TODAY)).toMatchObject({ from: "2026-06-29" });
});

it("has no comparison without a bounded range", () => {
  expect(toEarlier([north], "previous", TODAY)).toBeNull();
  expect(toEarlier([days(null, "2026-03-28")], "year", TODAY)).toBeNull();
  expect(toEarlier([days("2026-07-01", "2026-07-02"), days("2026-08-01", null)], "year", TODAY)).toBeNull();
});

it("applies the page's grain to all times, and keeps plain rows", () => {
  const spec = aggregateSpec.parse({
    dimensions: ["region", { field: "day", timeUnit: "day" }],
    measures: [{ op: "count" }],
  });
  expect(withGrain(spec, "month")).toMatchObject({
    dimensions: [{ field: "region" }, { field: "day", timeUnit: "month" }],
    timeUnit: "month",
  });
  const rows = aggregateSpec.parse({ dimensions: ["day"] });
  expect(withGrain(rows, "month")).toBe(rows);
  expect(withGrain(spec, undefined)).toBe(spec);
});

it.each<[TimeUnit, string, string, string | undefined]>([
  ["month", "2026-03-01", "2026-03-31", "day"],
  ["month", "2026-03-15", "2026-03-15", "day"],
  ["month", "2026-03-01", "2026-04-30", undefined],
  ["quarter", "2026-01-01", "2026-03-31", "week"],
  ["year", "2026-01-01", "2026-12-31", "month"],
  ["year", "2026-01-01", "2026-01-07", "day"],
  ["week", "2026-03-02", "2026-03-08", "day"],
  ["day", "2026-03-02", "2026-03-02", undefined],
  ["hour", "2026-03-02", "2026-03-02", undefined],
])("refines %s for %s to %s to %s", (unit, from, to, grain) => {
  expect(finerGrain(unit, from, to)).toBe(grain);
});
