import { describe, expect, it } from "vitest";
import { toShownText } from "@/lib/base/values/cell-look";
import { toGrainText, toSpanText } from "@/lib/base/values/grain-text";

describe("a date by its grain", () => {
  it.each([
    ["2026-02-02", "year", "2026"],
    ["2026-02-02", "quarter", "Q1 2026"],
    ["2026-12-31", "quarter", "Q4 2026"],
    ["2026-02-02", "month", "Feb 2026"],
    ["2026-02-02T00:00:00", "month", "Feb 2026"],
    ["2026-02-02 00:00:00.000", "month", "Feb 2026"],
    ["2026-02-02T00:00:00Z", "month", "Feb 2026"],
    ["2026-02-02", "week", "week of 2 Feb 2026"],
    ["2026-02-02", "day", "2 Feb 2026"],
    ["2026-02-02T07:00:00", "hour", null],
    // The start of a month in another zone: the month depends on the zone.
    ["2026-01-31T23:00:00Z", "month", null],
    ["none", "month", null],
  ])("of %s by %s is %s", (start, grain, text) => {
    expect(toGrainText(start, grain)).toBe(text);
  });

  it("is what a grid shows for a field with a grain", () => {
    const look = { digits: "grouped", times: "utc" } as const;
    const field = { name: "month", type: "date" };
    expect(toShownText("2026-02-01", { ...field, grain: "month" }, look)).toBe("Feb 2026");
    expect(toShownText("2026-02-01", { ...field, grain: "month" }, { ...look, times: "raw" })).toBe("2026-02-01");
    expect(toShownText("2026-02-01", field, look)).toBe("2026-02-01");
    expect(toShownText(null, { ...field, grain: "month" }, look)).toBe("");
  });
});

describe("a range of days", () => {
  it.each([
    ["2026-01-01", "2026-12-31", "2026"],
    ["2026-04-01", "2026-06-30", "Q2 2026"],
    ["2028-02-01", "2028-02-29", "Feb 2028"],
    ["2026-12-01", "2026-12-31", "Dec 2026"],
    ["2026-11-30", "2026-12-06", "week of 30 Nov 2026"],
    ["2026-02-01", "2026-02-27", null],
    ["2026-02-03", "2026-02-09", null],
    ["none", "2026-02-09", null],
  ])("from %s to %s is %s", (from, to, text) => {
    expect(toSpanText(from, to)).toBe(text);
  });
});
