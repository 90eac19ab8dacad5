import { describe, expect, it } from "vitest";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { BadExpression, parseExpression } from "./expression";
import { parseMetricFile, parseSource } from "./file";

/** Returns the problems of a text, as "line path: message". */
function problemsOf(text: string): string[] {
  const file = parseMetricFile(text);
  return "problems" in file ? file.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`) : [];
}

/** A model with two related datasets; `more` are further lines of the model. */
const related = (more = "") => `version: 0.1.1
semantic_model:
  - name: sales
    datasets:
      - name: orders
        source: shop.main.orders
        fields:
          - { name: status, expression: { dialects: [{ dialect: ANSI_SQL, expression: status }] } }
      - name: customers
        source: shop.main.customers
        fields:
          - { name: status, expression: { dialects: [{ dialect: ANSI_SQL, expression: state }] } }
${more}`;
const metric = (name: string, expression: string) =>
  `      - { name: ${name}, expression: { dialects: [{ dialect: ANSI_SQL, expression: ${JSON.stringify(expression)} }] } }\n`;
const relationship = (from: string, to: string) =>
  `      - { name: ${from}_${to}, from: ${from}, to: ${to}, from_columns: [a], to_columns: [b] }\n`;

describe("metric files", () => {
  it("returns the models of a valid file", () => {
    const file = parseMetricFile(
      related(`    metrics:\n${metric("n", "SUM(orders.price) / COUNT(DISTINCT customers.id)")}`),
    );
    expect(file).toMatchObject({ models: [{ name: "sales", metrics: [{ name: "n" }] }] });
  });

  it("names path and line of each problem", () => {
    expect(problemsOf("a: [")).toEqual([expect.stringMatching(/^1 : Invalid YAML: /)]);
    expect(problemsOf("- a")).toEqual(["1 : Use the keys version and semantic_model."]);
    expect(problemsOf(modelText().replace("source:", "table:"))).toEqual([
      "6 semantic_model.0.datasets.0.source: Required.",
      "7 semantic_model.0.datasets.0.table: “table” is unknown.",
    ]);
    expect(problemsOf(modelText({ expression: "SUM(amount" }))).toEqual([
      "20 semantic_model.0.metrics.0.expression.dialects.0.expression: The expression is incomplete. (character 11)",
    ]);
    expect(problemsOf(modelText().replace("Sample shop.main.orders", "select 1"))).toEqual([
      "7 semantic_model.0.datasets.0.source: Use <connection>.<schema>.<table>. Queries are not supported.",
    ]);
  });

  it("refuses two metrics of one name", () => {
    expect(problemsOf(related(`    metrics:\n${metric("n", "COUNT(*)")}${metric("N", "COUNT(*)")}`))).toEqual([
      "15 semantic_model.0.metrics.1.name: Two metrics are named “N”. Rename one.",
    ]);
  });

  it("refuses a cycle of relationships, and one dataset related to itself", () => {
    const circle = `    relationships:\n${relationship("orders", "customers")}${relationship("customers", "orders")}`;
    expect(problemsOf(related(circle))).toEqual([
      "14 semantic_model.0.relationships.0: Relationships must not form a cycle: orders → customers → orders. Define a second dataset on the table.",
    ]);
    expect(problemsOf(related(`    relationships:\n${relationship("orders", "orders")}`))).toHaveLength(1);
  });

  it("refuses references that mean nothing, or several things", () => {
    const of = (expression: string) => problemsOf(related(`    metrics:\n${metric("n", expression)}`));
    expect(of("SUM(nothing.price)")).toEqual([expect.stringContaining("Unknown dataset “nothing”.")]);
    expect(of("SUM(status)")).toEqual([expect.stringContaining("Use orders.status or customers.status.")]);
    expect(of("SUM(price)")).toEqual([expect.stringContaining("Unknown field “price”. Use dataset.field.")]);
    expect(of("orders.price + 1")).toEqual([expect.stringContaining("is not aggregated")]);
    expect(of("n + 1")).toEqual([expect.stringContaining("in a circle")]);
  });

  it("refuses aggregates and other datasets in fields", () => {
    const of = (expression: string) =>
      problemsOf(related().replace("expression: state", `expression: "${expression}"`));
    expect(of("SUM(state)")).toEqual([expect.stringContaining("Fields must not contain aggregates.")]);
    expect(of("orders.status")).toEqual([expect.stringContaining("not “orders”")]);
  });

  it("refuses a key that a map has twice, also as a number and its text", () => {
    expect(problemsOf("version: 0.1.1\nsemantic_model: []\nversion: 0.1.1\n")).toEqual([
      "3 : Invalid YAML: Map keys must be unique",
    ]);
    expect(problemsOf('version: { 1: a, "1": b }\n')).toEqual(["1 : Invalid YAML: Map keys must be unique"]);
  });

  it("refuses aliases, endless nesting, large files and many metrics that build on each other", () => {
    expect(problemsOf("a: &a [1]\nb: *a")).toEqual([expect.stringContaining("anchors and aliases")]);
    const bomb = Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(n > 0 ? 9 : 0)}]`);
    expect(problemsOf(bomb.join("\n"))).toHaveLength(1);
    expect(problemsOf(`a: ${"[".repeat(60_000)}`)).toHaveLength(1);
    expect(problemsOf(`a: "${"x".repeat(70_000)}"`)).toEqual([expect.stringContaining("limited to 64 KiB")]);
    const doubled = Array.from({ length: 200 }, (_, n) => metric(`m${n + 1}`, `m${n} + m${n}`)).join("");
    expect(problemsOf(related(`    metrics:\n${metric("m0", "COUNT(orders.id)")}${doubled}`))).toEqual([]);
  });
});

describe("sources", () => {
  it.each([
    ["shop.main.orders", "shop", "main", "orders"],
    ["Sample shop.main.orders", "Sample shop", "main", "orders"],
    ["prod.eu.public.orders", "prod.eu", "public", "orders"],
    ['"a.b"."c""d"."e.f"', "a.b", 'c"d', "e.f"],
  ])("reads %s", (text, connection, schema, table) => {
    expect(parseSource(text)).toEqual({ connection, schema, table });
  });

  it.each(["orders", "main.orders", "a..b", ".a.b", 'a."b.c', "select * from a.b.c; drop table d", "a.b.c\n"])(
    "refuses %j",
    (text) => expect(parseSource(text)).toBeNull(),
  );
});

describe("expressions", () => {
  it.each([
    "1) FROM users --",
    "a; DROP TABLE b",
    "a /* b */",
    "a -- b",
    "(SELECT 1)",
    "SUM((SELECT a FROM b))",
    "a)",
    "(a",
    "'a",
    '"a',
    "a $$ b",
    "$1",
    "?",
    "{{a}}",
    "a.b.c",
    "pg_read_file('a')",
    "load_extension('a')",
    "SUM(a) OVER ()",
    "a IN (SELECT b FROM c)",
    "a COLLATE b",
    "'a\0b'",
    "SUM(COUNT(a))",
    "DATE '2026-13-45'",
    "CAST(a AS regclass)",
    "a::regclass",
    "a \\ b",
    "constructor(a)",
    "",
    "(".repeat(5_000),
    `${"- ".repeat(5_000)}1`,
    "a + ".repeat(3_000),
  ])("refuses %j", (text) => expect(() => parseExpression(text)).toThrow(BadExpression));

  it("reads operators in the order of SQL", () => {
    const a = { kind: "reference", dataset: null, name: { text: "a", isQuoted: false } };
    expect(parseExpression("1 + 2 * 3")).toMatchObject({ op: "+", right: { op: "*" } });
    expect(parseExpression("NOT a = 1 AND a IS NOT NULL OR a BETWEEN 1 AND 2")).toMatchObject({
      op: "or",
      left: { op: "and", left: { op: "not", value: { op: "=", left: a } }, right: { kind: "isNull", isNegated: true } },
      right: { kind: "between" },
    });
    expect(parseExpression("CASE a WHEN 1 THEN 'it''s' END")).toMatchObject({
      branches: [{ condition: { op: "=", left: a }, result: { kind: "text", text: "it's" } }],
    });
    expect(parseExpression('"x y"."z" :: double precision')).toMatchObject({ kind: "cast", type: "float" });
  });
});
