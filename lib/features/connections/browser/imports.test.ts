import { expect, test } from "vitest";
import { toTableName } from "./imports";

test.each([
  ["Orders 2026.csv", "orders_2026"],
  ["2026-orders.xlsx", "t_2026_orders"],
  ["Café.tsv", "cafe"],
  ["表.csv", "table_1"],
])("names the table of %s", (file, name) => {
  expect(toTableName(file)).toBe(name);
});
