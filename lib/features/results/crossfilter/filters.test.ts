import { describe, expect, it, test } from "vitest";
import { DATE_PRESETS, toPresetDays } from "@/lib/base/values/date-presets";
import { type FilterKind, toCondition } from "./filters";

const NOW = new Date("2026-11-23T02:30:00Z");
const of = (kind: FilterKind, value: unknown, zone = "UTC") =>
  toCondition({ id: "f", field: "x", kind }, value, { now: NOW, zone });

test.each([
  ["today", "2026-11-23", "2026-11-23"],
  ["yesterday", "2026-11-22", "2026-11-22"],
  ["last7Days", "2026-11-16", "2026-11-22"],
  ["last30Days", "2026-10-24", "2026-11-22"],
  ["last90Days", "2026-08-25", "2026-11-22"],
  ["last12Months", "2025-11-01", "2026-10-31"],
  ["thisWeek", "2026-11-23", "2026-11-29"],
  ["lastWeek", "2026-11-16", "2026-11-22"],
  ["thisMonth", "2026-11-01", "2026-11-30"],
  ["lastMonth", "2026-10-01", "2026-10-31"],
  ["thisQuarter", "2026-10-01", "2026-12-31"],
  ["lastQuarter", "2026-07-01", "2026-09-30"],
  ["thisYear", "2026-01-01", "2026-12-31"],
  ["lastYear", "2025-01-01", "2025-12-31"],
] as const)("%s is from %s to %s", (preset, from, to) => {
  expect(toPresetDays(preset, NOW, "UTC")).toEqual({ from, to });
});

describe("days", () => {
  it("follow the time zone's calendar", () => {
    // It is still Sunday in New York.
    expect(toPresetDays("today", NOW, "America/New_York")).toEqual({ from: "2026-11-22", to: "2026-11-22" });
    expect(toPresetDays("thisWeek", NOW, "America/New_York")).toEqual({ from: "2026-11-16", to: "2026-11-22" });
    expect(toPresetDays("today", new Date("2026-11-22T23:30:00Z"), "Europe/Berlin").from).toBe("2026-11-23");
  });

  it("of every preset are in order, on any day", () => {
    for (let day = 0; day < 800; day += 1) {
      const now = new Date(Date.UTC(2024, 0, 1 + day, 12));
      for (const preset of DATE_PRESETS) {
        const { from, to } = toPresetDays(preset, now, "Asia/Kolkata");
        expect(from <= to, `${preset} of ${now.toISOString()}`).toBe(true);
      }
    }
  });
});

describe("a value", () => {
  it("filters by equality", () => {
    expect(of("dateRange", { from: "2026-01-01" })).toEqual({ field: "x", kind: "days", from: "2026-01-01", to: null });
    expect(of("dateRange", "yesterday")).toMatchObject({ from: "2026-11-22", to: "2026-11-22" });
    expect(of("select", "a")).toEqual({ field: "x", kind: "oneOf", values: ["a"] });
    expect(of("multiSelect", ["a", null, 3])).toEqual({ field: "x", kind: "oneOf", values: ["a", null, 3] });
    expect(of("search", "ab")).toEqual({ field: "x", kind: "contains", text: "ab" });
  });

  it("of nothing matches everything", () => {
    for (const kind of ["dateRange", "select", "multiSelect", "search"] as const) expect(of(kind, null)).toBeNull();
    expect(of("dateRange", {})).toBeNull();
    expect(of("multiSelect", [])).toBeNull();
    expect(of("search", "")).toBeNull();
  });

  it.each([
    ["dateRange", "someday"],
    ["dateRange", { from: "2026-02-30" }],
    ["dateRange", { from: "2026-02-02", to: "2026-02-01" }],
    ["dateRange", { since: "2026-02-02" }],
    ["dateRange", "2026-01-01' or 1=1"],
    ["select", ["a"]],
    ["select", { $gt: "" }],
    ["multiSelect", "a"],
    ["multiSelect", Array(1001).fill("a")],
    ["search", 3],
    ["search", "x".repeat(1001)],
  ] as const)("of another type is rejected: %s %j", (kind, value) => {
    expect(() => of(kind, value)).toThrow(/Invalid value for filter f/);
  });
});
