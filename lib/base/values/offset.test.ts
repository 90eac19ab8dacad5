import { expect, test } from "vitest";
import { offsetAt } from "./offset";

const MINUTE_MS = 60_000;

test.each([
  ["2026-07-01T12:00:00Z", "Europe/Lisbon", 60],
  ["2026-01-01T12:00:00.999Z", "Europe/Lisbon", 0],
  ["2026-01-01T00:00:00Z", "Asia/Kathmandu", 345],
  ["2026-11-01T05:59:59Z", "America/New_York", -240],
  ["2026-11-01T06:00:00Z", "America/New_York", -300],
  ["0050-06-01T00:00:00Z", "UTC", 0],
  ["-000050-06-01T00:00:00Z", "UTC", 0],
])("at %s the clocks of %s are %i minutes ahead", (moment, zone, minutes) => {
  expect(offsetAt(Date.parse(moment), zone)).toBe(minutes * MINUTE_MS);
});

test("throws for an unknown zone", () => {
  expect(() => offsetAt(0, "Mars/Olympus")).toThrow(RangeError);
});
