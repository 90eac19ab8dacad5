import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drillInto } from "@/lib/base/questions/drill";
import { NEW_QUESTION, type Question, type QuestionFilter, type QuestionValue } from "@/lib/base/questions/question";
import { columnFinder, instantsOf, tablesOf } from "@/lib/base/questions/tables";
import { quoteSqlName, toSqlText } from "@/lib/base/sql/names";
import type { Entity } from "@/lib/base/values/fields";
import type { CellValue } from "@/lib/base/values/json-rows";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, change, type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import {
  type Cell,
  COLUMNS,
  checkRows,
  NOW,
  questionRows,
  randomQuestion,
  TABLES,
} from "@/test/fixtures/query/question-shop";
import { planQuestion } from "./plan";

const QUESTIONS = { normal: 40, long: 300 };
const BATCH = 65;
/** Groups of a question whose rows are found. */
const GROUPS = 3;
const rows = questionRows();

const TYPES = { integer: "integer", decimal: "decimal(12, 2)", text: "varchar(40)", boolean: "boolean", date: "date" };
/** Types of a local time and of an instant. */
const TIMES: Partial<Record<SubjectName, { time: string; instant: string }>> = {
  postgres: { time: "timestamp", instant: "timestamptz" },
  duckdb: { time: "timestamp", instant: "timestamptz" },
  mariadb: { time: "datetime", instant: "timestamp null" },
  sqlite: { time: "timestamp", instant: "timestamptz" },
};

describe.each(Object.entries(TIMES))("questions on %s", (subjectName, times) => {
  /** Of lesser tests: other databases are in every run. */
  const lesser = ["mariadb", "sqlite"].includes(subjectName) ? ["long"] : [];
  let subject: Subject | null = null;
  let source: QueryableSource;
  let entities: Entity[];

  beforeAll(async () => {
    subject = await startSubject(subjectName as SubjectName);
    if (!subject) return;
    const { dialect = "standard" } = subject.driver;
    const quote = (name: string) => quoteSqlName(name, dialect);
    const writer = await subject.open(false);
    for (const table of TABLES) {
      const columns = Object.entries(COLUMNS[table]).map(([name, type]) => {
        const plain = type.replace("!", "") as keyof typeof TYPES | keyof typeof times;
        const key = name === "id" ? " primary key" : type.endsWith("!") ? " not null" : "";
        return `${quote(name)} ${{ ...TYPES, ...times }[plain]}${key}`;
      });
      const literal = (value: Cell, column: string) => {
        if (value === null || typeof value === "number") return String(value);
        if (typeof value === "boolean") return String(Number(value) === 1 ? "1 = 1" : "1 = 0");
        const isZoned = column === "placed_at" && (dialect === "postgres" || dialect === "duckdb");
        return toSqlText(`${value}${isZoned ? "+00" : ""}`, dialect);
      };
      const values = rows[table].map(
        (row) =>
          `(${Object.entries(row)
            .map(([column, value]) => literal(value, column))
            .join(", ")})`,
      );
      await change(
        writer,
        `create table ${quote(table)} (${columns.join(", ")})`,
        `insert into ${quote(table)} values ${values.join(", ")}`,
      );
    }
    await writer.close();
    source = await subject.open(true);
    entities = await source.entities(new AbortController().signal);
  });
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  const entitiesOf = (question: Question) =>
    [question.table, ...question.joins.map(({ table }) => table)].map(({ name }) => {
      const entity = entities.find((each) => each.name === name);
      if (!entity) throw new Error(name);
      return entity;
    });

  function planOf(question: Question, keysRepeat: boolean) {
    const tables = entitiesOf(question);
    const { dialect = "standard", values } = subject?.driver ?? {};
    const engine = { dialect, nullsLast: values?.nullsLast ?? null, keysRepeat, now: NOW };
    return planQuestion(question, tables, engine);
  }

  /** @param keysRepeat whether the statement trusts no primary key */
  async function check(seed: number, keysRepeat = false): Promise<void> {
    const question = randomQuestion(seed);
    const { sql, columns } = planOf(question, keysRepeat);
    const about = `${seed}: ${JSON.stringify(question)}\n${sql}`;
    const answer = await ask(source, sql).catch((error: Error) => {
      throw new Error(`${error.message}\n${about}`);
    });
    expect(
      answer.fields.map(({ name }) => name),
      about,
    ).toEqual(columns.map(({ name }) => name));
    checkRows({ question, rows, columns, found: answer.rows as Cell[][], about });
  }

  it("returns the rows that a plain evaluation returns", async ({ skip }) => {
    if (!subject) return skip();
    for (let seed = 0; seed < QUESTIONS.normal; seed += 1) await check(seed);
  });

  it("finds as many rows behind a group as it counts", { tags: lesser }, async ({ skip }) => {
    if (!subject) return skip();
    const { dialect = "standard" } = subject.driver;
    let found = 0;
    for (let seed = 0; seed < QUESTIONS.normal; seed += 1) {
      const question = randomQuestion(seed);
      if (question.groups.length === 0) continue;
      const { sql, columns } = planOf(question, false);
      const at = columns.findIndex(({ index, role }) => role === "summary" && index === question.summaries.length - 1);
      const finder = columnFinder(question, tablesOf(question, entitiesOf(question)), instantsOf(dialect));
      for (const row of (await ask(source, sql)).rows.slice(0, GROUPS)) {
        const marks = question.groups.map((_, group) => ({ group, value: row[group] as CellValue }));
        const { rows: behind } = drillInto(question, marks, finder);
        // Clocks show some minutes twice.
        if (behind === null) continue;
        const { limit: _, ...rest } = behind;
        const counted = planOf({ ...rest, summaries: [{ function: "count" }] }, false).sql;
        const about = `${seed}: ${JSON.stringify(behind.filters)}\n${sql}\n${counted}`;
        expect(Number((await ask(source, counted)).rows[0]?.[0]), about).toBe(Number(row[at]));
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(QUESTIONS.normal / 2);
  });

  it("returns the same rows where no primary key is trusted", { tags: lesser }, async ({ skip }) => {
    if (!subject) return skip();
    let refused = 0;
    for (let seed = 0; seed < QUESTIONS.normal; seed += 1) {
      await check(seed, true).catch((error: Error) => {
        if (!error.message.includes("can match several")) throw error;
        refused += 1;
      });
    }
    expect(refused).toBeLessThan(QUESTIONS.normal / 4);
  });

  it("compares floats of four bytes with their digits, and with numbers that they cannot have", async ({ skip }) => {
    if (!subject || subjectName !== "postgres") return skip();
    const writer = await subject.open(false);
    await change(writer, "create table small (r real)", "insert into small values (0.1), (0.7), (1e30)");
    await writer.close();
    const fresh = await subject.open(true);
    entities = [...entities, ...(await fresh.entities(new AbortController().signal))];
    const count = async (op: QuestionFilter["op"], value: QuestionValue) => {
      const filters = [{ column: { column: "r" }, op, values: [value] }];
      const asked = { ...NEW_QUESTION, table: { name: "small" }, timezone: "UTC", filters };
      return (await ask(fresh, planOf({ ...asked, summaries: [{ function: "count" }] }, false).sql)).rows[0]?.[0];
    };
    expect([await count("eq", 0.7), await count("gte", "0.7"), await count("lt", "1e60")]).toEqual([1, 2, 3]);
    expect([await count("gt", "1e-60"), await count("eq", "0.70000001")]).toEqual([3, 1]);
    await fresh.close();
  });

  it("keeps the digits of numbers, and compares them before it rounds", async ({ skip }) => {
    if (!subject) return skip();
    const isWide = subjectName !== "sqlite";
    const writer = await subject.open(false);
    const [low, high] = isWide ? ["1234567890123456789012345.55", "1234567890123456789012345.56"] : ["1.5", "2.5"];
    await change(
      writer,
      "create table wide (id bigint primary key, amount decimal(38, 2))",
      `insert into wide values (9007199254740992, ${low}), (9007199254740993, ${high})`,
      "create index by_amount on wide (amount)",
    );
    await writer.close();
    const fresh = await subject.open(true);
    entities = await fresh.entities(new AbortController().signal);
    const answers = async (more: Partial<Question>) => {
      const question = { ...NEW_QUESTION, table: { name: "wide" }, timezone: "UTC", ...more };
      return (await ask(fresh, planOf(question, false).sql)).rows.map((row) => row.map(String));
    };
    const filter = (column: string, op: QuestionFilter["op"], value: QuestionValue) => ({
      filters: [{ column: { column }, op, values: [value] }],
      columns: [{ column: "id" }],
    });
    const max = (column: string, value: QuestionValue) =>
      answers({
        ...filter(column, "lte", value),
        ...{ columns: [], summaries: [{ function: "max", column: { column } }] },
      });
    expect(await answers(filter("id", "eq", "9007199254740993"))).toEqual([["9007199254740993"]]);
    expect(await answers(filter("id", "eq", "9007199254740993e0"))).toEqual([["9007199254740993"]]);
    expect(await answers(filter("amount", "eq", high))).toEqual([["9007199254740993"]]);
    expect(await max("id", "9007199254740992.5")).toEqual([["9007199254740992"]]);
    expect(await max("amount", `${low}9`)).toEqual([[low]]);
    const sum = {
      name: "s",
      left: { column: { column: "id" } },
      sign: "+" as const,
      right: { number: "9007199254740993" },
    };
    expect(await answers({ formulas: [sum], columns: [{ column: "s" }], sorts: [{ by: "s", order: "asc" }] })).toEqual([
      ["18014398509481985"],
      ["18014398509481986"],
    ]);
    await fresh.close();
  });

  it.each(Array.from({ length: (QUESTIONS.long - QUESTIONS.normal) / BATCH }, (_, n) => QUESTIONS.normal + n * BATCH))(
    "returns them for the questions from %i",
    { tags: ["long"] },
    async (start) => {
      for (let seed = start; subject && seed < start + BATCH; seed += 1) await check(seed);
    },
  );
});
