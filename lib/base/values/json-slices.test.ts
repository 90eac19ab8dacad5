// @module-tag heavy
import fc from "fast-check";
import { expect, it } from "vitest";
import { isSmallJson, jsonSlices, jsonStart } from "./json-slices";
import { parseLargeJson } from "./large-json";

const written = (value: unknown) => [...jsonSlices(value)].join("");
const deep = (levels: number): unknown => {
  let value: unknown = Array.from({ length: 3000 }, (_, index) => index);
  for (let level = 0; level < levels; level += 1) value = { a: value, b: level };
  return value;
};
const LARGE: Record<string, unknown> = {
  "50,000 rows": Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row "${id}"`, at: null })),
  "one row of 5,000 columns": [Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`c${index}`, index]))],
  "a text of 15 MB": { cell: "x\n".repeat(7_500_000) },
  "a text of quotes": ['"'.repeat(1_000_000)],
  "emoji at the ends of slices": `x${"\u{1F9AB}".repeat(300_000)}`,
  "lone surrogates": "\ud800".repeat(300_000),
  "a deep value": deep(50),
  "a list of lists": Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => [1, "a"])),
  "dates and absent fields": Array.from({ length: 3000 }, () => ({ at: new Date(0), none: undefined, f: () => 1 })),
  "empty containers": Array.from({ length: 3000 }, () => [{}, []]),
  holes: [undefined, ...Array.from({ length: 3000 }, () => undefined)],
  "many keys without values": Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`k${index}`, undefined])),
};

it.each(Object.entries(LARGE))("C2 writes what JSON.stringify writes: %s", (_, value) => {
  expect(isSmallJson(value)).toBe(false);
  expect(written(value) === JSON.stringify(value)).toBe(true);
});

it("C2 writes a parsed object of 200,000 keys within 50 ms of processor time a slice", async () => {
  const keys = Array.from({ length: 200_000 }, (_, index) => `k${index}`);
  const text = `[{"a":{${keys.map((key, index) => `"${key}":${index}`).join(",")}}}]`;
  const value = await parseLargeJson(text, async () => {});
  expect(slowestMs(value)).toBeLessThan(50);
  expect(written(value) === text).toBe(true);
});

it.each(Object.entries(LARGE))("C2 returns the start of what JSON.stringify writes: %s", (_, value) => {
  const whole = JSON.stringify(value);
  const start = jsonStart(value, 200);
  expect(start.length).toBeGreaterThan(Math.min(200, whole.length - 1));
  expect(start.length).toBeLessThan(500_000);
  expect(whole.startsWith(start)).toBe(true);
});

it("C2 returns the whole text of a short value", () => {
  for (const value of [[1, "a"], { a: null }, "text", 1.5, null, true]) {
    expect(jsonStart(value, 200)).toBe(JSON.stringify(value));
  }
});

it("C2 writes what JSON.stringify writes, for any value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const large = [value, LARGE["a list of lists"], value];
      expect(written(large)).toBe(JSON.stringify(large));
    }),
    { numRuns: 50 },
  );
});

it.each(Object.entries(LARGE))("C2 makes each slice within 50 ms of processor time: %s", (_, value) => {
  expect(slowestMs(value)).toBeLessThan(50);
});

/** Returns the processor time of the slowest slice, in ms, at the fastest of three tries. */
function slowestMs(value: unknown): number {
  const tries = Array.from({ length: 3 }, () => {
    let slowest = 0;
    const slices = jsonSlices(value);
    for (;;) {
      const before = process.threadCpuUsage();
      const { done } = slices.next();
      const { user, system } = process.threadCpuUsage(before);
      slowest = Math.max(slowest, (user + system) / 1000);
      if (done) return slowest;
    }
  });
  return Math.min(...tries);
}
