import { describe, expect, it } from "vitest";
import type { Entity } from "@/lib/client/api";
import { SqlScript } from "@/lib/sql/statements";
import { offerSql as offer } from "@/lib/ui/sql-completion";

const column = (name: string, type = "VARCHAR") => ({ name, type, nullable: false, primaryKey: name === "id" });
const entities: Entity[] = [
  {
    name: "orders",
    kind: "table",
    columns: [column("id", "BIGINT"), column("region"), column("placed_at", "TIMESTAMP")],
  },
  { name: "refunds", kind: "table", schema: "audit", columns: [column("id", "BIGINT"), column("order_id", "BIGINT")] },
  { name: "Order Items", kind: "view" },
];
const offerSql = (text: string, position: number, of: Entity[]) => offer(SqlScript.of(text, "duckdb"), position, of);
/** Offers at the bar in the text, best first. */
const labels = (marked: string) => {
  const position = marked.indexOf("|");
  return offerSql(marked.replace("|", ""), position, entities)
    .sort((a, b) => b.rank - a.rank)
    .map(({ label }) => label);
};

describe("offerSql", () => {
  it("offers the columns of an alias behind its dot, and nothing else", () => {
    expect(labels("select o.| from orders o")).toEqual(["id", "region", "placed_at"]);
    expect(labels("select o.re| from orders as o join refunds r on true")).toEqual(["id", "region", "placed_at"]);
  });

  it("offers the columns of a common table expression", () => {
    expect(labels("with paid as (select o.id, 1 as net from orders o) select p.| from paid p")).toEqual(["id", "net"]);
  });

  it("offers the tables of a schema behind its dot", () => {
    expect(labels("select * from audit.|")).toEqual(["refunds"]);
  });

  it("offers tables behind from and join, and behind a comma after them", () => {
    for (const sql of [
      "select * from |",
      "select * from ord|",
      "select * from orders o join |",
      "select * from orders o, |",
    ]) {
      expect(labels(sql).slice(0, 3).sort()).toEqual(["Order Items", "orders", "refunds"]);
    }
  });

  it("ranks columns in scope before aliases, tables, functions and keywords", () => {
    const offers = labels("select | from orders o");
    expect(offers.slice(0, 4)).toEqual(["id", "region", "placed_at", "o"]);
    expect(offers.indexOf("orders")).toBeLessThan(offers.indexOf("sum"));
    expect(offers.indexOf("sum")).toBeLessThan(offers.indexOf("where"));
  });

  it("offers a column of two tables once, and knows only the statement at the cursor", () => {
    expect(labels("select | from orders o, refunds r").filter((label) => label === "id")).toHaveLength(1);
    expect(labels("select 1 from orders; select | ").includes("region")).toBe(false);
  });

  it("writes names that need quotes with quotes, and tells about columns", () => {
    const offers = offerSql("select * from ", 14, entities);
    expect(offers.find(({ label }) => label === "Order Items")?.text).toBe('"Order Items"');
    expect(offerSql("select o. from orders o", 9, entities)[0]).toMatchObject({
      columnKind: "number",
      info: { title: "o.id", text: "The key of orders, bigint, never null." },
    });
  });
});
