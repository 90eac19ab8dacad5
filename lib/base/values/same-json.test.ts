import { describe, expect, it } from "vitest";
import { isSameJson } from "./same-json";

describe("the same JSON", () => {
  it.each([
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [{ a: undefined, b: 1 }, { b: 1 }],
    [[], []],
    ["a", "a"],
    [null, null],
  ])("is %j and %j", (a, b) => {
    expect(isSameJson(a, b)).toBe(true);
  });
  it.each([
    [{ a: 1 }, { a: "1" }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [null, {}],
    [0, false],
  ])("is not %j and %j", (a, b) => {
    expect(isSameJson(a, b)).toBe(false);
  });
});
