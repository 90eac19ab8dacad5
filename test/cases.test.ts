import { expect, test } from "vitest";
import { splitCases } from "./cases";

test.each([
  { length: 10, every: 4, short: [0, 4, 8] },
  { length: 10, every: 1, short: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
  { length: 3, every: 5, short: [0] },
  { length: 0, every: 4, short: [] },
])("runs one of $every of $length cases each time, and all others in the long run", ({ length, every, short }) => {
  const all = Array.from({ length }, (_, index) => index);
  const [quick, rest] = splitCases(all, every);
  expect(quick).toEqual({ tags: [], cases: short });
  expect(rest?.tags).toEqual(["long"]);
  expect([...short, ...(rest?.cases ?? [])].toSorted((a, b) => a - b)).toEqual(all);
});
