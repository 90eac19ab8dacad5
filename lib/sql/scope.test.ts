import { describe, expect, it } from "vitest";
import { findQualifier, readScope as readScopeOf } from "@/lib/sql/scope";

const readScope = (text: string) => readScopeOf(text, "duckdb");

describe("readScope", () => {
  it("knows tables by their aliases, with and without as", () => {
    expect(readScope("select * from order_items i join products as p on p.id = i.product_id").tables).toEqual([
      { name: "order_items", schema: null, alias: "i" },
      { name: "products", schema: null, alias: "p" },
    ]);
  });

  it("reads schemas, quoted names and lists behind from", () => {
    expect(readScope('select 1 from public."Order Items" oi, refunds').tables).toEqual([
      { name: "Order Items", schema: "public", alias: "oi" },
      { name: "refunds", schema: null, alias: "refunds" },
    ]);
  });

  it("does not take a keyword for an alias", () => {
    expect(readScope("select * from orders where id = 1").tables[0]?.alias).toBe("orders");
    expect(readScope("select * from orders left join refunds r on true").tables.map((t) => t.alias)).toEqual([
      "orders",
      "r",
    ]);
  });

  it("knows common table expressions and the columns they give", () => {
    const scope = readScope(
      "with paid as (select o.id, o.total_cents - coalesce(r.c, 0) as net_cents from orders o), two as (select 1 as n) select * from paid p",
    );
    expect(scope.ctes).toEqual([
      { name: "paid", columns: ["id", "net_cents"] },
      { name: "two", columns: ["n"] },
    ]);
    expect(scope.tables.map((t) => t.alias)).toEqual(["o", "p"]);
  });

  it("reads a statement that is half typed", () => {
    expect(readScope("select o. from orders o where o.").tables).toEqual([
      { name: "orders", schema: null, alias: "o" },
    ]);
    expect(readScope("select from")).toEqual({ tables: [], ctes: [] });
  });

  it("ignores what stands in strings and comments", () => {
    expect(readScope("select 'from a' -- from b\n from c").tables.map((t) => t.name)).toEqual(["c"]);
  });
});

describe("findQualifier", () => {
  it("is the word in front of the dot at the cursor", () => {
    const at = (text: string) => findQualifier(text, text.length);
    expect(at("select o.")).toBe("o");
    expect(at("select o.re")).toBe("o");
    expect(at('select "My Table".x')).toBe("My Table");
    expect(at("select re")).toBeNull();
    expect(at("select 1.5")).toBeNull();
  });
});
