// @module-tag heavy
import fc from "fast-check";
import { expect, it } from "vitest";
import { fastestMs } from "@/test/processor-time";
import { uniqueColumnNames } from "./column-names";

it.each<[string[], string[]]>([
  [
    ["id", "id"],
    ["id", "id_2"],
  ],
  [
    ["id", "id", "id_2"],
    ["id", "id_3", "id_2"],
  ],
  [
    ["id", "id", "id", "ID"],
    ["id", "id_2", "id_3", "ID"],
  ],
  [
    ["", "x", ""],
    ["column_1", "x", "column_3"],
  ],
  [
    ["", "column_1"],
    ["column_1_2", "column_1"],
  ],
  [
    ["__proto__", "__proto__"],
    ["__proto__", "__proto___2"],
  ],
])("%j become %j", (names, expected) => expect(uniqueColumnNames(names)).toEqual(expected));

it("makes names unique and keeps those that are", () => {
  const name = fc.constantFrom("", "a", "a_2", "a_3", "a_2_2", "column_1", "column_2", "b");
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (names) => {
      const unique = uniqueColumnNames(names);
      expect(new Set(unique).size).toBe(names.length);
      for (const [index, given] of names.entries()) {
        const isOnce = given !== "" && names.indexOf(given) === names.lastIndexOf(given);
        expect(isOnce ? unique[index] : given).toBe(given);
      }
    }),
  );
});

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index));
const COUNT = 40_000;
const WIDE: Record<string, string[]> = {
  "equal names": times(COUNT, () => "a"),
  "empty names": times(COUNT, () => ""),
  "two names in turn": times(COUNT, (index) => (index % 2 === 0 ? "a" : "b")),
  "equal names before their own numbers": [...times(COUNT / 2, () => "a"), ...times(COUNT / 2, (i) => `a_${i + 2}`)],
  "equal names behind their own numbers": [...times(COUNT / 2, (i) => `a_${i + 2}`), ...times(COUNT / 2, () => "a")],
  "numbers of numbers": times(COUNT, (index) => `a${"_2".repeat(index % 8)}`),
  "empty names and their positions": [...times(COUNT / 2, () => ""), ...times(COUNT / 2, (i) => `column_${i + 1}`)],
  "each name twice": times(COUNT, (index) => `c${index >> 1}`),
  "names of integers": times(COUNT, (index) => String(index % 100)),
  "one name of a megabyte": ["n".repeat(1_000_000), ...times(COUNT, () => "n")],
};

it.each(Object.entries(WIDE))("C2 names 40,000 columns within 150 ms of processor time: %s", (_, names) => {
  expect(new Set(uniqueColumnNames(names)).size).toBe(names.length);
  expect(fastestMs(150, () => uniqueColumnNames(names))).toBeLessThan(150);
});
