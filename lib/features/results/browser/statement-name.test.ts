import { describe, expect, it } from "vitest";
import { splitStatements } from "@/lib/base/sql/statements";
import { nameStatement } from "./statement-name";

const namesOf = (content: string) =>
  splitStatements(content, "postgres").map((statement) => nameStatement(content, statement, "postgres"));

describe("the name of a result", () => {
  it.each([
    ["-- Top customers\nselect * from orders", "Top customers"],
    ["-- Top customers\n--   by revenue\r\nselect * from orders", "Top customers"],
    ["---------\n-- Totals\n---------\nselect 1", "Totals"],
    ["-- An old note\n\nselect * from orders", "orders"],
    ["select * from sales.orders o join customers c on c.id = o.customer_id", "orders"],
    ["with best as (select 1 as n) select * from best join products using (n)", "products"],
    ['update "My Table" set a = 1', "My Table"],
    ["insert into orders values (1)", "orders"],
    ["select\n  1 as one", "select 1 as one"],
    ["select 'a long text without any table'", "select 'a long text without..."],
    ["-- A comment that is much too long for a tab\nselect 1", "A comment that is much too l..."],
  ])("of %j is %s", (content, name) => {
    expect(namesOf(content)).toEqual([name]);
  });

  it("is not the comment at the end of the statement before", () => {
    expect(namesOf("select 1; -- one\nselect * from orders;\n-- Last\nselect 3")).toEqual([
      "select 1",
      "orders",
      "Last",
    ]);
  });

  it("is the collection of a shell statement", () => {
    const of = (text: string) => nameStatement(text, { from: 0, to: text.length, end: text.length, text }, "standard");
    expect(of("db.orders.find({})")).toBe("orders");
    expect(of('db.getCollection("my orders").aggregate([])')).toBe("my orders");
  });
});
