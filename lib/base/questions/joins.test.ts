import { describe, expect, it } from "vitest";
import { readFragment } from "../../features/query/browser/question-address";
import type { Entity } from "../values/fields";
import { suggestJoins } from "./joins";
import { NEW_QUESTION, toFragment } from "./question";

const column = (name: string, primaryKey = false) => ({ name, type: "integer", nullable: !primaryKey, primaryKey });
const customers: Entity = { name: "customers", kind: "table", columns: [column("id", true)] };
const orders: Entity = {
  name: "orders",
  kind: "table",
  columns: [column("id", true), column("customer_id"), column("billed_to")],
  foreignKeys: [{ columns: ["billed_to"], references: { name: "customers", columns: ["id"] } }],
};
const first = (entity: Entity) => [{ name: entity.name, entity, join: null }];

describe("suggested joins", () => {
  it("follow foreign keys in both directions first, then names", () => {
    const words = (entity: Entity) =>
      suggestJoins(first(entity), [customers, orders]).map(({ join, isKey }) => [
        `${join.on[0]?.from.column} = ${join.table.name}.${join.on[0]?.column}`,
        isKey,
      ]);
    expect(words(orders)).toEqual([
      ["billed_to = customers.id", true],
      ["customer_id = customers.id", false],
    ]);
    expect(words(customers)).toEqual([
      ["id = orders.billed_to", true],
      ["id = orders.customer_id", false],
    ]);
  });

  it("follow the names of MongoDB's fields, and never join the keys of two collections", () => {
    const collection = (name: string, ...fields: string[]): Entity => ({
      ...{ name, kind: "collection", columns: [column("_id", true), ...fields.map((field) => column(field))] },
    });
    const [people, sales] = [collection("people"), collection("sales", "personId", "people_id")];
    const stores = collection("stores", "saleId");
    const words = suggestJoins(first(sales), [people, sales, stores]).map(
      ({ join }) => `${join.on[0]?.from.column} = ${join.table.name}.${join.on[0]?.column}`,
    );
    expect(words).toEqual(["people_id = people._id", "_id = stores.saleId"]);
  });

  it("name a table that is there already differently", () => {
    const [suggestion] = suggestJoins(
      [...first(orders), { name: "customers", entity: customers, join: null }],
      [customers, orders],
    );
    expect(suggestion?.join.as).toBe("customers_2");
  });
});

describe("a question in an address", () => {
  it("is the same after reading, and anything else is none", () => {
    const question = { ...NEW_QUESTION, table: { name: 'a "b" #ü' }, timezone: "Europe/Vienna" };
    expect(readFragment(toFragment(question))).toEqual(question);
    for (const text of ["", "#", "#%", "#{}", '#{"table":"x"}', '#{"table":{"name":"x"},"joins":1}']) {
      expect(readFragment(text)).toBeNull();
    }
  });
});
