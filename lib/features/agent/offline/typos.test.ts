import { expect, test } from "vitest";
import { link } from "./link";
import { Schema } from "./schema";
import { correctTypos } from "./typos";

const column = (name: string) => ({ name, type: "text" });
const SCHEMA = new Schema([
  { name: "orders", columns: [column("status"), column("total")] },
  { name: "product_categories", columns: [column("shipped"), column("shopped")] },
]);

test.each([
  ["how many ordrs were placed", "how many orders were placed"],
  ["ordesr by sttaus", "orders by status"],
  ["product categry", "product category"],
  ["Categoriess", "categories"],
  ["avrage total of orders", "average total of orders"],
])("corrects “%s”", (question, corrected) => {
  const found = correctTypos(link(question, SCHEMA, [], "2026-11-01"), SCHEMA);
  expect(found?.text).toBe(corrected);
  expect(found?.assumed.length).toBeGreaterThan(0);
});

test.each([
  ["a known word", "orders by status"],
  ["two letters", "how many ordrz"],
  ["another first letter", "borders"],
  ["a short word", "totl"],
  ["a quoted word", "orders with status 'ordrs'"],
  ["a word near two names", "shapped"],
  ["a word of the language", "other things"],
])("leaves %s: “%s”", (_, question) => {
  expect(correctTypos(link(question, SCHEMA, [], "2026-11-01"), SCHEMA)).toBeNull();
});
