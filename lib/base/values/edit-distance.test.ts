import { describe, expect, it } from "vitest";
import { editDistance, findClosest } from "@/lib/base/values/edit-distance";

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["", "abc", 3],
    ["net_cent", "net_cents", 1],
    ["gmial", "gmail", 1],
    ["kitten", "sitting", 3],
  ])("of %j and %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe("findClosest", () => {
  it("finds the intended name", () => {
    expect(findClosest("net_cent", ["id", "net_cents", "nett"])).toBe("net_cents");
    expect(findClosest("Nmae", ["id", "name"])).toBe("name");
  });

  it("finds nothing without a similar name, and never the word itself", () => {
    expect(findClosest("zebra", ["id", "name"])).toBeNull();
    expect(findClosest("name", ["name"])).toBeNull();
  });
});
