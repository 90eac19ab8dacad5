import { describe, expect, it } from "vitest";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { findRenaming, isNameTaken } from "@/lib/base/sql/rename";

/** Returns the statement with each occurrence in brackets, or the reason for a refusal. */
const marked = (text: string, dialect: SqlDialect = "postgres") => {
  const statement = text.replace("|", "");
  const found = findRenaming(statement, text.indexOf("|"), dialect);
  if ("reason" in found) return found.reason;
  return found.places.reduceRight(
    (done, { from, to }) => `${done.slice(0, from)}<${done.slice(from, to)}>${done.slice(to)}`,
    statement,
  );
};

describe("findRenaming", () => {
  it.each([
    ["select |o.id, o.total from orders o where o.id = 1", "select <o>.id, <o>.total from orders <o> where <o>.id = 1"],
    [
      "select * from orders as o| join refunds r on r.order_id = o.id",
      "select * from orders as <o> join refunds r on r.order_id = <o>.id",
    ],
    ["select x.a from a o, b |x where x.a = o.a", "select <x>.a from a o, b <x> where <x>.a = o.a"],
    ["select d.n from (select 1 as n) |d", "select <d>.n from (select 1 as n) <d>"],
    ["update orders |o set total = o.total + 1", "update orders <o> set total = <o>.total + 1"],
    ["select g.i from generate_series(1, 3) as |g(i)", "select <g>.i from generate_series(1, 3) as <g>(i)"],
    ['select "O".id from orders |"O"', 'select <"O">.id from orders <"O">'],
    ["select O.id from orders |o", "select <O>.id from orders <o>"],
  ])("%s", (text, places) => expect(marked(text)).toBe(places));

  it("follows an alias into nested queries", () => {
    expect(marked("select 1 from orders |o where exists (select 1 from refunds r where r.order_id = o.id)")).toBe(
      "select 1 from orders <o> where exists (select 1 from refunds r where r.order_id = <o>.id)",
    );
  });

  it("renames a common table expression at its definition and all uses", () => {
    expect(
      marked(
        "with |paid as (select 1 as id), two as (select * from paid) select paid.id from paid join two t on t.id = paid.id",
      ),
    ).toBe(
      "with <paid> as (select 1 as id), two as (select * from <paid>) select <paid>.id from <paid> join two t on t.id = <paid>.id",
    );
    expect(marked("with recursive t(n) as (select 1 union all select n + 1 from |t) select n from t")).toBe(
      "with recursive <t>(n) as (select 1 union all select n + 1 from <t>) select n from <t>",
    );
  });

  it("ignores strings, comments, columns and tables of that name", () => {
    expect(marked("select |o.o, 'o.x' /* o.y */ from o.o as o -- o.z\nwhere o.id = 1")).toBe(
      "select <o>.o, 'o.x' /* o.y */ from o.o as <o> -- o.z\nwhere <o>.id = 1",
    );
    expect(marked("select |o.id, `a`.id from `o` o join a on a.o = o.id", "mysql")).toBe(
      "select <o>.id, `a`.id from `o` <o> join a on a.o = <o>.id",
    );
  });

  it.each([
    ["select a.id from orders a where exists (select 1 from refunds |a where a.x)", "is ambiguous"],
    ["with a as (select 1 as n) select * from t |a", "is ambiguous"],
    ["select o, |o.id from orders o", "may also be a column"],
    ["select o.id as o from orders |o order by o", "may also be a column"],
    ['select o.id, "O".id from orders |o', "written with different case"],
    ["select |orders.id from orders", "Place the cursor on a table alias"],
    ["select o.|id from orders o", "Place the cursor on a table alias"],
    ["sel|ect 1", "Place the cursor on a table alias"],
    ["select ' |o' from orders o", "Place the cursor on a table alias"],
  ])("rejects an ambiguous rename: %s", (text, reason) => expect(marked(text)).toContain(reason));
});

it("returns the names in use", () => {
  const statement = "with paid as (select 1) select * from shop.orders o, (select 2) x";
  const taken = ["paid", "o", "X", "orders", "free", "select"].filter((name) =>
    isNameTaken(statement, name, "postgres"),
  );
  expect(taken).toEqual(["paid", "o", "X", "orders"]);
});
