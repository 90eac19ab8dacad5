import { describe, expect, it } from "vitest";
import { findQualifier, readJoinPlace, readScope as readScopeOf } from "@/lib/base/sql/scope";

const readScope = (text: string) => readScopeOf(text, "duckdb");

describe("readScope", () => {
  it("resolves tables by alias, with and without AS", () => {
    expect(readScope("select * from order_items i join products as p on p.id = i.product_id").tables).toEqual([
      { name: "order_items", schema: null, alias: "i" },
      { name: "products", schema: null, alias: "p" },
    ]);
  });

  it("reads schemas, quoted names and lists after FROM", () => {
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

  it("knows common table expressions and their columns", () => {
    const scope = readScope(
      "with paid as (select o.id, o.total_cents - coalesce(r.c, 0) as net_cents from orders o), two as (select 1 as n) select * from paid p",
    );
    expect(scope.ctes).toEqual([
      { name: "paid", columns: ["id", "net_cents"] },
      { name: "two", columns: ["n"] },
    ]);
    expect(scope.tables.map((t) => t.alias)).toEqual(["o", "p"]);
  });

  it("reads an incomplete statement", () => {
    expect(readScope("select o. from orders o where o.").tables).toEqual([
      { name: "orders", schema: null, alias: "o" },
    ]);
    expect(readScope("select from")).toEqual({ tables: [], ctes: [] });
  });

  it.each([
    ["with best as (select | from products) select from best, orders", ["products", "best", "orders"]],
    ["with best as (select from products) select | from best, orders", ["best", "orders", "products"]],
    ["select | from a where x in (select y from b)", ["a", "b"]],
    ["select from a where x in (select | from b)", ["a", "b"]],
    ["select | from (select 1 from a) s join b", ["b", "a"]],
    ["select from a where x in (select | from b", ["a", "b"]],
  ])("in %j tables of other brackets come last", (marked, names) => {
    const position = marked.indexOf("|");
    const { tables } = readScopeOf(marked.replace("|", ""), "duckdb", position);
    expect(tables.map(({ name }) => name)).toEqual(names);
  });

  it("ignores strings and comments", () => {
    expect(readScope("select 'from a' -- from b\n from c").tables.map((t) => t.name)).toEqual(["c"]);
  });
});

describe("readJoinPlace", () => {
  const at = (marked: string) => {
    const { wants, tables } = readJoinPlace(marked.replace("|", ""), marked.indexOf("|"), "duckdb");
    return [wants, ...tables.map(({ alias }) => alias)];
  };

  it("recognises positions after JOIN and ON, and the tables before", () => {
    expect(at("select * from orders o join |")).toEqual(["table", "o"]);
    expect(at("select * from orders o join ref|")).toEqual(["table", "o"]);
    expect(at("select * from orders o left join refunds as r on |")).toEqual(["condition", "o", "r"]);
    expect(at("select * from a, b join c on | join d on true")).toEqual(["condition", "a", "b", "c"]);
    expect(at("select * from orders o where |")).toEqual([null, "o"]);
  });

  it("ignores the word being typed", () => {
    expect(at("select * from a join b on|")).toEqual([null, "a", "b"]);
    expect(at("select * from a join b on a|")).toEqual(["condition", "a", "b"]);
  });

  it("stays within the query at the cursor", () => {
    expect(at("select * from a join (select * from b join c on |")).toEqual(["condition", "b", "c"]);
    expect(at("select * from a join (select * from b) x on |")).toEqual(["condition", "a", "x"]);
    expect(at("with p as (select * from b) select * from p join c on |")).toEqual(["condition", "p", "c"]);
    expect(at("select * from a union select * from b join c on |")).toEqual(["condition", "b", "c"]);
  });

  it("ignores strings and comments", () => {
    expect(at("select ' from z join y on ' from a join b on -- x\n |")).toEqual(["condition", "a", "b"]);
  });
});

describe("findQualifier", () => {
  it("is the word before the dot at the cursor", () => {
    const at = (text: string) => findQualifier(text, text.length);
    expect(at("select o.")).toBe("o");
    expect(at("select o.re")).toBe("o");
    expect(at('select "My Table".x')).toBe("My Table");
    expect(at("select re")).toBeNull();
    expect(at("select 1.5")).toBeNull();
  });
});
