import { expect, test } from "vitest";
import { ExactNumber } from "@/lib/base/values/exact-json";
import { compareCursors, toCursorValue } from "./cursor-value";

test.each([
  [1, 2],
  [-5, 3],
  ["9", "10"],
  [9, "10"],
  ["9007199254740992", "9007199254740993"],
  ["1.5", "10.25"],
  ["0.12345678901234567890", "0.12345678901234567891"],
  ["12345678901234567890.1", "12345678901234567890.2"],
  ["2026-01-01", "2026-01-02"],
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000001Z"],
  ["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.50001Z"],
  ["2026-01-01T02:00:00+02:00", "2026-01-01T00:30:00Z"],
  ["2026-01-01T00:30:00+0200", "2026-01-01 00:00:00"],
  ["2026-01-01", "2026-01-01T00:00:01Z"],
  ["a", "b"],
  ["A", "a"],
])("%j sorts before %j", (a, b) => {
  expect(compareCursors(a, b)).toBeLessThan(0);
  expect(compareCursors(b, a)).toBeGreaterThan(0);
  expect([compareCursors(a, a), compareCursors(b, b)]).toEqual([0, 0]);
});

test("the same instant is equal in every notation", () => {
  expect(compareCursors("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000Z")).toBe(0);
});

test.each([
  ...[null, undefined, "", true, {}, [], Number.NaN, Number.POSITIVE_INFINITY, new ExactNumber("1e400")],
  ...["NaN", "Infinity", "-Infinity", "infinity", "-infinity"],
])("%j is not a cursor value", (value) => {
  expect(toCursorValue(value)).toBeNull();
});
