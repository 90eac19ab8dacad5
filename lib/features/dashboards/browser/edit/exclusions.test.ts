import { expect, it } from "vitest";
import { readExclusions, withMember } from "./exclusions";

it("ignores excluded widgets that the page no longer has, and settings of another shape", () => {
  const others = [{ id: "a" }, { id: "b" }];
  expect(readExclusions({ exclude: ["b", "gone", 3] }, others)).toEqual(["b"]);
  expect(readExclusions({ exclude: "a" }, others)).toEqual([]);
  expect(readExclusions({}, others)).toEqual([]);
});

it("adds an id once, and removes it", () => {
  expect(withMember(["a", "b"], "a", true)).toEqual(["b", "a"]);
  expect(withMember(["a", "b"], "a", false)).toEqual(["b"]);
});
