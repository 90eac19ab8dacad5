import { expect, test } from "vitest";
import { toFreeName, toTableName } from "./imports";

test.each([
  ["Orders 2026.csv", "orders_2026"],
  ["2026-orders.xlsx", "t_2026_orders"],
  ["Café.tsv", "cafe"],
  ["表.csv", "table_1"],
])("names the table of %s", (file, name) => {
  expect(toTableName(file)).toBe(name);
});

test("numbers a name that a table has, without case", () => {
  expect(toFreeName("orders", ["Orders", "orders_2"])).toBe("orders_3");
  expect(toFreeName("items", ["orders"])).toBe("items");
});
