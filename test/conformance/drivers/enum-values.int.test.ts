import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SqlScript } from "../../../lib/base/sql/statements";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { offerValues } from "../../../lib/features/query/browser/sql-completion";
import { change, type Subject, startSubject } from "./subjects";

const ENUM = "enum ('new', 'paid', 'can''t')";
const SEED = {
  postgres: [`create type state as ${ENUM}`, "create table orders (id int primary key, status state)"],
  mariadb: [`create table orders (id int primary key, status ${ENUM})`],
  duckdb: [`create type state as ${ENUM}`, "create table orders (id int primary key, status state)"],
} as const;

describe.each(Object.keys(SEED) as (keyof typeof SEED)[])("%s", (name) => {
  let subject: Subject | null = null;
  let source: QueryableSource;
  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    source = await subject.open(false);
    await change(source, ...SEED[name]);
  }, 120_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  it("lists the values of an enum for completion", async (context) => {
    if (!subject) return context.skip();
    const entities = await source.entities(new AbortController().signal);
    const text = "select * from orders where status = '";
    const script = SqlScript.of(text, subject.driver.dialect ?? "standard");
    const offered = offerValues(script, text.length, entities)?.offers ?? [];
    expect(offered.map(({ label }) => label)).toEqual(["new", "paid", "can't"]);
  });
});
