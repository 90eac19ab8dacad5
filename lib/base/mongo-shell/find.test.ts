import { expect, it } from "vitest";
import { type FieldCondition, toShellFind } from "./find";

const of = (...conditions: FieldCondition[]) => toShellFind("orders", { conditions });
const find = (filter: string) => `db.getCollection("orders").find(${filter}).limit(100)`;

it("reads the first documents in an order", () => {
  expect(toShellFind('my "orders"')).toBe('db.getCollection("my \\"orders\\"").find({}).limit(100)');
  expect(toShellFind("orders", { sort: { name: "total", isDescending: true } })).toBe(
    'db.getCollection("orders").find({}).sort({ total: -1 }).limit(100)',
  );
  expect(toShellFind("orders", { sort: { name: "first name", isDescending: false } })).toContain(
    '.sort({ "first name": 1 })',
  );
});

it.each<[FieldCondition, string]>([
  [{ name: "town", kind: "text", condition: { op: "is", value: 'a"b' } }, '{ town: "a\\"b" }'],
  [{ name: "town", kind: "text", condition: { op: "not", value: null } }, "{ town: { $ne: null } }"],
  [{ name: "town", kind: "text", condition: { op: "is", value: null } }, "{ town: null }"],
  [
    { name: "town", kind: "text", condition: { op: "holds", value: "a.b" } },
    '{ town: { $regex: "a\\\\.b", $options: "i" } }',
  ],
  [{ name: "n", kind: "number", condition: { op: "least", value: "1.5" } }, "{ n: { $gte: 1.5 } }"],
  [
    { name: "n", kind: "number", condition: { op: "is", value: "9007199254740993" } },
    '{ n: NumberDecimal("9007199254740993") }',
  ],
  [
    { name: "n", kind: "number", condition: { op: "holds", value: "5" } },
    '{ $expr: { $regexMatch: { input: { $toString: "$n" }, regex: "5", options: "i" } } }',
  ],
  [
    { name: "is open", kind: "boolean", condition: { op: "any", values: ["TRUE", null] } },
    '{ "is open": { $in: [true, null] } }',
  ],
  [
    { name: "at", kind: "time", condition: { op: "below", value: "2026-01-02 03:04:05" } },
    '{ at: { $lt: ISODate("2026-01-02T03:04:05Z") } }',
  ],
  [
    { name: "_id", kind: "text", dbType: "objectId", condition: { op: "is", value: "0".repeat(24) } },
    `{ _id: ObjectId("${"0".repeat(24)}") }`,
  ],
])("writes %j", (condition, filter) => {
  expect(of(condition)).toBe(find(filter));
});

it("requires all conditions, also two of one field", () => {
  const least: FieldCondition = { name: "n", kind: "number", condition: { op: "least", value: "1" } };
  const most: FieldCondition = { name: "n", kind: "number", condition: { op: "most", value: "2" } };
  const town: FieldCondition = { name: "town", kind: "text", condition: { op: "is", value: "x" } };
  expect(of(least, town)).toBe(find('{ n: { $gte: 1 }, town: "x" }'));
  expect(of(least, most)).toBe(find("{ $and: [{ n: { $gte: 1 } }, { n: { $lte: 2 } }] }"));
});
