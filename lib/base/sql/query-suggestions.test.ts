import { describe, expect, it } from "vitest";
import type { Entity } from "../values/fields";
import type { SqlDialect } from "./dialects/registry";
import { suggestCorrections } from "./query-suggestions";

const table = (name: string, schema?: string, columns: string[] = []): Entity => ({
  name,
  ...(schema !== undefined && { schema }),
  kind: "table",
  columns: columns.map((column) => ({ name: column, type: "text", nullable: true, primaryKey: false })),
});
const TABLES = [
  table("orders", undefined, ["id", "customer_id", "status", "Total"]),
  table("Customers", undefined, ["id", "name"]),
  table("events", "raw", ["id", "kind", "payload"]),
  table("orders", "old", ["id", "state"]),
];

/** Returns the texts of the statement with each suggestion applied. */
function apply(text: string, message: string, details = {}, dialect: SqlDialect = "postgres"): string[] {
  const suggestions = suggestCorrections({ text, dialect, message, details }, TABLES);
  return suggestions.map(({ replacement, from, to }) => text.slice(0, from) + replacement + text.slice(to));
}

describe("tables", () => {
  it.each([
    ["select * from events", "events", ["select * from raw.events"]],
    ["select * from EVENTS", "events", ["select * from raw.events"]],
    ["select * from evnts e", "evnts", ["select * from raw.events e"]],
    ["select events from events", "events", ["select events from raw.events"]],
    ["select * from ordres", "ordres", ["select * from orders", "select * from old.orders"]],
    ["select * from raw.evnts", "raw.evnts", ["select * from raw.events"]],
    ["select * from rwa.events", "rwa.events", ["select * from raw.events"]],
    ["select * from public.ordres", "public.ordres", ["select * from orders", "select * from old.orders"]],
    ["select * from old.ordres", "old.ordres", ["select * from old.orders", "select * from orders"]],
    ["select * from customers", "customers", ['select * from "Customers"']],
    [
      "with recent as (select 1 as a) select * from recnt",
      "recnt",
      ["with recent as (select 1 as a) select * from recent"],
    ],
    ["select * from invoices", "invoices", []],
  ])("corrects %j", (text, name, expected) => {
    expect(apply(text, `relation "${name}" does not exist`)).toEqual(expected);
  });

  it("starts with the table in another schema if the default one has no such table", () => {
    const [first] = suggestCorrections(
      { text: "select 1 from orders", dialect: "postgres", message: 'relation "orders" does not exist', details: {} },
      TABLES,
    );
    expect(first).toEqual({ text: "old.orders", replacement: "old.orders", from: 14, to: 20 });
  });

  it("keeps a catalogue in front of the schema", () => {
    const text = "select * from memory.raw.evnts";
    const message = "line 1:15: Table 'memory.raw.evnts' does not exist";
    expect(apply(text, message, { line: 1, column: 15 }, "trino")).toEqual(["select * from memory.raw.events"]);
  });
});

describe("columns", () => {
  it.each([
    ["select o.custmer_id from orders o", "column o.custmer_id does not exist", ["select o.customer_id from orders o"]],
    ["select total from orders", 'column "total" does not exist', ['select "Total" from orders']],
    [
      'select c.status from orders o, "Customers" c',
      "column c.status does not exist",
      ['select o.status from orders o, "Customers" c'],
    ],
    ["select payload from orders", 'column "payload" does not exist', []],
    [
      'select id from orders join "Customers" c on c.id = customer_id',
      'column reference "id" is ambiguous',
      [
        'select orders.id from orders join "Customers" c on c.id = customer_id',
        'select c.id from orders join "Customers" c on c.id = customer_id',
      ],
    ],
  ])("corrects %j", (text, message, expected) => {
    expect(apply(text, message)).toEqual(expected);
  });

  it("prefers the database's candidates", () => {
    const details = { position: 8, candidates: ["o.status"] };
    expect(apply("select stats from orders o", 'column "stats" does not exist', details)).toEqual([
      "select status from orders o",
    ]);
  });
});

it.each([
  ["select lenght(name) from orders", "function lenght(text) does not exist", ["select length(name) from orders"]],
  ["select LENGHT(name), lenght", "no such function: LENGHT", ["select LENGTH(name), lenght"]],
  ["select frobnicate(1)", "function frobnicate(integer) does not exist", []],
])("corrects the function in %j", (text, message, expected) => {
  expect(apply(text, message)).toEqual(expected);
});

it("suggests nothing for other errors", () => {
  expect(apply("select 1 frm orders", 'syntax error at or near "orders"')).toEqual([]);
  expect(apply("select 1/0", "division by zero")).toEqual([]);
});

it("ignores strings and comments", () => {
  const text = "-- evnts\nselect 'evnts' from evnts";
  expect(apply(text, "no such table: evnts", {}, "sqlite")).toEqual(["-- evnts\nselect 'evnts' from raw.events"]);
});
