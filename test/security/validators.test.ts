// @module-tag heavy
import { describe, expect, it } from "vitest";
import { fastestMs } from "@/test/processor-time";
import { endpoints } from "./routes";
import { sampleOf } from "./samples";

/** Inputs that make a bad pattern or loop slow: near misses, many starts, many ends, many code points. */
const N = 100_000;
const HOSTILE: Record<string, string> = {
  "one letter": "a".repeat(N),
  "one letter and a miss": `${"a".repeat(N)}!`,
  spaces: " ".repeat(N),
  "spaces around": `${" ".repeat(N / 2)}x${" ".repeat(N / 2)}`,
  "an address": `${"a".repeat(N / 2)}@${"a.".repeat(N / 4)}`,
  "many at signs": "a@".repeat(N / 2),
  "dots and a miss": `${"a.".repeat(N / 2)}\u0000`,
  "plus signs": `a${"+a".repeat(N / 2)}@`,
  hyphens: "-".repeat(N),
  digits: "9".repeat(N),
  hexadecimal: "f".repeat(N),
  "a date": `2026-01-01T00:00:00.${"0".repeat(N)}`,
  slashes: "../".repeat(N / 3),
  "percent signs": "%41".repeat(N / 3),
  quotes: `"'\\`.repeat(N / 3),
  brackets: "([{".repeat(N / 3),
  "line breaks": "\r\n".repeat(N / 2),
  "combining marks": `a${"\u0301".repeat(N)}`,
  "lone surrogates": "\ud800".repeat(N),
  emoji: "\u{1F9AB}".repeat(N / 2),
  NUL: "\u0000".repeat(N),
};
const LIMIT_MS = 50;

const validated = endpoints.flatMap(({ name, definition }) =>
  (["params", "query", "body"] as const).flatMap((part) => {
    const schema = definition[part];
    return schema ? [{ name, part, schema }] : [];
  }),
);

describe("100 KB of hostile text through every validator (T105)", () => {
  it.each(validated)("$name: its $part are checked within 50 ms", ({ schema }) => {
    const slow = Object.entries(HOSTILE).flatMap(([what, text]) => {
      const input = sampleOf(schema, text);
      const ms = fastestMs(LIMIT_MS, () => schema.safeParse(input));
      return ms > LIMIT_MS ? [`${what}: ${ms.toFixed(0)} ms`] : [];
    });
    expect(slow).toEqual([]);
  });
});
