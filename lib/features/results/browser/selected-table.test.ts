import { expect, test } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import { findSelectedTable } from "./selected-table";

const column = (name: string, primaryKey = false) => ({ name, type: "text", nullable: true, primaryKey });
const orders: Entity = { name: "orders", kind: "table", columns: [column("id", true), column("status")] };
const entities: Entity[] = [orders, { name: "orders", schema: "old", kind: "table", columns: [column("id", true)] }];
const find = (statement: string, fields = ["id", "status"]) =>
  findSelectedTable(statement, "postgres", { entities, fields: fields.map((name) => ({ name, type: "string" })) });

test.each([
  "select * from orders",
  "select o.* from orders o where status = 'open' order by id limit 10",
  'SELECT id, "status" FROM orders',
  "select o.id, o.status\nfrom orders as o",
  'select o."id", o.status from "orders" o where id in (1, 2) order by id',
  "select id, status from orders limit 10 offset 5;",
])("finds the table of %s", (statement) => {
  expect(find(statement)).toBe(entities[0]);
});

test.each([
  "select id, upper(status) as status from orders",
  "select id as status, status as id from orders",
  "select id, status id from orders",
  "select distinct id, status from orders",
  "select * from orders, orders b",
  "select * from orders join old.orders using (id)",
  "select id, status from orders group by id, status",
  "select id, status from orders union select id, status from orders",
  "with o as (select * from orders) select * from o",
  "select id, status from (select id, upper(status) as status from orders) o",
  "select id, status from orders, (select 1) x",
  "select id, status from orders o, generate_series(1, 3)",
  "select id, status from orders(1)",
  "select id, status from orders for system_time as of '2020-01-01'",
  "select id, id from orders",
  "select * from nothing",
  "update orders set status = 'x' returning *",
])("finds no table for %s", (statement) => {
  expect(find(statement)).toBeNull();
});

test("needs the key, and only columns of the table", () => {
  expect(find("select status from orders", ["status"])).toBeNull();
  expect(find("select * from orders", ["id", "status", "more"])).toBeNull();
  expect(find("select id from old.orders", ["id"])).toBe(entities[1]);
});

test("finds no table by a name that several schemas have", () => {
  const both = ["a", "b"].map((schema): Entity => ({ ...orders, schema }));
  const fields = [{ name: "id", type: "string" }];
  const findIn = (statement: string) => findSelectedTable(statement, "postgres", { entities: both, fields });
  expect([findIn("select id from orders"), findIn("select id from b.orders")]).toEqual([null, both[1]]);
});
