import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { NEW_QUESTION, type Question } from "@/lib/base/questions/question";
import { DIALECTS, SQL_DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { readSqlTokens } from "@/lib/base/sql/lexer";
import type { Entity } from "@/lib/base/values/fields";
import { planQuestion } from "./plan";
import { questionSchema } from "./schema";

const column = (name: string, type: string, primaryKey = false) => ({ name, type, primaryKey, nullable: !primaryKey });
const customers: Entity = {
  name: "customers",
  schema: "crm",
  kind: "table",
  columns: [column("id", "integer", true), column("region", "text"), column("credit", "numeric")],
};
const orders: Entity = {
  name: "orders",
  kind: "table",
  columns: [
    column("id", "integer", true),
    column("customer_id", "integer"),
    column("status", "order_status"),
    column("placed_at", "timestamp with time zone"),
    column("total", "numeric(12,2)"),
  ],
};
const visits: Entity = {
  name: "visits",
  kind: "view",
  columns: [column("customer_id", "integer"), column("pages", "integer")],
};
const engine = (dialect: SqlDialect) => ({ dialect, nullsLast: " nulls last", keysRepeat: false });
const ask = (question: Partial<Question>, entities: Entity[], dialect: SqlDialect = "postgres") =>
  planQuestion(
    { table: { name: entities[0]?.name ?? "" }, timezone: "UTC", ...NEW_QUESTION, ...question },
    entities,
    engine(dialect),
  ).sql;
const join = (name: string, from: string, to: string, table?: string): Question["joins"][number] => ({
  table: { name },
  kind: "left",
  on: [{ from: { ...(table && { table }), column: from }, column: to }],
});
const problem = (question: Partial<Question>, entities: Entity[]) => {
  try {
    ask(question, entities);
  } catch (error) {
    return (error as { details?: { path: string; message: string }[] }).details?.[0];
  }
  return null;
};

it("averages money, of which PostgreSQL has only sums, joined or not", () => {
  const people: Entity = {
    ...orders,
    name: "people",
    columns: [column("id", "integer", true), column("salary", "money")],
  };
  const visited = { ...visits, columns: [column("person_id", "integer")] };
  const summaries: Question["summaries"] = [
    { function: "avg", column: { column: "salary" } },
    { function: "sum", column: { column: "salary" } },
  ];
  const alone = ask({ summaries }, [people]);
  expect(alone).toContain("avg(cast(people.salary as numeric))");
  expect(alone).toContain("sum(people.salary)");
  const joined = ask({ summaries, joins: [join("visits", "id", "person_id")] }, [people, visited]);
  expect(joined).toContain("cast(people.salary as numeric) as va1");
});

it("groups values without equality by their texts", () => {
  const places: Entity = {
    ...orders,
    name: "places",
    columns: [column("id", "integer", true), column("at", "point"), column("doc", "jsonb"), column("raw", "json")],
  };
  const groups = ["at", "doc", "raw"].map((name) => ({ column: { column: name } }));
  const sql = ask({ groups, summaries: [{ function: "count" }] }, [places]);
  expect(sql).toContain("cast(places.at as text) as at");
  expect(sql).toContain("places.doc as doc");
  expect(sql).toContain("cast(places.raw as text) as raw");
});

it.each([
  ["Decimal(10, 2)", "*", "1.10", "(toDecimal256('1.10', 2))"],
  ["Nullable(UInt64)", "+", "0.5", "(toDecimal256('0.5', 1))"],
  ["Int64", "+", "5", "(5)"],
  ["Float64", "*", "1.10", "(1.10)"],
  ["Int256", "*", "1.10", "(1.10)"],
  ["Decimal(10, 2)", "/", "1.10", "1.10"],
] as const)("keeps the digits of ClickHouse's %s %s %s", (type, sign, number, expected) => {
  const sales: Entity = { name: "sales", kind: "table", columns: [column("n", type)] };
  const formula = { name: "f", left: { column: { column: "n" } }, sign, right: { number } };
  const outer = { name: "g", left: { column: { column: "f" } }, sign: "+", right: { number: "0.1" } } as const;
  const sql = ask({ formulas: [formula], columns: [{ column: "f" }] }, [sales], "clickhouse");
  expect(sql).toContain(expected);
  expect(sql.includes("toDecimal256")).toBe(expected.includes("toDecimal256"));
  const nested = ask({ formulas: [formula, outer], columns: [{ column: "g" }] }, [sales], "clickhouse");
  expect(nested.includes("toDecimal256('0.1', 1)")).toBe(!/Float|256|\//.test(type + sign));
});

it.each([
  ["eq", ["2026-05-31T12:00:00"], [1]],
  ["ne", ["2026-05-31T12:00:00"], [2, 3, 4]],
  ["in", ["2026-05-31T12:00:00", "2026-05-31T12:00:00.500"], [1, 2]],
  ["lte", ["2026-05-31T12:00:00"], [1]],
  ["gt", ["2026-05-31T12:00:00"], [2, 3, 4]],
  ["lt", ["2026-05-31T12:00:00.500"], [1]],
  ["between", ["2026-05-31T12:00:00", "2026-05-31T12:00:01"], [1, 2, 3]],
  ["eq", ["2026-05-31"], [1, 2, 3]],
  ["in", ["2026-06-01", "2026-05-31T12:00:01"], [3, 4]],
] as const)("tells times of one second apart on SQLite: %s %s", (op, values, ids) => {
  const database = new Database(":memory:");
  database.exec("create table times (id integer primary key, placed_at timestamp)");
  const insert = database.prepare("insert into times (placed_at) values (?)");
  const texts = ["2026-05-31 12:00:00", "2026-05-31T12:00:00.5Z", "2026-05-31 12:00:01", "2026-06-01"];
  for (const text of texts) insert.run(text);
  const times: Entity = {
    name: "times",
    kind: "table",
    columns: [column("id", "integer", true), column("placed_at", "timestamp")],
  };
  const filters = [{ column: { column: "placed_at" }, op, values: [...values] }];
  const sql = ask({ filters, columns: [{ column: "id" }] }, [times], "sqlite");
  expect(database.prepare(sql).pluck().all()).toEqual([...ids]);
  database.close();
});

describe("the statement of a question", () => {
  it("groups one joined table in a statement that a person could have written", () => {
    const question: Partial<Question> = {
      joins: [join("customers", "customer_id", "id")],
      filters: [{ column: { column: "status" }, op: "ne", values: ["cancelled"] }],
      summaries: [{ function: "sum", column: { column: "total" } }],
      groups: [
        { column: { column: "placed_at" }, grain: "month" },
        { column: { table: "customers", column: "region" } },
      ],
      limit: 1000,
    };
    expect(ask(question, [orders, customers])).toBe(`select
  cast(date_trunc('month', (orders.placed_at at time zone 'UTC')) as date) as placed_at,
  customers.region as region,
  sum(orders.total) as sum_total
from orders
left join crm.customers as customers on orders.customer_id = customers.id
where (orders.status <> 'cancelled' or orders.status is null)
group by 1, 2
order by placed_at nulls last, region nulls last
limit 1000`);
  });

  it("sums each row once by its key where a join repeats it", () => {
    const question = {
      joins: [join("orders", "id", "customer_id")],
      summaries: [{ function: "sum" as const, column: { column: "credit" } }],
    };
    expect(ask(question, [customers, orders])).toContain(
      "select distinct customers.credit as va1,\n  customers.id as k1",
    );
    expect(ask({ ...question, joins: [] }, [customers])).not.toContain("distinct");
  });

  it("sums each row once where a foreign key names a column that is not the primary key", () => {
    const people: Entity = { ...customers, columns: [column("code", "text"), column("credit", "numeric")] };
    const keyed: Entity = {
      ...orders,
      foreignKeys: [{ columns: ["status"], references: { name: "customers", schema: "crm", columns: ["code"] } }],
    };
    const question = {
      joins: [join("customers", "status", "code")],
      summaries: [{ function: "sum" as const, column: { column: "total" } }],
    };
    expect(ask(question, [keyed, people])).toContain("distinct");
  });

  it("numbers the rows of a table without a primary key, by a name that no column has", () => {
    const question = {
      joins: [join("orders", "customer_id", "customer_id")],
      summaries: [{ function: "avg" as const, column: { column: "pages" } }],
    };
    const named = { ...visits, columns: [...(visits.columns ?? []), column("row_number", "integer")] };
    expect(ask(question, [named, orders])).toBe(`with m1 as (
select avg(va1) as a1
from (
select distinct visits.pages as va1,
  visits.row_number_2 as k1
from (select customer_id, pages, row_number() over () as row_number_2 from visits) as visits
left join orders on visits.customer_id = orders.customer_id
where visits.row_number_2 is not null
) as x
)
select
  m.a1 as average_pages
from m1 as m`);
  });

  it("takes no primary key as unique that is compared with another kind, or may be null", () => {
    const summaries = [{ function: "sum" as const, column: { column: "total" } }];
    const byText = { joins: [join("customers", "status", "id")], summaries };
    const coded: Entity = { ...customers, columns: [column("id", "varchar(9)", true)] };
    const byNumber = { joins: [join("customers", "customer_id", "id")], summaries };
    expect(ask(byNumber, [orders, customers])).not.toContain("distinct");
    expect(ask(byNumber, [orders, coded])).toContain("distinct");
    expect(ask(byText, [orders, customers])).toContain("distinct");
    const loose: Entity = { ...orders, columns: orders.columns?.map((each) => ({ ...each, nullable: true })) };
    expect(ask(byNumber, [loose, coded])).toContain("orders.row_number as k1");
  });

  it("names its parts as no table is", () => {
    const m1: Entity = { ...customers, name: "M1" };
    const m2: Entity = { ...orders, name: "m_2" };
    const question = {
      joins: [join("m_2", "id", "customer_id")],
      summaries: [{ function: "sum" as const, column: { column: "credit" } }, { function: "count" as const }],
    };
    const sql = ask(question, [m1, m2]);
    expect(sql).toContain("with m__1 as (");
    expect(sql).toContain("from m__ as m");
    expect(ask(question, [customers, { ...orders, name: "m_2" }])).toContain("with m1 as (");
  });

  it("takes days from year 1 to the end of year 9999", () => {
    const where = (op: "eq" | "ne" | "lte" | "gt", value: string, timezone = "America/New_York") =>
      ask({ filters: [{ column: { column: "placed_at" }, op, values: [value] }], timezone }, [orders]).split(
        "where ",
      )[1];
    const last = "9999-12-31";
    expect(where("eq", last)).toBe("(orders.placed_at >= timestamptz '9999-12-31 05:00:00+00')");
    expect(where("lte", last)).toBe("orders.placed_at is not null");
    expect(where("gt", last)).toBe("1 = 0");
    expect(where("ne", last)).toBe(
      "(not (orders.placed_at >= timestamptz '9999-12-31 05:00:00+00') or orders.placed_at is null)",
    );
    expect(where("gt", `${last} 23:30`)).toContain("> timestamptz '9999-12-31 23:59:59.999+00'");
    expect(where("gt", "0001-01-01 00:00", "Asia/Tokyo")).toContain("> timestamptz '0001-01-01 00:00:00+00'");
    expect(
      problem({ filters: [{ column: { column: "placed_at" }, op: "eq", values: ["0000-01-01"] }] }, [orders]),
    ).toEqual({ path: "filters.0.values.0", message: "Use 2026-05-31 or 2026-05-31T14:30:00." });
  });

  it("trusts no primary key where keys repeat", () => {
    const question = {
      joins: [join("customers", "customer_id", "id")],
      summaries: [{ function: "sum" as const, column: { column: "total" } }],
    };
    const full = { table: { name: "orders" }, timezone: "UTC", ...NEW_QUESTION, ...question };
    const repeating = { ...engine("redshift"), keysRepeat: true };
    expect(planQuestion(full, [orders, customers], repeating).sql).toContain("orders.row_number as k1");
    expect(planQuestion({ ...full, joins: [] }, [orders], repeating).sql).not.toContain("row_number");
    const product = { name: "p", left: { column: { column: "total" } }, sign: "*" as const };
    const formulas = [{ ...product, right: { column: { table: "customers", column: "credit" } } }];
    const summaries = [{ function: "sum" as const, column: { column: "p" } }];
    expect(() => planQuestion({ ...full, formulas, summaries }, [orders, customers], repeating)).toThrow(
      "Rows of orders and customers can match several of each other.",
    );
  });

  it.each(SQL_DIALECTS)("writes each value of %s as a literal, whatever its characters", (dialect) => {
    const value = "x'; drop table orders; -- \\";
    const sql = ask(
      { filters: [{ column: { column: "region" }, op: "in", values: [value, '`"'] }], columns: [{ column: "id" }] },
      [{ ...customers, columns: [column("id", "integer", true), column("region", "varchar")] }],
      dialect,
    );
    const texts = readSqlTokens(sql, dialect).filter(({ kind }) => kind === "string");
    const escaped = DIALECTS[dialect].lexical.quotes["'"]?.escapes ? value.replaceAll("\\", "\\\\") : value;
    expect(texts.map(({ text }) => text)).toEqual([escaped, '`"']);
  });

  it.each([
    [{ filters: [{ column: { column: "nope" }, op: "eq", values: [1] }] }, "filters.0.column"],
    [{ filters: [{ column: { column: "total" }, op: "contains", values: ["1"] }] }, "filters.0.op"],
    [{ filters: [{ column: { column: "total" }, op: "eq", values: ["1 or 1=1"] }] }, "filters.0.values.0"],
    [{ filters: [{ column: { column: "total" }, op: "between", values: [1] }] }, "filters.0.values"],
    [{ filters: [{ column: { column: "placed_at" }, op: "eq", values: ["2026-02-31"] }] }, "filters.0.values.0"],
    [{ filters: [{ column: { column: "placed_at" }, op: "last", values: [], unit: "day" }] }, "filters.0.count"],
    [{ groups: [{ column: { column: "total" }, grain: "day" }] }, "groups.0.grain"],
    [{ groups: [{ column: { column: "status" }, bin: 10 }] }, "groups.0.bin"],
    [{ summaries: [{ function: "sum", column: { column: "placed_at" } }] }, "summaries.0.column"],
    [{ summaries: [{ function: "sum" }] }, "summaries.0.column"],
    [{ joins: [join("orders", "id", "id")] }, "joins.0.as"],
    [{ joins: [join("customers", "id", "id", "customers")] }, "joins.0.on.0.from"],
    [{ sorts: [{ by: "nope", order: "asc" }] }, "sorts.0.by"],
    [
      { formulas: [{ name: "f", left: { column: { column: "f" } }, sign: "+", right: { number: 1 } }] },
      "formulas.0.left.column",
    ],
  ] as [Partial<Question>, string][])("names the place of a fault: %j", (question, path) => {
    expect(problem(question, [orders, customers])?.path).toBe(path);
  });

  it("refuses formulas that double at each step, and takes 200 terms", () => {
    const part = (column: string) => ({ column: { column } });
    const doubled = (count: number) =>
      Array.from({ length: count }, (_, n) => {
        const side = part(n === 0 ? "total" : `f${n - 1}`);
        return { name: `f${n}`, left: side, sign: "+" as const, right: side };
      });
    expect(problem({ formulas: doubled(50), summaries: [{ function: "sum", ...part("f49") }] }, [orders])).toEqual({
      path: "formulas.7",
      message: "“f7” has more than 200 terms with those of its formulas. Use a console.",
    });
    const sum = { name: "s", left: part("f6"), sign: "+" as const, right: part("f5") };
    const formulas = [...doubled(7), sum, { ...sum, name: "t", left: part("s"), right: { number: 8 } }];
    expect(ask({ formulas, columns: [{ column: "t" }] }, [orders]).split("orders.total")).toHaveLength(193);
  });

  it("returns at most 5,000 columns", () => {
    const wide = (count: number): Entity => ({
      ...visits,
      columns: Array.from({ length: count }, (_, n) => column(`c${n}`, "integer")),
    });
    expect(ask({}, [wide(5000)])).toContain("visits.c4999 as c4999");
    expect(problem({}, [wide(5001)])).toEqual({
      path: "columns",
      message: "At most 5000 columns. Choose some of 5001.",
    });
  });

  it("bounds each list and text of a question", () => {
    const parse = (question: object) => questionSchema.safeParse({ table: { name: "orders" }, ...question }).success;
    const filter = { column: { column: "id" }, op: "in" };
    expect(parse({})).toBe(true);
    expect(parse({ filters: [{ ...filter, values: Array.from({ length: 1000 }, (_, n) => n) }] })).toBe(true);
    expect(parse({ filters: [{ ...filter, values: Array.from({ length: 1001 }, (_, n) => n) }] })).toBe(false);
    expect(parse({ filters: [{ ...filter, values: ["x".repeat(10_001)] }] })).toBe(false);
    expect(parse({ filters: Array.from({ length: 51 }, () => filter) })).toBe(false);
    expect(parse({ joins: Array.from({ length: 11 }, () => join("orders", "id", "id")) })).toBe(false);
    expect(parse({ groups: [{ column: { column: "id" }, bin: 0 }] })).toBe(false);
    expect(parse({ limit: 0 })).toBe(false);
  });
});
