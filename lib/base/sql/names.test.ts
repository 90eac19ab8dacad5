import { expect, it } from "vitest";
import { toSqlName, toSqlText } from "./names";

it.each([
  ["orders", "orders", "orders"],
  ["Order Items", '"Order Items"', "`Order Items`"],
  ['a"b', '"a""b"', '`a"b`'],
  ["a`b", '"a`b"', "`a``b`"],
  ["2x", '"2x"', "`2x`"],
  // Reserved everywhere, and nowhere.
  ["order", '"order"', "`order`"],
  ["date", "date", "date"],
  // Reserved by MySQL alone.
  ["condition", "condition", "`condition`"],
])("writes the name %s for each database", (name, standard, mysql) => {
  expect(toSqlName(name, "postgres")).toBe(standard);
  expect(toSqlName(name, "mysql")).toBe(mysql);
});

it("writes a text for each database", () => {
  expect(toSqlText("it's \\n", "postgres")).toBe("'it''s \\n'");
  expect(toSqlText("it's \\n", "mysql")).toBe("'it''s \\\\n'");
  expect(toSqlText("it's \\n", "clickhouse")).toBe("'it''s \\\\n'");
});
