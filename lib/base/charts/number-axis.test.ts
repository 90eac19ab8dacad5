import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toNumberAxis, toShort } from "@/lib/base/charts/number-axis";

const labels = (low: number, high: number, more = {}) => toNumberAxis({ low, high, isZero: true, ...more }).labels;

describe("toNumberAxis", () => {
  it("has one unit for all ticks, and digits by its step", () => {
    expect(labels(0, 950_000)).toEqual(["0", "0.2 M", "0.4 M", "0.6 M", "0.8 M", "1.0 M"]);
    expect(labels(0, 120_000)).toEqual(["0", "50 k", "100 k", "150 k"]);
    expect(labels(0, 8000)).toEqual(["0", "2,000", "4,000", "6,000", "8,000"]);
    expect(labels(0, 0.03)).toEqual(["0", "0.01", "0.02", "0.03"]);
    expect(labels(0, 3e-7)).toEqual(["0", "1e-7", "2e-7", "3e-7"]);
    expect(labels(0, 2e18)).toEqual(["0", "0.5e18", "1.0e18", "1.5e18", "2.0e18"]);
    expect(labels(-4, 6)).toEqual(["-4", "-2", "0", "2", "4", "6"]);
  });

  it("counts in whole numbers, shows shares in percent and years as such", () => {
    expect(labels(0, 2, { isWhole: true })).toEqual(["0", "1", "2"]);
    expect(labels(0, 1, { isShare: true })).toEqual(["0%", "20%", "40%", "60%", "80%", "100%"]);
    expect(labels(2019, 2025, { isZero: false, isName: true, isWhole: true })).toEqual(["2018", "2020", "2022", "2024", "2026"]); // biome-ignore format: one look
  });

  it("of a line starts at zero unless that hides the changes", () => {
    expect(toNumberAxis({ low: 50, high: 100, isZero: false }).low).toBe(0);
    expect(toNumberAxis({ low: 98, high: 100, isZero: false }).low).toBe(98);
  });

  it("covers every value, with distinct ticks and labels", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
    fc.assert(
      fc.property(number, number, fc.boolean(), fc.boolean(), (a, b, isZero, isWhole) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const axis = toNumberAxis({ low, high, isZero, isWhole });
        expect(axis.low).toBeLessThanOrEqual(low);
        expect(axis.high).toBeGreaterThanOrEqual(high);
        expect(axis.ticks.length).toBeGreaterThan(0);
        expect(axis.labels).toHaveLength(axis.ticks.length);
        expect(new Set(axis.labels).size).toBe(axis.labels.length);
        for (const label of axis.labels) expect(label).not.toMatch(/^-?0(\.0+)?( [kMGT]|e-?\d+)$/);
      }),
      { examples: [[-9.999999999999318e299, -9.999999999999342e299, false, false]] },
    );
  });
});

describe("toShort", () => {
  it("keeps a number readable in little space", () => {
    expect([0, 7, 1234.5, 16_284, 1_210_000, 999_999, -2e9, 0.0421, 3e-9, 4e15].map((each) => toShort(each))).toEqual(["0", "7", "1,230", "16.3 k", "1.21 M", "1 M", "-2 G", "0.0421", "3e-9", "4e15"]); // biome-ignore format: one look
  });
});
