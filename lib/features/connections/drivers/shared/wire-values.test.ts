// @module-tag heavy
import { expect, it } from "vitest";
import { parseExactJson } from "@/lib/base/values/exact-json";
import type { WireValue } from "@/lib/base/values/fields";
import { turnsOf } from "@/test/processor-time";
import { hasLargeCell, parsePaced, protocolValue } from "./wire-values";

it.each([
  ["[9007199254740993]", ["9007199254740993"]],
  ["[9007199254740991]", [9007199254740991]],
  ["[-9223372036854775808, 1]", ["-9223372036854775808", 1]],
  ["[0.30000000000000004]", [0.30000000000000004]],
  ["[123456789.12345678]", [123456789.12345678]],
  ["[1e400, -1e400]", ["Infinity", "-Infinity"]],
  ["[1e22, 1.5E-10]", [1e22, 1.5e-10]],
  ['["9007199254740993", "\\"9007199254740993"]', ["9007199254740993", '"9007199254740993']],
  ['{"9007199254740993": 9007199254740993}', { "9007199254740993": "9007199254740993" }],
  ["[1.0000000000000000]", [1]],
])("C2 reads the numbers of a protocol without a reviver: %s", (text, value) => {
  expect(protocolValue(text)).toEqual(value);
});

it.each(["9007199254740993 no", "[9007199254740993"])("C2 rejects %s, which is not JSON", (text) => {
  expect(() => protocolValue(text)).toThrow(SyntaxError);
});

const MIB = 1024 * 1024;

it.each([
  ["an exact response", `{"data":[${'[1,"a",{"b":12345678901234567890}],'.repeat(150_000)}[]]}`, protocolValue],
  ["a response", `[${'[1,"a",{"b":[]}],'.repeat(300_000)}[]]`, JSON.parse],
  ["a line of a flow", `[${'{"a":0.12345678901234567890},'.repeat(150_000)}[]]`, parseExactJson],
])("C2 parses %s of many MB in slices of 50 ms of processor time", async (_, text, parse) => {
  expect(text.length).toBeGreaterThan(4 * MIB);
  let value: unknown;
  const turns = await turnsOf(async (rest) => {
    value = await parsePaced(text, rest, parse);
  });
  expect(turns[3] ?? 0).toBeLessThan(50);
  expect(JSON.stringify(value)).toBe(JSON.stringify(parse(text)));
});

it.each<[cell: WireValue, limit: number, isLarge: boolean]>([
  ["é".repeat(5), 10, false],
  ["é".repeat(5), 9, true],
  [["a", { b: 1 }], 13, false],
  [["a", { b: 1 }], 12, true],
  [null, 1, false],
  [123, 1, false],
])("reports whether the cell %j has more than %i bytes", async (cell, limit, isLarge) => {
  expect(await hasLargeCell([1, cell], limit, async () => {})).toBe(isLarge);
});

it("C2 measures a large list in slices of 50 ms of processor time", async () => {
  const list = Array.from({ length: 300_000 }, (_, index) => ({ index }));
  const turns = await turnsOf((rest) => hasLargeCell([list as unknown as WireValue], 1000 * MIB, rest));
  expect(turns[3] ?? 0).toBeLessThan(50);
});
