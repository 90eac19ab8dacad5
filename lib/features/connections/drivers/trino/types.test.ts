import { expect, test } from "vitest";
import { offsetOfLocal } from "./time-zones";
import { readerOf } from "./types";

const HOUR_MS = 3_600_000;

test.each([
  ["2026-01-15T12:00:00", "Europe/Paris", 1],
  ["2026-07-15T12:00:00", "Europe/Paris", 2],
  // A repeated hour: the first of them.
  ["2026-10-25T02:30:00", "Europe/Paris", 2],
  ["2026-10-25T03:00:00", "Europe/Paris", 1],
  ["2026-03-29T01:59:59", "Europe/Paris", 1],
  ["2026-03-29T03:00:00", "Europe/Paris", 2],
  ["2026-11-01T01:30:00", "America/New_York", -4],
  ["2026-07-15T12:00:00", "Asia/Kolkata", 5.5],
  ["2026-07-15T12:00:00", "-03:30", -3.5],
  ["2026-07-15T12:00:00", "UTC", 0],
])("converts times with %s in %s to %i hours ahead of UTC", (local, zone, hours) => {
  expect(offsetOfLocal(Date.parse(`${local}Z`), zone)).toBe(hours * HOUR_MS);
});

test("keeps unknown zones as the server sent them", () => {
  expect(offsetOfLocal(0, "Moon/Tranquility")).toBeNull();
  const { read } = readerOf({ rawType: "timestamp with time zone" });
  for (const text of ["2026-01-01 00:00:00 Moon/Tranquility", "+300000-01-01 00:00:00 UTC", "something else"]) {
    expect(read(text)).toBe(text);
  }
  expect(readerOf({ rawType: "made up" })).toMatchObject({ type: "other" });
});

test("treats a key named __proto__ as any other key", () => {
  const text = { rawType: "varchar" };
  const { read } = readerOf({
    rawType: "map",
    arguments: [
      { kind: "TYPE", value: text },
      { kind: "TYPE", value: text },
    ],
  });
  const value = read(JSON.parse('{"__proto__": "x"}'));
  expect(JSON.stringify(value)).toBe('{"__proto__":"x"}');
});
