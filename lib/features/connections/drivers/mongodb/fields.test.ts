import { Double, Int32, Long, ObjectId } from "mongodb";
import { expect, test } from "vitest";
import { OTHER_FIELDS, shapeOf } from "./fields";

const typesOf = (sample: Record<string, unknown>[], isWhole = true) =>
  shapeOf(sample, isWhole).fields.map(({ name, type, dbType }) => [name, type, dbType]);

test("columns are the fields of all documents, in the order in which they first appear", () => {
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

test("numbers of several kinds meet in the one that holds them, other mixtures are told", () => {
  expect(typesOf([{ a: new Int32(1) }, { a: Long.ONE }])).toEqual([["a", "int64", "long"]]);
  expect(typesOf([{ a: Long.ONE }, { a: new Double(0.5) }])).toEqual([["a", "float64", "double"]]);
  expect(typesOf([{ a: "x" }, { a: new Int32(1) }, { a: null }])).toEqual([["a", "other", "int | string"]]);
});

test("when more follows and the documents are not alike, a last column keeps what has no other", () => {
  expect(typesOf([{ a: "x" }, { b: "y" }], false).map(([name]) => name)).toEqual(["a", "b", OTHER_FIELDS]);
  expect(typesOf([{ a: "x" }, { a: "y" }], false).map(([name]) => name)).toEqual(["a"]);
  expect(typesOf([], true)).toEqual([]);
});
