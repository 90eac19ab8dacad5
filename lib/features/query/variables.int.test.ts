import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import type { VariableValue } from "@/lib/features/query/schema";
import {
  type Answer,
  ask,
  change,
  type Subject,
  type SubjectName,
  startSubject,
} from "@/test/conformance/drivers/subjects";
import { bindVariables } from "./variables";

const WORKSPACE = new ObjectId();
const HOSTILE = `it's "x"; drop table people; -- \\' $1 ? {{n}} \u2028`;
const day: VariableValue = { type: "date", value: "2026-05-31" };

/** A date column, and the results for a whole day and for true. */
const DIALECTS: Record<
  Exclude<SubjectName, "mongodb">,
  { born: string; yes: unknown; fraction: unknown; isStrict?: true }
> = {
  postgres: { born: "date", yes: true, fraction: "2.5" },
  mariadb: { born: "date", yes: 1, fraction: 2.5 },
  sqlite: { born: "text", yes: 1, fraction: 2.5 },
  duckdb: { born: "date", yes: true, fraction: 2.5 },
  // No keys, and a text is not a date.
  trino: { born: "date", yes: true, fraction: 2.5, isStrict: true },
};

describe.each(Object.keys(DIALECTS) as (keyof typeof DIALECTS)[])("on %s, a variable", (name) => {
  const dialect = DIALECTS[name];
  let subject: Subject | null = null;
  let source: QueryableSource;
  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    const writer = await subject.open(false);
    const key = dialect.isStrict ? "" : " primary key";
    const date = dialect.isStrict ? "date " : "";
    await change(writer, `create table people (id int${key}, name varchar(80), born ${dialect.born})`);
    await change(
      writer,
      `insert into people values (1, 'Ada', ${date}'2026-05-31'), (2, 'Grace', ${date}'2026-06-01')`,
    );
    await writer.close();
    source = await subject.open(true);
  }, 120_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  async function run(content: string, values: Record<string, VariableValue>): Promise<Answer["rows"]> {
    const { query, params } = await bindVariables(content, (subject as Subject).driver, values, WORKSPACE);
    return (await ask(source, query, params && { params })).rows;
  }

  test("is returned unchanged, however hostile", async ({ skip }) => {
    if (!subject) skip();
    const [row] = await run("select {{t}} as t, {{n}} + 1 as n, {{f}} as f, {{b}} as b, {{z}} as z, '{{t}}' as s", {
      t: HOSTILE,
      n: 41,
      f: 2.5,
      b: true,
      z: null,
    });
    expect(row).toEqual([HOSTILE, 42, dialect.fraction, dialect.yes, null, "{{t}}"]);
  });

  test("replaces a literal anywhere: beside columns, in a function, in LIMIT, repeatedly", async ({ skip }) => {
    if (!subject) skip();
    const content =
      "select substr(name, {{from}}, {{from}}) from people where id >= {{one}} and name <> {{none}} and born <= {{day}} order by id limit {{one}}";
    expect(await run(content, { from: 2, one: 1, none: "x", day })).toEqual([["da"]]);
    expect(await run("select id from people where born = {{day}}", { day })).toEqual([[1]]);
    expect(await run("select id from people where name = {{ name }}", { name: "Ada' or '1'='1" })).toEqual([]);
  });
});

describe("on mongodb, a variable", () => {
  let subject: Subject | null = null;
  let source: QueryableSource;
  beforeAll(async () => {
    subject = await startSubject("mongodb");
    if (!subject) throw new Error("The embedded store is always there.");
    const writer = await subject.open(false);
    const born = { $date: "2026-05-31T12:30:00.000Z" };
    await change(writer, {
      collection: "people",
      operation: "insertMany",
      documents: [
        { _id: 1, name: HOSTILE, born },
        { _id: 2, name: "Grace", born: null },
      ],
    });
    await writer.close();
    source = await subject.open(true);
  }, 60_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  test("is a value in shell text and never a part of it", async () => {
    const find = async (filter: string, values: Record<string, VariableValue>) => {
      const text = `db.people.find(${filter}, { _id: 1 }) // {{no}}`;
      const { query } = await bindVariables(text, (subject as Subject).driver, values, WORKSPACE);
      return (await ask(source, query)).rows.flat();
    };
    expect(await find("{ name: {{name}} }", { name: HOSTILE })).toEqual([1]);
    expect(await find("{ name: {{name}} }", { name: '" }), db.people.drop() //' })).toEqual([]);
    expect(await find("{ _id: { $in: [{{a}}, {{b}}] }, name: { $ne: '{{a}}' } }", { a: 2, b: 7.5 })).toEqual([2]);
    expect(await find("{ born: {{z}} }", { z: null })).toEqual([2]);
    const at: VariableValue = { type: "date", value: "2026-05-31T14:30:00+02:00" };
    expect(await find("{ born: {{at}} }", { at })).toEqual([1]);
    expect(await find("{ born: { $gte: {{day}} } }", { day })).toEqual([1]);
  });
});

test("C2 binds a workspace's long text while another workspace sends 200", async () => {
  const { duckdb } = await import("@/lib/features/connections/drivers/duckdb");
  const text = `select {{a}} /*${"x".repeat(20_000)}*/`;
  const crowd = new ObjectId();
  const sent = Promise.allSettled(Array.from({ length: 200 }, () => bindVariables(text, duckdb, { a: 1 }, crowd)));
  const { params } = await bindVariables(text, duckdb, { a: 1 }, new ObjectId());
  expect(params).toEqual([1]);
  const refused = (await sent).flatMap((each) => (each.status === "rejected" ? [each.reason.kind] : []));
  expect(new Set(refused)).toEqual(new Set(["unavailable"]));
});
