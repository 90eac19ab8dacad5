import { describe, expect, it } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import { buildSchemaRows, toConnectionId } from "@/lib/features/connections/browser/schema-rows";

const column = (name: string) => ({ name, type: "text", nullable: true, primaryKey: false });
const table = (name: string, schema?: string): Entity => ({
  name,
  kind: "table",
  columns: [column("id"), column(`${name}_note`)],
  ...(schema ? { schema } : {}),
});
const ids = (...args: Parameters<typeof buildSchemaRows>) => buildSchemaRows(...args).map(({ id }) => id);

describe("buildSchemaRows", () => {
  const shop = {
    language: "duckdb" as const,
    id: "c",
    name: "Sample shop",
    isOpen: true,
    entities: [table("orders"), table("products")],
  };

  it("shows tables directly under a connection with one schema", () => {
    expect(ids([shop], {}, "")).toEqual(["c", "c/orders", "c/products"]);
  });

  it("shows the columns of open tables, with their positions in the set", () => {
    const rows = buildSchemaRows([shop], { "c/orders": true }, "");
    expect(rows.map(({ id }) => id)).toEqual(["c", "c/orders", "c/orders/id", "c/orders/orders_note", "c/products"]);
    expect(rows[3]).toMatchObject({ level: 2, positionInSet: 2, setSize: 2, isSmall: true });
  });

  it("groups several schemas in a level, the first one open", () => {
    const source = { ...shop, entities: [table("a", "public"), table("b", "audit")] };
    expect(ids([source], {}, "")).toEqual(["c", "c/public", "c/public/a", "c/audit"]);
  });

  it("writes the schema of tables that their names alone do not find, and names the default one", () => {
    const source = { ...shop, entities: [table("orders"), table("events", "raw")] };
    const rows = buildSchemaRows([source], { "c/raw": true }, "");
    expect(rows.filter(({ kind }) => kind === "schema").map(({ label }) => label)).toEqual(["Default schema", "raw"]);
    const texts = rows.flatMap((row) => (row.kind === "entity" ? [[row.insertText, row.selectText]] : []));
    expect(texts).toEqual([
      ["orders", "select id, orders_note\nfrom orders\nlimit 100"],
      ["raw.events", "select id, events_note\nfrom raw.events\nlimit 100"],
    ]);
  });

  it("shows nothing below a closed or unloaded connection", () => {
    expect(ids([{ ...shop, isOpen: false }], {}, "")).toEqual(["c"]);
    expect(ids([{ ...shop, entities: null }], {}, "")).toEqual(["c"]);
  });

  it("finds tables and columns by part of their names and opens matches", () => {
    expect(ids([shop], {}, "PROD")).toEqual(["c", "c/products", "c/products/id", "c/products/products_note"]);
    expect(ids([shop], {}, "orders_n")).toEqual(["c", "c/orders", "c/orders/orders_note"]);
    expect(ids([shop], {}, "zzz")).toEqual(["c"]);
  });

  it("makes a table without columns a leaf", () => {
    const source = { ...shop, entities: [{ name: "v", kind: "view" as const }] };
    expect(buildSchemaRows([source], {}, "")[1]?.isExpanded).toBeUndefined();
  });

  it("selects from a collection in shell syntax, with its exact name", () => {
    const orders: Entity = { name: 'odd "orders', kind: "collection" };
    const rows = buildSchemaRows(
      [{ id: "c1", name: "Documents", isOpen: true, entities: [orders], language: "mongodb" }],
      {},
      "",
    );
    expect(rows.find(({ kind }) => kind === "entity")).toMatchObject({
      insertText: 'odd "orders',
      selectText: 'db.getCollection("odd \\"orders").find({}).limit(100)',
    });
  });
});

describe("toConnectionId", () => {
  const nodes = buildSchemaRows(
    [{ id: "c", name: "Shop", language: "duckdb", isOpen: true, entities: [table("a", "one"), table("b", "two")] }],
    { "c/one/a": true },
    "",
  );

  it("returns the connection of every level of the tree", () => {
    expect(new Set(nodes.map(({ kind }) => kind))).toEqual(new Set(["connection", "schema", "entity", "column"]));
    expect(nodes.map((node) => toConnectionId(nodes, node))).toEqual(nodes.map(() => "c"));
  });

  it("returns nothing for a node whose parents are gone", () => {
    const last = nodes.at(-1);
    expect(last && toConnectionId([last], last)).toBe("");
  });
});
