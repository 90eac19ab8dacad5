import fc from "fast-check";
import { expect, it } from "vitest";
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

it("are never equal, and a name that comes once stays what it is", () => {
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
