import { describe, expect, it } from "vitest";
import { compareNumberText, groupDigits, sumNumberTexts } from "@/lib/base/values/exact-number";

describe("groupDigits", () => {
  it.each([
    ["1284", "1,284"],
    ["-98412.60", "-98,412.60"],
    ["123", "123"],
    ["0.1234567", "0.1234567"],
    ["9223372036854775807", "9,223,372,036,854,775,807"],
    ["1e21", "1e21"],
    ["NaN", "NaN"],
  ])("writes %s as %s and loses no digit", (text, grouped) => {
    expect(groupDigits(text)).toBe(grouped);
  });
});

describe("compareNumberText", () => {
  it("sorts numbers that are equal as floats", () => {
    expect(compareNumberText("9223372036854775806", "9223372036854775807")).toBe(-1);
    expect(compareNumberText("0.30000000000000001", "0.3")).toBe(1);
  });

  it("ignores trailing zeros, and sorts other text last", () => {
    expect(compareNumberText("1.50", "1.5")).toBe(0);
    expect(compareNumberText("-2", "1")).toBe(-1);
    expect(compareNumberText("5", "NaN")).toBe(-1);
  });
});

describe("sumNumberTexts", () => {
  it("adds exactly: the five cells of the reference image", () => {
    // 98412.60 + 81930.15 + 66118.40 + 58006.75 + 9874.00, calculated independently
    expect(sumNumberTexts(["98412.60", "81930.15", "66118.40", "58006.75", "9874.00"])).toEqual({
      sum: "314341.90",
      average: "62868.38",
    });
  });

  it("keeps what floats lose", () => {
    expect(sumNumberTexts(["0.1", "0.2"])).toEqual({ sum: "0.3", average: "0.15" });
    expect(sumNumberTexts(["9007199254740993", "1"])?.sum).toBe("9007199254740994");
  });

  it("rounds the average half away from zero, on both sides", () => {
    expect(sumNumberTexts(["0.01", "0.02"])?.average).toBe("0.02");
    expect(sumNumberTexts(["-0.01", "-0.02"])?.average).toBe("-0.02");
  });

  it("does not add non-numbers", () => {
    expect(sumNumberTexts(["1", "north"])).toBeNull();
    expect(sumNumberTexts([])).toBeNull();
  });
});
