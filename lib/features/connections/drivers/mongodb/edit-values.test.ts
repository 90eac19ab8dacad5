import { Int32 } from "mongodb";
import { expect, test } from "vitest";
import { fromEditText, toCandidates } from "./edit-values";

const DAY = "2026-01-02T00:00:00.000Z";

test("finds all values that a page shows as the text of an _id", () => {
  expect(toCandidates("5")).toEqual(["5", new Int32(5), expect.anything(), expect.anything(), expect.anything()]);
  const ofList = toCandidates(`["${DAY}",1,{"a":"${DAY}"}]`).slice(1);
  expect(ofList).toHaveLength(4);
  for (const first of [DAY, new Date(DAY)]) {
    for (const a of [DAY, new Date(DAY)]) expect(ofList).toContainEqual([first, 1, { a }]);
  }
  expect(toCandidates(`[${"1,".repeat(2000)}1]`)[1]).toHaveLength(2001);
});

test("limits the length, the depth and the readings of an _id", () => {
  expect(() => toCandidates(`[${"1,".repeat(20_000)}1]`)).toThrow("An _id of over 4096 characters can't be edited");
  const deep = "[".repeat(2000) + "]".repeat(2000);
  expect(toCandidates(deep)).toEqual([deep]);
  expect(() => fromEditText(deep)).toThrow("Nested over 100 levels.");
  expect(fromEditText("[".repeat(100) + "]".repeat(100))).toHaveLength(1);
  expect(() => toCandidates(`[${`"${DAY}",`.repeat(7)}1]`)).toThrow("may be of too many types");
});
