import { expect, test } from "vitest";
import { isImportedTable, toTableName } from "./imports";

test("takes tables of the file of imports for imported, and no views or tables of other files", () => {
  const files = { config: { file: "Files.duckdb" } };
  expect(isImportedTable(files, { kind: "table" })).toBe(true);
  expect(isImportedTable(files, { kind: "view" })).toBe(false);
  expect(isImportedTable(files, { kind: "table", schema: "other" })).toBe(false);
  expect(isImportedTable({ config: { file: "shop.duckdb" } }, { kind: "table" })).toBe(false);
  expect(isImportedTable({ config: { sample: true } }, { kind: "table" })).toBe(false);
  expect(isImportedTable(null, { kind: "table" })).toBe(false);
});

test.each([
  ["Orders 2026.csv", "orders_2026"],
  ["2026-orders.xlsx", "t_2026_orders"],
  ["Café.tsv", "cafe"],
  ["表.csv", "table_1"],
])("names the table of %s", (file, name) => {
  expect(toTableName(file)).toBe(name);
});
