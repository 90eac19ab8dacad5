import { Double, Int32, Long, ObjectId } from "mongodb";
import { expect, test } from "vitest";
import { OTHER_FIELDS, shapeOf } from "./fields";

const typesOf = (sample: Record<string, unknown>[], isWhole = true) =>
  shapeOf(sample, isWhole).fields.map(({ name, type, dbType }) => [name, type, dbType]);

test("derives columns from the fields of all documents, in order of first appearance", () => {
  const id = new ObjectId();
  expect(
    typesOf([
      { _id: id, a: "x" },
      { _id: id, b: new Int32(1), a: null },
    ]),
  ).toEqual([
    ["_id", "objectId", "objectId"],
    ["a", "string", "string"],
    ["b", "int32", "int"],
  ]);
});

test("widens mixed numbers to a common type, and reports other mixtures", () => {
  expect(typesOf([{ a: new Int32(1) }, { a: Long.ONE }])).toEqual([["a", "int64", "long"]]);
  expect(typesOf([{ a: Long.ONE }, { a: new Double(0.5) }])).toEqual([["a", "float64", "double"]]);
  expect(typesOf([{ a: "x" }, { a: new Int32(1) }, { a: null }])).toEqual([["a", "other", "int | string"]]);
});

test("adds a last column for other fields if more documents follow", () => {
  expect(typesOf([{ a: "x" }, { b: "y" }], false).map(([name]) => name)).toEqual(["a", "b", OTHER_FIELDS]);
  expect(typesOf([{ a: "x" }, { a: "y" }], false).map(([name]) => name)).toEqual(["a"]);
  expect(typesOf([], true)).toEqual([]);
});
