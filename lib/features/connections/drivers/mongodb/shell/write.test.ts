import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from "mongodb";
import { expect, test } from "vitest";
import { parseShell } from "./parser";
import { regexOf } from "./values";
import { toShellText } from "./write";

const readBack = (value: unknown) => parseShell(`db.a.find(${toShellText(value)})`).calls[0]?.args[0];

test.each<[string, unknown]>([
  ["texts", { a: 'it\'s "so"\n\\ \u2028 {{x}}', "b.c": "`", $d: "", "1e": "é😀" }],
  ["numbers", [0.5, -1, 1e300, Number.NaN, Number.NEGATIVE_INFINITY]],
  ["nothing and flags", [null, true, false]],
  ["a date", new Date("2026-10-31T12:00:00.001Z")],
  ["long and decimal", [Long.fromString("9007199254740993"), Decimal128.fromString("1.50")]],
  ["ids", [new ObjectId("0123456789abcdef01234567"), new UUID("01234567-89ab-4def-8123-456789abcdef")]],
  ["bytes", new Binary(Buffer.from("a\u0000b"), 0)],
  ["an expression", regexOf("a/\\b\"'", "im")],
  ["a stamp and the ends", [new Timestamp({ t: 5, i: 6 }), new MinKey(), new MaxKey()]],
  ["what is deep and long", { a: [{ b: { c: ["x".repeat(90), { d: {} }, []] } }] }],
])("%s survive a round trip", (_, value) => {
  expect(readBack(value)).toEqual(value);
});

test("writes whole numbers of any width as plain numbers", () => {
  expect(toShellText([new Int32(5), new Double(5), new Double(0.5)])).toBe("[5, 5, 0.5]");
});

test("writes only the beginning of a long text", () => {
  const deep = Array.from({ length: 95 }).reduce<unknown>((inner) => [inner], Array(1000).fill(new Int32(1)));
  const values = [deep, "\\".repeat(5000), { ["k".repeat(5000)]: 1 }, [["x".repeat(50)], "y".repeat(900), "z"]];
  for (const value of values) {
    const whole = toShellText(value);
    for (const charsMax of [0, 1, 100, 900, whole.length - 1]) {
      const text = toShellText(value, { charsMax });
      expect(text.length).toBeGreaterThan(charsMax);
      expect(text.slice(0, charsMax)).toBe(whole.slice(0, charsMax));
    }
    expect(toShellText(value, { charsMax: whole.length })).toBe(whole);
  }
  expect(toShellText(deep, { charsMax: 1000 }).length).toBeLessThan(1500);
});
