import { describe, expect, it } from "vitest";
import { SqlScript } from "@/lib/base/sql/statements";
import type { Entity } from "@/lib/base/values/fields";
import { offerSql as offer, offerValues } from "@/lib/features/query/browser/sql-completion";

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
/** Returns completions at the bar in the text, best first. */
const labels = (marked: string) => {
  const position = marked.indexOf("|");
  return offerSql(marked.replace("|", ""), position, entities)
    .sort((a, b) => b.rank - a.rank)
    .map(({ label }) => label);
};

const linked: Entity[] = [
  { name: "audit_log", kind: "table", columns: [column("id")] },
  {
    name: "orders",
    kind: "table",
    columns: [column("placed_at"), column("id"), column("customer_id")],
    foreignKeys: [{ columns: ["customer_id"], references: { name: "customers", columns: ["id"] } }],
  },
  {
    name: "Order Items",
    schema: "stock",
    kind: "table",
    columns: [column("order_id"), column("Line No")],
    foreignKeys: [
      { columns: ["order_id"], references: { name: "orders", columns: ["id"] } },
      { columns: ["country", "City"], references: { name: "places", columns: ["country", "City"] } },
    ],
  },
  {
    name: "customers",
    kind: "table",
    columns: [column("id"), column("boss_id")],
    foreignKeys: [{ columns: ["boss_id"], references: { name: "customers", columns: ["id"] } }],
  },
  { name: "places", kind: "table", columns: [column("country"), column("City")] },
  // Has the same name in another schema: nothing refers to it.
  { name: "customers", schema: "old", kind: "table", columns: [column("id")] },
];
const conditions = (marked: string, of = linked) =>
  offerSql(marked.replace("|", ""), marked.indexOf("|"), of)
    .filter(({ kind }) => kind === "join")
    .map(({ text }) => text);

describe("joins from foreign keys", () => {
  it("offers the condition after ON for a key of either table, first", () => {
    expect(conditions("select * from orders o join customers c on |")).toEqual(["o.customer_id = c.id"]);
    expect(conditions("select * from customers c join orders on |")).toEqual(["orders.customer_id = c.id"]);
    const offers = offerSql("select * from orders o join customers c on ", 43, linked);
    expect(offers.toSorted((a, b) => b.rank - a.rank)[0]?.kind).toBe("join");
  });

  it("quotes names as needed, and writes all columns of a key", () => {
    expect(conditions('select * from stock."Order Items" i join places p on |')).toEqual([
      'i.country = p.country and i."City" = p."City"',
    ]);
    expect(conditions('select * from orders o join stock."Order Items" on |')).toEqual([
      '"Order Items".order_id = o.id',
    ]);
  });

  it("joins a table with itself in both directions", () => {
    expect(conditions("select * from customers a join customers b on |")).toEqual([
      "b.boss_id = a.id",
      "a.boss_id = b.id",
    ]);
  });

  it("offers the nearest of several tables first, and nothing without a key", () => {
    expect(conditions("select * from customers x, customers y join orders o on |")).toEqual([
      "o.customer_id = y.id",
      "o.customer_id = x.id",
    ]);
    expect(conditions("select * from orders o join audit_log l on |")).toEqual([]);
    expect(conditions("select * from orders o join old.customers c on |")).toEqual([]);
    expect(conditions("with customers as (select 1 as id) select * from orders o join customers c on |")).toEqual([]);
    expect(conditions("select * from orders o join customers c where |")).toEqual([]);
  });

  const joins = (marked: string) => {
    const [before = "", after = ""] = marked.split("|");
    return offerSql(before + after, before.length, linked)
      .toSorted((a, b) => b.rank - a.rank)
      .filter(({ kind }) => kind === "join")
      .map(({ text, schema, detail }) => [text, schema, detail]);
  };

  it("offers whole joins along foreign keys first after JOIN, with an alias if the others have one", () => {
    expect(joins("select * from orders o join |")).toEqual([
      ['stock."Order Items" oi on oi.order_id = o.id', "stock", "one to many"],
      ["customers c on o.customer_id = c.id", undefined, "many to one"],
    ]);
    expect(joins("select * from orders left join cus|")).toEqual([
      ['stock."Order Items" on "Order Items".order_id = orders.id', "stock", "one to many"],
      ["customers on orders.customer_id = customers.id", undefined, "many to one"],
    ]);
    const all = offerSql("select * from orders o join ", 28, linked).map(({ label }) => label);
    expect(all).toEqual(expect.arrayContaining(["customers", "audit_log"]));
  });

  it("gives the new table an alias that is neither taken nor a word of SQL", () => {
    expect(joins("select * from orders c join |").at(-1)?.[0]).toBe("customers c2 on c.customer_id = c2.id");
    expect(joins("select * from customers join |").map(([text]) => text)).toEqual([
      "orders on orders.customer_id = customers.id",
      "customers c on customers.boss_id = c.id",
      "customers c on c.boss_id = customers.id",
    ]);
    const of: Entity[] = [
      { name: "a", kind: "table", columns: [column("id")] },
      {
        name: "invoice_suppliers",
        kind: "table",
        columns: [column("a_id")],
        foreignKeys: [{ columns: ["a_id"], references: { name: "a", columns: ["id"] } }],
      },
    ];
    expect(offerSql("select * from a x join ", 23, of)[0]?.text).toBe("invoice_suppliers is2 on is2.a_id = x.id");
  });

  it.each([
    "select * from orders o cross join |",
    "select * from orders o natural left join |",
    "select * from orders o join cus| on true",
    "select * from orders o join | c on o.customer_id = c.id",
    "select * from orders o join cus| as c using (id)",
  ])("offers tables alone where no condition fits: %s", (marked) => {
    expect(joins(marked)).toEqual([]);
    const [before = "", after = ""] = marked.split("|");
    const texts = offerSql(before + after, before.length, linked).map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["customers", "old.customers"]));
  });

  it("marks key columns and their targets", () => {
    const offers = offerSql("select o. from orders o", 9, linked);
    expect(offers.map(({ label, mark }) => [label, mark])).toEqual([
      ["placed_at", undefined],
      ["id", "key"],
      ["customer_id", "link"],
    ]);
    expect(offers[2]?.info?.text).toContain("References customers.id.");
  });
});

describe("offerSql", () => {
  it("offers only the columns of an alias after its dot", () => {
    expect(labels("select o.| from orders o")).toEqual(["id", "region", "placed_at"]);
    expect(labels("select o.re| from orders as o join refunds r on true")).toEqual(["id", "region", "placed_at"]);
  });

  it("offers the columns of a common table expression", () => {
    expect(labels("with paid as (select o.id, 1 as net from orders o) select p.| from paid p")).toEqual(["id", "net"]);
  });

  it("offers the tables of a schema after its dot, without the schema", () => {
    expect(offerSql("select * from audit.", 20, entities).map(({ label, text }) => [label, text])).toEqual([
      ["refunds", "refunds"],
    ]);
  });

  it.each([
    "select * from ref",
    "select 1 from orders join ref",
    "select 1 from orders, ref",
    "insert into ref",
    "ref",
  ])("inserts the schema of a table that its name alone does not find: %s", (text) => {
    const offers = offerSql(text, text.length, entities).filter(({ kind }) => kind === "table");
    expect(offers.map(({ label, schema, text }) => [label, schema, text])).toEqual([
      ["orders", undefined, "orders"],
      ["refunds", "audit", "audit.refunds"],
      ["Order Items", undefined, '"Order Items"'],
    ]);
  });

  it("quotes a schema and a table as the dialect does", () => {
    const of: Entity[] = [{ name: "Group", schema: "Raw Data", kind: "table", rowEstimate: 198_000 }];
    const first = (dialect: "mysql" | "postgres") =>
      offer(SqlScript.of("select * from ", dialect), 14, of).find(({ kind }) => kind === "table");
    expect(first("postgres")).toMatchObject({ text: '"Raw Data"."Group"', schema: "Raw Data", detail: "198 k rows" });
    expect(first("mysql")?.text).toBe("`Raw Data`.`Group`");
  });

  it("offers tables after FROM, JOIN and commas", () => {
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

  it("offers snippets last, with placeholders and an end", () => {
    const offers = offerSql("s", 1, entities);
    const snippets = offers.filter(({ kind }) => kind === "snippet");
    expect(snippets.map(({ label }) => label)).toEqual(
      expect.arrayContaining(["sel", "ins", "upd", "cte", "case", "join"]),
    );
    for (const { label, text } of snippets) expect(text, label).toMatch(/^[^#]*(?:#\{\w+\}[^#]*)+#\{\}$/);
    expect(Math.max(...snippets.map(({ rank }) => rank))).toBeLessThan(
      Math.min(...offers.filter(({ kind }) => kind !== "snippet").map(({ rank }) => rank)),
    );
    expect(offerSql("select 'sel", 11, entities)).toEqual([]);
  });

  it("offers a column of two tables once, and reads only the statement at the cursor", () => {
    expect(labels("select | from orders o, refunds r").filter((label) => label === "id")).toHaveLength(1);
    expect(labels("select 1 from orders; select | ").includes("region")).toBe(false);
  });

  it("quotes names as needed, and describes columns", () => {
    const offers = offerSql("select * from ", 14, entities);
    expect(offers.find(({ label }) => label === "Order Items")?.text).toBe('"Order Items"');
    expect(offerSql("select o. from orders o", 9, entities)[0]).toMatchObject({
      columnKind: "number",
      info: { title: "o.id", text: "Primary key of orders, bigint, not null." },
    });
  });
});

it("offers only the functions of the connection's dialect", () => {
  const offered = (dialect: "postgres" | "redshift") =>
    offer(SqlScript.of("select ", dialect), "select ".length, entities).map(({ label }) => label);
  expect(offered("redshift")).toEqual(expect.arrayContaining(["listagg", "getdate", "count"]));
  expect(offered("postgres")).not.toContain("getdate");
});

describe("offerValues", () => {
  const tables: Entity[] = [
    {
      name: "orders",
      kind: "table",
      columns: [{ ...column("status", "order_status"), values: ["new", "paid", "can't"] }, column("id")],
    },
    {
      name: "items",
      kind: "table",
      columns: [column("status", "enum('open','shut')"), column("Kind", "ENUM('a', 'b''c')")],
    },
  ];
  const values = (marked: string) => {
    const text = marked.replace("|", "");
    const found = offerValues(SqlScript.of(text, "postgres"), marked.indexOf("|"), tables);
    return found && { from: found.from, texts: found.offers.map((each) => each.text) };
  };

  it.each([
    ["select * from orders where status = '|", ["new'", "paid'", "can''t'"]],
    ["select * from orders where status = '|'", ["new", "paid", "can''t"]],
    ["select * from orders where status <> 'pa|'", ["new", "paid", "can''t"]],
    ["select * from orders o where o.status in ('new', '|", ["new'", "paid'", "can''t'"]],
    ["select * from orders o where o.status not in ('|", ["new'", "paid'", "can''t'"]],
    ["select * from items where status='|", ["open'", "shut'"]],
    ['select * from items where "Kind" = \'|', ["a'", "b''c'"]],
    ["update orders set status = '|' where id = 1", ["new", "paid", "can''t"]],
    ["select * from orders o join items i on true where i.status = '|'", ["open", "shut"]],
  ])("offers the enum values in %j", (marked, expected) => {
    const offered = values(marked);
    expect(offered?.texts).toEqual(expected);
    expect(marked.charAt((offered?.from ?? 0) - 1)).toBe("'");
  });

  it.each([
    "select * from orders where id = '|",
    "select '|' from orders",
    "select * from orders where status = 'new' |",
    "select * from orders where status like '|'",
    "select concat(status, '|') from orders",
    "select * from orders where o.status = '|'",
    "-- status = '|",
  ])("offers nothing in %j", (marked) => {
    expect(values(marked)).toBeNull();
  });
});
