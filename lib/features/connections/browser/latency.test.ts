import { expect, test } from "vitest";
import { toLatencyPath, toMiddle } from "./latency";

test("the median is a measured value, in any order", () => {
  expect(toMiddle([30, 10, 500])).toBe(30);
  expect(toMiddle([4, 1, 3, 2])).toBe(2);
  expect(toMiddle([])).toBe(0);
});

test("the line starts at the left, ends at the right, and peaks at the top", () => {
  expect(toLatencyPath([5, 10, 0], 104, 24)).toBe("M2 12L52 2L102 22");
  expect(toLatencyPath([0, 0], 104, 24)).toBe("M2 22L102 22");
  expect(toLatencyPath([], 104, 24)).toBe("");
});
