import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dateText,
  intervalText,
  offsetText,
  timestampTextOfMicros,
  timestampTextOfNanos,
  timeText,
} from "./time-text.ts";

const DAY_MS = 86_400_000;

describe("dates", () => {
  it("agree with JavaScript's calendar on every day that it has", () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000_000, max: 100_000_000 }), (days) => {
        expect(dateText(days)).toBe(new Date(days * DAY_MS).toISOString().slice(0, -14));
      }),
    );
  });

  it.each([
    [-719_162, "0001-01-01"],
    [-719_163, "0000-12-31"], // 1 BC
    [-719_529, "-000001-12-31"], // 2 BC; year 0 had 366 days
    [2_932_897, "+010000-01-01"],
    [2_147_483_647, "infinity"],
    [-2_147_483_647, "-infinity"],
  ])("day %i is %s", (days, text) => expect(dateText(days)).toBe(text));
});

describe("times", () => {
  it("keep every digit and add none", () => {
    expect(timeText(45_296, 0, 6)).toBe("12:34:56");
    expect(timeText(45_296, 120_000, 6)).toBe("12:34:56.12");
    expect(timeText(86_400, 1, 9)).toBe("24:00:00.000000001");
  });

  it("before the epoch count backwards from midnight", () => {
    expect(timestampTextOfMicros(-1n)).toBe("1969-12-31T23:59:59.999999");
    expect(timestampTextOfNanos(-1n)).toBe("1969-12-31T23:59:59.999999999");
  });

  it("are exact beyond the precision of a double", () => {
    // The last microsecond that DuckDB can hold; its own text is 294247-01-10 04:00:54.775806.
    expect(timestampTextOfMicros(9_223_372_036_854_775_806n)).toBe("+294247-01-10T04:00:54.775806");
    expect(timestampTextOfMicros(9_223_372_036_854_775_807n)).toBe("infinity");
    expect(timestampTextOfMicros(-9_223_372_036_854_775_807n)).toBe("-infinity");
  });

  it("show a zone's seconds only if it has them", () => {
    expect(offsetText(7200)).toBe("+02:00");
    expect(offsetText(-30)).toBe("-00:00:30");
  });
});

describe("intervals", () => {
  it.each([
    [0, 0, 0n, "PT0S"],
    [14, -3, 14_706_700_000n, "P1Y2M-3DT4H5M6.7S"],
    [-1, 0, 0n, "P-1M"],
    [0, 0, -500_000n, "PT-0.5S"],
    [0, 0, -3_600_000_000n, "PT-1H"],
    [0, 1, 90_000_000_000n, "P1DT25H"],
  ])("%i months, %i days, %i microseconds are %s", (months, days, micros, text) => {
    expect(intervalText(months, days, micros)).toBe(text);
  });
});
