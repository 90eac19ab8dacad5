import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectionText, ShellText, toShell } from "@/lib/base/mongo-shell/write";
import { NEW_QUESTION, type Question } from "@/lib/base/questions/question";
import type { Entity } from "@/lib/base/values/fields";
import { offsetAt } from "@/lib/base/values/offset";
import { toStamp } from "@/lib/base/values/period";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, change, type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import {
  type Cell,
  COLUMNS,
  checkRows,
  NOW,
  questionRows,
  randomQuestion,
  TABLES,
} from "@/test/fixtures/query/question-shop";
import { planMongoQuestion } from "./mongo";

/** Questions of which those about one collection are asked. */
const SEEDS = 300;
const rows = questionRows();

describe("questions on MongoDB", () => {
  let subject: Subject;
  let source: QueryableSource;
  let entities: Entity[];

  beforeAll(async () => {
    subject = (await startSubject("mongodb")) as Subject;
    const writer = await subject.open(false);
    for (const table of TABLES) {
      const documents = rows[table].map((row) =>
        Object.fromEntries(
          Object.entries(row)
            // A field that is absent is null.
            .filter(([, value]) => value !== null || Number(row.id) % 2 === 0)
            .map(([name, value]) => [name, toStored(value, COLUMNS[table][name] ?? "text")]),
        ),
      );
      await change(writer, `${collectionText({ name: table })}.insertMany(${toShell(documents)})`);
    }
    await writer.close();
    source = await subject.open(true);
    entities = await source.entities(new AbortController().signal);
  });
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  const planOf = (question: Question) =>
    planMongoQuestion(question, [entities.find(({ name }) => name === question.table.name) as Entity], NOW);

  it("returns the rows that a plain evaluation returns", async () => {
    let asked = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const question = randomQuestion(seed);
      // MongoDB has neither days nor local times: in UTC they are its times.
      const hasLocal = /"(?:joined|local at)"/.test(JSON.stringify(question));
      if (question.joins.length > 0 || (hasLocal && question.timezone !== "UTC")) continue;
      asked += 1;
      const { sql, columns } = planOf(question);
      const about = `${seed}: ${JSON.stringify(question)}\n${sql}`;
      const answer = await ask(source, sql).catch((error: Error) => {
        throw new Error(`${error.message}\n${about}`);
      });
      const names = answer.rows.length === 0 ? columns.map(({ name }) => name) : answer.fields.map(({ name }) => name);
      expect(names, about).toEqual(columns.map(({ name }) => name));
      const found = answer.rows.map((row) =>
        row.map((value, at) => {
          const { role, index } = columns[at] ?? { role: "column", index: 0 };
          const isLocal = role === "group" && question.groups[index]?.grain !== undefined;
          return isLocal && value !== null ? toLocal(String(value), question.timezone) : (value as Cell);
        }),
      );
      checkRows({ question, rows, columns, found, about });
    }
    expect(asked).toBeGreaterThan(50);
  });

  it("names joins and fields that it cannot reach", () => {
    const question = { ...NEW_QUESTION, table: { name: "order" }, timezone: "UTC" };
    const joins = [{ table: { name: "customers" }, kind: "left" as const, on: [] }];
    expect(() => planOf({ ...question, joins })).toThrow("Joins are not supported on this type of connection");
    const sum = { name: "a.b", left: { number: 1 }, sign: "+" as const, right: { number: 2 } };
    expect(() => planOf({ ...question, formulas: [sum] })).toThrow("contain a dot");
  });

  it("lets the server compute a relative date", () => {
    const filters = [
      { column: { column: "placed_at" }, op: "last" as const, values: [], count: 3, unit: "day" as const },
    ];
    const question = { ...NEW_QUESTION, table: { name: "order" }, timezone: "UTC", filters };
    const entity = entities.find(({ name }) => name === "order") as Entity;
    const { sql } = planMongoQuestion({ ...question, limit: 5 }, [entity]);
    expect(sql).toContain('"date": "$$NOW"');
    // A stage has a line.
    expect(sql).toMatch(/^db\.order\.aggregate\(\[\n {2}\{"\$match": .*\},\n {2}\{"\$limit": 5\}\n\]\)$/);
  });
});

function toStored(value: Cell, type: string): unknown {
  if (value === null || !/^(?:date|time|instant)/.test(type)) return value;
  return new ShellText(`ISODate(${JSON.stringify(toIso(String(value)))})`);
}

function toIso(text: string): string {
  return text.length === 10 ? `${text}T00:00:00Z` : `${text.replace(" ", "T")}Z`;
}

function toLocal(text: string, zone: string): string {
  const at = Date.parse(text);
  return toStamp(at + offsetAt(at, zone), false);
}
