import { Decimal128, type Document, Double, Int32, Long } from "bson";
import { describe, expect, test } from "vitest";
import { doc, plain } from "../../../../../test/fixtures/embedded/mongo/plain.ts";
import { cloneDoc, type Doc, typeName } from "../bson/values.ts";
import { matchedPosition } from "./position.ts";
import { compileUpdate } from "./update.ts";

const variables = { scope: undefined };

function updated(object: Document, update: Document, arrayFilters?: Document[], filter: Document = {}): Doc {
  const changed = cloneDoc(doc(object));
  const before = doc(object);
  const filters = arrayFilters === undefined ? undefined : (doc({ f: arrayFilters }).get("f") ?? undefined);
  const position = matchedPosition(doc(filter), variables);
  compileUpdate(
    doc(update),
    filters,
    variables,
  )(changed, { isInsert: false, position: (path) => position(before, path) });
  return changed;
}

const table: [string, Document, Document, Document][] = [
  ["$set makes the documents on its way", { a: 1 }, { $set: { "b.c.d": 2 } }, { a: 1, b: { c: { d: 2 } } }],
  ["$set fills an array up to its place with null", { a: [1] }, { $set: { "a.3": 4 } }, { a: [1, null, null, 4] }],
  [
    "new fields come in the order of their names, numbers by value",
    {},
    { $set: { z: 1, b: 2, "a.10": 3, "a.2": 4 } },
    { a: { "2": 4, "10": 3 }, b: 2, z: 1 },
  ],
  ["$unset in an array leaves null", { a: [1, 2] }, { $unset: { "a.0": "" } }, { a: [null, 2] }],
  ["$unset of what is not there changes nothing", { a: 1 }, { $unset: { "b.c": "" } }, { a: 1 }],
  ["$inc of a missing field sets it", {}, { $inc: { n: 5 } }, { n: 5 }],
  ["$max compares across types", { a: 5, b: "x" }, { $max: { a: 3, b: 9 } }, { a: 5, b: "x" }],
  ["$max of a missing field sets it", {}, { $max: { a: 3 } }, { a: 3 }],
  ["$push", { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
  [
    "$push keeps the last by a negative slice",
    { a: [1, 2] },
    { $push: { a: { $each: [3], $slice: -2 } } },
    { a: [2, 3] },
  ],
  [
    "$addToSet compares by value",
    { a: [1, { x: 1 }] },
    { $addToSet: { a: { $each: [1, 2, { x: 1 }] } } },
    { a: [1, { x: 1 }, 2] },
  ],
  ["$pull removes every equal element", { a: [1, 2, 1, 3] }, { $pull: { a: 1 } }, { a: [2, 3] }],
];

describe("an update", () => {
  test.each(table)("%s", (_, before, update, after) => {
    const result = updated(before, update);
    expect(plain(result)).toEqual(after);
    expect(JSON.stringify(plain(result))).toBe(JSON.stringify(after));
  });

  test("of filtered elements changes only those", () => {
    const before = {
      grades: [
        { n: 80, p: 1 },
        { n: 95, p: 1 },
      ],
      deep: [1, 5],
    };
    const update = { $set: { "grades.$[high].p": 2 }, $inc: { "deep.$[big]": 100 } };
    const result = updated(before, update, [{ "high.n": { $gte: 90 } }, { big: { $gt: 4 } }]);
    expect(plain(result)).toEqual({
      grades: [
        { n: 80, p: 1 },
        { n: 95, p: 2 },
      ],
      deep: [1, 105],
    });
  });

  test("by position changes the element that the query found", () => {
    expect(plain(updated({ a: [1, 5, 5] }, { $set: { "a.$": 9 } }, undefined, { a: 5 }))).toEqual({ a: [1, 9, 5] });
    expect(plain(updated({ a: [{ x: 1 }, { x: 2 }] }, { $set: { "a.$.x": 7 } }, undefined, { "a.x": 2 }))).toEqual({
      a: [{ x: 1 }, { x: 7 }],
    });
  });

  test("keeps the wider of two numeric types, and promotes int to long instead of overflowing", () => {
    const types = (value: unknown, by: unknown): string =>
      typeName(updated({ n: value }, { $inc: { n: by } }).get("n"));
    expect(types(new Int32(1), new Int32(1))).toBe("int");
    expect(types(new Int32(2 ** 31 - 1), new Int32(1))).toBe("long");
    expect(types(Long.fromNumber(1), new Int32(1))).toBe("long");
    expect(types(new Int32(1), new Double(1))).toBe("double");
    expect(() => types(new Double(1), Decimal128.fromString("1"))).toThrow("Arithmetic with decimals");
    expect(updated({ n: Long.MAX_VALUE.subtract(1) }, { $inc: { n: 1 } }).get("n")).toBe(2n ** 63n - 1n);
  });

  test.each([
    ["an unknown operator", { $nope: { a: 1 } }, 9],
    ["two operators on one path", { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ["a path and one below it", { $set: { a: 1, "a.b": 2 } }, 40],
    ["$inc by text", { $inc: { a: "1" } }, 14],
    ["$inc of text", { $inc: { s: 1 } }, 14],
    ["$inc beyond a long", { $inc: { l: 1 } }, 2],
    ["$push onto a number", { $push: { n: 1 } }, 2],
    ["a field within a number", { $set: { "n.x": 1 } }, 28],
    ["a name for an array's place", { $set: { "list.x": 1 } }, 28],
    ["the positional operator without a match", { $set: { "list.$": 1 } }, 2],
    ["a filter that is not there", { $set: { "list.$[x]": 1 } }, 2],
    ["an empty name", { $set: { "a..b": 1 } }, 56],
    ["every element of an array", { $set: { "list.$[]": 1 } }, 2],
    ["$pull by a condition", { $pull: { list: { $gt: 1 } } }, 2],
    ["an unknown clause of $push", { $push: { list: { $each: [], $sort: 1 } } }, 2],
  ])("is rejected with MongoDB's code: %s", (_, update, code) => {
    const before = { n: 1, s: "x", list: [1], l: Long.MAX_VALUE };
    let thrown: unknown;
    try {
      updated(before, update);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
  });

  test("rejects a filter that no path uses", () => {
    expect(() => updated({ a: [1] }, { $set: { "a.$[x]": 1 } }, [{ x: 1 }, { y: 1 }])).toThrow("'y' was not used");
  });
});
