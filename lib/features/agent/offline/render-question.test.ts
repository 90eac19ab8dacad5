import { expect, test } from "vitest";
import { questionSchema } from "@/lib/features/query/question/schema";
import { build } from "./build";
import { link } from "./link";
import { toQuestion } from "./render-question";
import { type Described, Schema } from "./schema";
import { understand } from "./understand";

const column = (name: string, type = "text", primaryKey = false) => ({ name, type, nullable: !primaryKey, primaryKey });
const TABLES: Described[] = [
  { name: "customers", schema: "shop", columns: [column("id", "integer", true), column("name"), column("country")] },
  {
    name: "orders",
    schema: "shop",
    columns: [
      column("id", "integer", true),
      column("customer_id", "integer"),
      column("placed_at", "timestamp"),
      column("total_cents", "integer"),
    ],
    foreignKeys: [{ columns: ["customer_id"], references: { schema: "shop", name: "customers", columns: ["id"] } }],
  },
];

function read(ask: string) {
  const schema = new Schema(TABLES);
  const built = build(understand(link(ask, schema, [], "2026-11-01"), schema), schema);
  return "plan" in built ? toQuestion(built.plan) : null;
}

test("renders joins, filters, groups and the order as steps of the builder", () => {
  const question = read("top 3 customers by total order value in 2025");
  expect(questionSchema.parse(question)).toEqual({
    table: { schema: "shop", name: "orders" },
    joins: [
      {
        table: { schema: "shop", name: "customers" },
        kind: "inner",
        on: [{ from: { column: "customer_id" }, column: "id" }],
      },
    ],
    formulas: [],
    filters: [
      { column: { column: "placed_at" }, op: "gte", values: ["2025-01-01"] },
      { column: { column: "placed_at" }, op: "lt", values: ["2026-01-01"] },
    ],
    summaries: [{ function: "sum", column: { column: "total_cents" }, name: "total" }],
    groups: [{ column: { table: "customers", column: "id" } }, { column: { table: "customers", column: "name" } }],
    columns: [],
    sorts: [{ by: "total", order: "desc" }],
    limit: 3,
    timezone: "UTC",
  });
});

test("renders amounts in the unit of their column", () => {
  expect(read("orders with a total over 50")?.filters).toEqual([
    { column: { column: "total_cents" }, op: "gt", values: [5000] },
  ]);
});

test("renders no step that the builder does not have", () => {
  expect(read("customers without orders")).toBeNull();
  expect(read("average number of orders per customer")).toBeNull();
});
