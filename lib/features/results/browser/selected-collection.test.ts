import { expect, test } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import { findSelectedCollection } from "./selected-collection";

const orders: Entity = { name: "orders", kind: "collection" };
const entities: Entity[] = [orders, { name: "seen", kind: "view" }, { name: "my orders", kind: "collection" }];
const find = (statement: string, names = ["_id", "status"]) =>
  findSelectedCollection(statement, { entities, fields: names.map((name) => ({ name, type: "string" })) })?.name;

test.each([
  ["db.orders.find()", "orders"],
  ["db.orders.find({})", "orders"],
  [
    'db.getCollection("my orders").find({ a: [1, { b: /,\\)/ }], status: "x, y" },).sort({ a: -1 }).limit(5);',
    "my orders",
  ],
  ['db["my orders"].findOne({ a: 1 })', "my orders"],
])("finds the collection of %s", (statement, name) => {
  expect(find(statement)).toBe(name);
});

test.each([
  "db.orders.find({}, { status: 1 })",
  "db.orders.find({}).project({ status: 1 })",
  "db.orders.aggregate([])",
  "db.orders.find({}).count()",
  "db.orders.find({}) + 1",
  "db.seen.find()",
  "db.nothing.find()",
  "orders.find()",
  "db.orders.find({",
  "select * from orders",
])("finds none for %s", (statement) => {
  expect(find(statement)).toBeUndefined();
});

test("finds none for a result without _id, or with fields in one column", () => {
  expect(find("db.orders.find()", ["status"])).toBeUndefined();
  expect(find("db.orders.find()", ["_id", "_other"])).toBeUndefined();
});
