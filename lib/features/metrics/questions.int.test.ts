import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { shiftOf, toBound } from "@/lib/base/values/period";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { AppError } from "@/lib/platform/http/errors";
import { ask, change, type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import {
  answerOf,
  type Row,
  randomQuestion,
  type ShopQuestion,
  shopModel,
  shopRows,
} from "@/test/fixtures/metrics/shop-questions";
import { type Model, parseMetricFile } from "./file";
import { planQuestion } from "./plan";

const QUESTIONS = { normal: 15, long: 500 };
const BATCH = 100;
const tables = shopRows();

/** Schema of the test's tables, and the type of an instant. */
const DATABASES: Partial<Record<SubjectName, { schema: (subject: Subject) => string; instant: string }>> = {
  postgres: { schema: () => "public", instant: "timestamptz" },
  duckdb: { schema: () => "main", instant: "timestamptz" },
  mariadb: { schema: ({ config }) => String(config.database), instant: "timestamp null" },
  sqlite: { schema: () => "main", instant: "text" },
};
const TYPES = {
  customers: "id integer primary key, region varchar(20), credit integer",
  orders: "id integer primary key, customer_id integer, status varchar(20), ordered_at INSTANT, price integer",
  items: "id integer primary key, order_id integer, product varchar(20), quantity integer",
  returns: "id integer primary key, customer_id integer, day date, amount integer",
};

describe.each(Object.entries(DATABASES))("questions on %s", (name, { schema, instant }) => {
  let subject: Subject | null = null;
  let source: QueryableSource;
  let model: Model;

  beforeAll(async () => {
    subject = await startSubject(name as SubjectName);
    if (!subject) return;
    const writer = await subject.open(false);
    for (const [table, rows] of Object.entries(tables) as [keyof typeof TYPES, Row[]][]) {
      const literal = (value: Row[string], column: string) => {
        if (value === null || typeof value === "number") return String(value);
        return `'${value}${column === "ordered_at" && (name === "postgres" || name === "duckdb") ? "+00" : ""}'`;
      };
      const values = rows.map(
        (row) =>
          `(${Object.entries(row)
            .map(([column, value]) => literal(value, column))
            .join(", ")})`,
      );
      await change(
        writer,
        `create table ${table} (${TYPES[table].replace("INSTANT", instant)})`,
        `insert into ${table} values ${values.join(", ")}`,
      );
    }
    await writer.close();
    source = await subject.open(true);
    const file = parseMetricFile(shopModel(`shop.${schema(subject)}`));
    if (!("models" in file) || !file.models[0]) throw new Error(JSON.stringify(file));
    [model] = file.models as [Model];
  });
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  /** Returns the rows of a question: the values of the metrics by the dimensions. */
  async function rowsOf(question: ShopQuestion & { compare?: "previous" | "year" }) {
    const { metrics, dimensions, filters, from, to, timezone: zone, compare } = question;
    const bound = (text: string | undefined, isEnd: boolean) =>
      text === undefined ? null : toBound(text, zone, isEnd);
    const period = { from: bound(from, false), to: bound(to, true) };
    const shift = compare && period.from && period.to ? shiftOf({ from: period.from, to: period.to }, compare) : null;
    const asked = metrics.map((each) => ({ name: each, model, metric: metricOf(each) }));
    const dialect = subject?.driver.dialect ?? "standard";
    const { sql } = planQuestion(
      { metrics: asked, dimensions, filters, period, zone, shift, orderBy: [], limit: null },
      dialect,
    );
    const { rows } = await ask(source, sql).catch((error: Error) => {
      throw new Error(`${error.message}\n${sql}`);
    });
    return new Map(
      rows.map((row) => {
        const keys = row.slice(0, dimensions.length).map((value, at) => keyText(value, dimensions[at]?.grain));
        return [keys.join(" | "), row.slice(dimensions.length).map((value) => (value === null ? null : Number(value)))];
      }),
    );
  }

  function metricOf(each: string) {
    const metric = model.metrics.find((found) => found.name === each);
    if (!metric) throw new Error(each);
    return metric;
  }

  async function check(seed: number): Promise<void> {
    const question = randomQuestion(seed);
    const expected = answerOf(question, tables);
    if (expected === null) {
      await expect(rowsOf(question), JSON.stringify(question)).rejects.toThrow(/related/);
      return;
    }
    const rounded = (rows: Map<string, (number | null)[]>) =>
      Object.fromEntries(
        [...rows].map(([key, values]) => [key, values.map((value) => value && Number(value.toPrecision(9)))]),
      );
    expect(rounded(await rowsOf(question)), JSON.stringify(question)).toEqual(rounded(expected));
  }

  it("returns the rows that a plain computation returns", async ({ skip }) => {
    if (!subject) return skip();
    for (let seed = 0; seed < QUESTIONS.normal; seed += 1) await check(seed);
  });

  it.each(Array.from({ length: QUESTIONS.long / BATCH }, (_, n) => n * BATCH))(
    "returns them for the hundred questions from %i",
    { tags: ["long"] },
    async (start) => {
      for (let seed = start; subject && seed < start + BATCH; seed += 1) await check(seed);
    },
  );

  it("compares with the previous period, and with the year before", async ({ skip }) => {
    if (!subject) return skip();
    const question = { metrics: ["order_count"], dimensions: [], filters: [], timezone: "Europe/Vienna" };
    const counted = async (from: string, to: string) => (await rowsOf({ ...question, from, to })).get("")?.[0];
    const march = { ...question, from: "2026-03-01", to: "2026-03-31" };
    const counts = [await counted("2026-03-01", "2026-03-31"), await counted("2026-02-01", "2026-02-28")];
    expect((await rowsOf({ ...march, compare: "previous" })).get("")).toEqual(counts);
    expect((await rowsOf({ ...march, compare: "year" })).get("")).toEqual([counts[0], 0]);
    const week = { ...question, from: "2026-03-23", to: "2026-03-29", compare: "previous" as const };
    const days = await rowsOf({ ...week, dimensions: [{ name: "orders.ordered_at", grain: "week" }] });
    expect([...days]).toEqual([
      ["2026-03-23", [await counted("2026-03-23", "2026-03-29"), await counted("2026-03-16", "2026-03-22")]],
    ]);
  });

  it("sums only the last moment of each group where the metric says so", async ({ skip }) => {
    if (!subject) return skip();
    const rows = await rowsOf({
      metrics: ["last_prices"],
      dimensions: [{ name: "customers.region" }],
      filters: [],
      timezone: "UTC",
    });
    const last = new Map<string, Row>();
    for (const order of tables.orders) {
      const region = String(tables.customers.find(({ id }) => id === order.customer_id)?.region ?? null);
      if (String(order.ordered_at) > String(last.get(region)?.ordered_at ?? "")) last.set(region, order);
    }
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries([...last].map(([region, { price }]) => [region, [price]])),
    );
  });

  it("refuses what only relates many-to-many, in words", async ({ skip }) => {
    if (!subject) return skip();
    const question = { metrics: ["returned"], dimensions: [{ name: "orders.status" }], filters: [], timezone: "UTC" };
    await expect(rowsOf(question)).rejects.toThrow(AppError);
    await expect(rowsOf(question)).rejects.toThrow("many-to-many");
  });
});

function keyText(value: WireValue, grain: string | undefined): string {
  const text = String(value);
  return grain === "hour" ? text.slice(0, 19).replace("T", " ") : text;
}
