import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { findDriver } from "@/lib/features/connections/drivers/registry";
import { AppError } from "@/lib/platform/http/errors";
import type { VariableValue } from "./schema";
import { findSyntaxError } from "./syntax";
import { bindVariables as bindTo, type ConsoleSyntax } from "./variables";

const day: VariableValue = { type: "date", value: "2026-05-31" };
const instant: VariableValue = { type: "date", value: "2026-05-31T14:30:00+02:00" };
const local: VariableValue = { type: "date", value: "2026-05-31T14:30:00" };

const WORKSPACE = new ObjectId();

/** A syntax without variables and without a SQL dialect. */
const UNKNOWN: ConsoleSyntax = { label: "GraphQL", language: null };
const syntaxOf = (engine: string) => findDriver(engine) ?? UNKNOWN;
const bindVariables = (content: string, engine: string, values: Record<string, VariableValue>) =>
  bindTo(content, syntaxOf(engine), values, WORKSPACE);
/** Returns the variables of a text: those for which a value is missing. */
async function variablesOf(content: string, engine: string): Promise<string[]> {
  const { details } = await refusal(() => bindVariables(content, engine, {}));
  return (details as { path: string }[]).map(({ path }) => path.replace("variables.", ""));
}

async function bound(content: string, engine: string, values: Record<string, VariableValue>) {
  const { query, params } = await bindVariables(content, engine, values);
  return { query, params };
}

describe("gives each engine its placeholders, with separate values", () => {
  const content = "select * from t where a = {{a}} and b < {{ b }} or a <> {{a}}";

  it.each([
    ["postgres", "select * from t where a = $1 and b < CAST($2 AS integer) or a <> $1", ["x'; drop", 5]],
    ["duckdb", "select * from t where a = $1 and b < $2 or a <> $1", ["x'; drop", 5]],
    ["mysql", "select * from t where a = ? and b < ? or a <> ?", ["x'; drop", 5, "x'; drop"]],
    ["sqlite", "select * from t where a = ? and b < ? or a <> ?", ["x'; drop", 5, "x'; drop"]],
    [
      "clickhouse",
      "select * from t where a = {a:String} and b < {b:Int64} or a <> {a:String}",
      { a: "x'; drop", b: 5 },
    ],
  ])("%s", async (engine, query, params) => {
    expect(await bound(content, engine, { a: "x'; drop", b: 5 })).toEqual({ query, params });
  });

  it("gives MongoDB's parser literals that no text can break out of", async () => {
    const text = 'a" }); db.x.drop(); //';
    const { query, params } = await bound("db.o.find({ a: {{a}}, n: {{n}}, d: { $gt: {{d}} } })", "mongodb", {
      a: text,
      n: null,
      d: instant,
    });
    expect(params).toBeUndefined();
    expect(query).toBe(
      `db.o.find({ a: "a\\" }); db.x.drop(); //", n: null, d: { $gt: ISODate("2026-05-31T14:30:00+02:00") } })`,
    );
  });

  it.each([
    ["postgres", 2 ** 31, "CAST($1 AS bigint)"],
    ["postgres", -2.5, "CAST($1 AS numeric)"],
    ["postgres", 2 ** 60, "CAST($1 AS numeric)"],
    ["postgres", true, "CAST($1 AS boolean)"],
    ["postgres", null, "$1"],
    ["postgres", day, "CAST($1 AS date)"],
    ["postgres", local, "CAST($1 AS timestamp)"],
    ["postgres", instant, "CAST($1 AS timestamptz)"],
    ["duckdb", day, "CAST($1 AS date)"],
    ["mysql", day, "CAST(? AS DATE)"],
    ["mysql", instant, "CAST(? AS DATETIME(6))"],
    ["clickhouse", 0.5, "{v:Float64}"],
    ["clickhouse", instant, "{v:DateTime64(6, 'UTC')}"],
    ["clickhouse", { type: "text", value: "1" }, "{v:String}"],
  ] as [string, VariableValue, string][])("on %s, %j is written as %s", async (engine, value, placeholder) => {
    expect((await bound("{{v}}", engine, { v: value })).query).toBe(placeholder);
  });

  it("writes times in UTC for engines without zones, and no booleans for SQLite", async () => {
    expect((await bound("{{v}}", "mysql", { v: instant })).params).toEqual(["2026-05-31 12:30:00.000"]);
    expect((await bound("{{v}}", "mysql", { v: local })).params).toEqual(["2026-05-31 14:30:00.000"]);
    expect((await bound("{{a}}{{b}}", "sqlite", { a: true, b: false })).params).toEqual([1, 0]);
  });
});

describe("keeps text that is not a variable", () => {
  it.each([
    ["postgres", "select '{{a}}', \"{{a}}\", $${{a}}$$, E'\\'{{a}}' -- {{a}}\n/* {{a}} /* {{a}} */ {{a}} */"],
    ["mysql", "select '\\'{{a}}', \"{{a}}\", `{{a}}` # {{a}}\n-- {{a}}"],
    ["sqlite", "select '{{a}}', [{{a}}], `{{a}}`"],
    ["duckdb", "select {'a': {'b': 1}}, { {a}}, {{a}, {{1a}}, {{a.b}}, {{}}, {{a b}}"],
    ["mongodb", `db.a.find({ a: '{{a}}', b: "\\"{{a}}", c: /[/"]{{a}}/, d: { e: {} } }) // {{a}}\n/* {{a}} */`],
    ["somethingelse", "select 1"],
  ])("on %s: %s", async (engine, content) => {
    expect(await bound(content, engine, { a: "x" })).toEqual({ query: content, params: undefined });
  });

  it("finds variables beside it", async () => {
    expect(await variablesOf("select '{{no}}' || {{a}} -- {{no}}\n, {{b}}, {{a}}", "postgres")).toEqual(["a", "b"]);
    expect(await variablesOf('db.a.find({ x: "{{no}}", y: {{a}}, r: /it\'s/, z: 6 / {{b}} / 2 })', "mongodb")).toEqual([
      "a",
      "b",
    ]);
  });
});

it("never merges a placeholder with its neighbours", async () => {
  expect((await bound("x{{a}}y", "postgres", { a: "1" })).query).toBe("x $1 y");
  expect((await bound("select {{a}}{{b}}", "duckdb", { a: "1", b: "2" })).query).toBe("select $1$2");
});

async function refusal(work: () => Promise<unknown>): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

it("names every variable without a value, inherited names too", async () => {
  const error = await refusal(() => bindVariables("{{a}} {{constructor}} {{b}} {{a}}", "duckdb", { b: 1 }));
  expect(error.kind).toBe("invalid_request");
  expect(error.message).toContain("a, constructor");
  expect(error.details).toEqual([
    { path: "variables.a", message: "Value required." },
    { path: "variables.constructor", message: "Value required." },
  ]);
});

it.each([
  ["postgres", "select $1, {{a}}"],
  ["duckdb", "select ?, {{a}}"],
  ["mysql", "select ?, {{a}}"],
  ["sqlite", "select :own, {{a}}"],
])("on %s, rejects native placeholders beside variables: %s", async (engine, content) => {
  expect((await refusal(() => bindVariables(content, engine, { a: 1 }))).kind).toBe("invalid_request");
});

it("reports an engine without parameters", async () => {
  expect((await refusal(() => bindVariables("select {{a}}", "graphql", { a: 1 }))).kind).toBe("invalid_request");
});

it("maps every position of the engine's text to the console's", async () => {
  const content = "select {{day}},\n  nam from t where x = {{a_long_name}} and y";
  const { query, toSource } = await bindVariables(content, "duckdb", { day, a_long_name: 1 });
  for (const word of ["select", "nam", "from", "where", "and y"]) {
    expect(toSource(query.indexOf(word))).toBe(content.indexOf(word));
  }
  expect(toSource(query.indexOf("CAST") + 3)).toBe(content.indexOf("{{day}}"));
  expect(toSource(query.indexOf("$2"))).toBe(content.indexOf("{{a_long"));
  expect(toSource(query.length)).toBe(content.length);
});

describe("optional clauses", () => {
  const content = "select id from t where a = {{a}} [[and b = {{b}}]][[and c = {{c}}]]\norder by nam";

  it("are left out when a variable in them has no value", async () => {
    expect(await bound(content, "postgres", { a: "x", b: "y", c: null })).toEqual({
      query: "select id from t where a = $1  and b = $2  \norder by nam",
      params: ["x", "y"],
    });
    expect((await bound(content, "mysql", { a: "x" })).params).toEqual(["x"]);
    expect((await bound(content, "sqlite", { a: "x", c: "" })).params).toEqual(["x", ""]);
  });

  it("need no values, and the other variables do", async () => {
    expect(await variablesOf(content, "duckdb")).toEqual(["a"]);
  });

  it("work in MongoDB's shell, beside nested arrays", async () => {
    const text = "db.o.find({ p: [[{{x}}, 2]] [[, s: {{s}}]] })";
    expect((await bound(text, "mongodb", { x: 1 })).query).toBe("db.o.find({ p: [[1, 2]]   })");
    expect((await bound(text, "mongodb", { x: 1, s: "a" })).query).toBe('db.o.find({ p: [[1, 2]]  , s: "a"  })');
  });

  it("end at their own brackets, next to arrays", async () => {
    const shell = "db.o.find({ p: 1 [[, tags: [{{a}}]]] })";
    expect((await bound(shell, "mongodb", { a: 1 })).query).toBe("db.o.find({ p: 1  , tags: [1]  })");
    expect((await bound(shell, "mongodb", {})).query).toBe("db.o.find({ p: 1   })");
    const sql = "select 1 [[where tags[{{i}}] = 'a' and 1 = list[{{i}}]]]";
    expect((await bound(sql, "duckdb", { i: 2 })).query).toBe("select 1  where tags[$1] = 'a' and 1 = list[$1] ");
    expect((await bound(sql, "duckdb", {})).query).toBe("select 1  ");
  });

  it.each([
    ["postgres", "select 1 where true [[ and a={{a}} [[ and b={{b}} ]] ]]"],
    ["sqlite", "select 1 [[where a={{a}} [[and b={{b}}]] and true]]"],
    ["mongodb", "db.o.find({ c: 1 [[, a: {{a}} [[, b: {{b}}]] ]] })"],
  ])("are refused inside one another by %s, at their place", async (engine, text) => {
    const { message, details } = await refusal(() => bindVariables(text, engine, { a: 1, b: 2 }));
    expect(message).toBe("An optional clause cannot contain another one. Close it with ]] before the next [[.");
    expect(details).toMatchObject({ position: text.indexOf("[[") + 1, line: 1 });
    const driver = { ...syntaxOf(engine), findSyntaxError: async () => null };
    const found = await findSyntaxError(text, driver, { workspaceId: WORKSPACE, readOnly: true });
    expect(found).toEqual({ message, offset: text.indexOf("[[") });
  });

  it("keep the positions of the text around them", async () => {
    for (const values of [{ a: 1 }, { a: 1, b: 2, c: 3 }] as Record<string, VariableValue>[]) {
      const { query, toSource } = await bindVariables(content, "duckdb", values);
      for (const word of ["select", "where", "order", "nam"]) {
        expect(toSource(query.indexOf(word))).toBe(content.indexOf(word));
      }
    }
  });

  it("hide no native placeholder of the engine", async () => {
    const text = "select 1 where true [[and a = :own and b = {{a}}]]";
    expect((await refusal(() => bindVariables(text, "sqlite", { a: 1 }))).message).toContain(":own");
  });
});

it("resolves date presets on the day of the time zone", async () => {
  const text = "select {{a}}, {{b}}";
  const values = { a: { type: "date", preset: "lastYear" }, b: { type: "date", preset: "lastYear", edge: "end" } };
  const { params } = await bindVariables(text, "duckdb", values as Record<string, VariableValue>);
  const year = new Date().getUTCFullYear() - 1;
  expect(params).toEqual([`${year}-01-01`, `${year}-12-31`]);
  const day = async (zone: string) =>
    (await bindTo("{{a}}", syntaxOf("duckdb"), { a: { type: "date", preset: "today" } }, WORKSPACE, zone)).params;
  // These zones are 25 hours apart: it is never the same day in both.
  expect(await day("Pacific/Kiritimati")).not.toEqual(await day("Pacific/Pago_Pago"));
});
