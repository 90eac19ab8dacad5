import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drillInto } from "@/lib/base/questions/drill";
import { grainsOf, toQuestionKind } from "@/lib/base/questions/kinds";
import { NEW_QUESTION, type Question, type QuestionGroup } from "@/lib/base/questions/question";
import { columnFinder, instantsOf, tablesOf } from "@/lib/base/questions/tables";
import type { Entity } from "@/lib/base/values/fields";
import type { CellValue } from "@/lib/base/values/json-rows";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, change, type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import { randomOf } from "@/test/random";
import { planQuestion } from "./plan";

/*
 * The rows behind a group are those that it counts, for values of every type: a property over random values of
 * each type.
 */

const ROWS = 150;
/** Columns whose values no filter names: of JSON and lists, of bytes, of intervals, and floats that are shown rounded. */
const WITHOUT_DRILL = ["json_", "list_", "struct_", "bytes_", "span_", "bit_", "real_"];
/** Groups of a question whose rows are counted again. */
const GROUPS = 5;
/** Zones with a change of an hour, and of half an hour. */
const ZONES = { normal: ["America/New_York", "Australia/Lord_Howe"], long: ["UTC", "Europe/Berlin", "Asia/Kathmandu"] };

const TEXTS = [
  "a",
  "A",
  "a ",
  " a",
  "ä",
  "Ä",
  "a\u0301",
  "á",
  "",
  " ",
  "ß",
  "ss",
  "it's",
  "c\\d",
  "50%_",
  "true",
  "1",
  "null",
];
const NUMBERS = [
  "0",
  "1",
  "-1",
  "0.1",
  "0.30000000000000004",
  "12.5",
  "-0.0000000001",
  "1234567890123456789.0123456789",
];
const BIG = ["0", "9007199254740992", "9007199254740993", "-9223372036854770000", "9223372036854775807"];
const DOUBLES = ["0", "0.1", "0.3", "1e-7", "1e21", "123456.789", "-0.1", "1.7976931348623157e308", "5e-324"];
const UUIDS = [
  "6f1c2b1e-0000-4000-8000-000000000001",
  "6F1C2B1E-0000-4000-8000-000000000001",
  "6f1c2b1e-0000-4000-8000-00000000000a",
];
const JSONS = ['{"a": 1}', '{"a":1}', '{"b":2,"a":1}', "[1, 2]", '"x"', "null", "1"];
const DAYS = [
  "1999-12-31",
  "2024-02-29",
  "2025-12-29",
  "2026-01-01",
  "2026-03-29",
  "2026-03-30",
  "2026-10-25",
  "9999-12-31",
];
/** Moments around changes of the clocks, in UTC. */
const CHANGES = [
  "2026-03-29 01:00",
  "2026-10-25 01:00",
  "2026-03-08 07:00",
  "2026-11-01 06:00",
  "2026-04-04 15:00",
  "2026-10-03 15:30",
];

/** SQL types and literals by name of a column; null for a type that a database lacks. */
type Types = Record<string, [type: string, values: readonly string[]]>;
const quote = (values: readonly string[]) => values.map((value) => `'${value.replaceAll("'", "''")}'`);
const BOOLEANS = ["true", "false"];

const random = randomOf(7);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
/** Returns times up to three hours around a change of the clocks. */
const times = Array.from({ length: 60 }, () => {
  const at = Date.parse(`${pick(CHANGES).replace(" ", "T")}Z`) + Math.floor((random() - 0.5) * 6 * 3600) * 1000;
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
});
/** Times of other seconds, with parts of a second. */
const fractions = (parts: string[]) =>
  times.slice(0, 12).map((time, n) => `${time.slice(0, -2)}59.${parts[n % parts.length]}`);
const allTimes = [
  ...times.map((time) => `${time.slice(0, -2)}00`),
  ...fractions(["5", "123", "123456", "000001", "999999"]),
];
const millis = [...times.map((time) => `${time.slice(0, -2)}00`), ...fractions(["5", "123", "999"])];

const SUBJECTS: Partial<Record<SubjectName, Types>> = {
  postgres: {
    text: ["text", quote(TEXTS)],
    char: ["char(5)", quote(["a", "A", "a ", "b"])],
    name: ["varchar(20)", quote(TEXTS)],
    numeric: ["numeric(38, 10)", NUMBERS],
    free: ["numeric", [...NUMBERS, "'NaN'"]],
    big: ["bigint", BIG],
    double: ["double precision", [...DOUBLES, "'NaN'", "'Infinity'"]],
    real: ["real", ["0.1", "0.3", "16777217", "1e-7", "3.4e38"]],
    bool: ["boolean", BOOLEANS],
    uuid: ["uuid", quote(UUIDS)],
    json: ["jsonb", quote(JSONS)],
    list: ["integer[]", ["'{1,2}'", "'{}'", "'{null}'"]],
    bytes: ["bytea", ["'\\x00ff'", "'\\x'"]],
    money: ["money", ["'1.50'", "'-2'"]],
    span: ["interval", ["'1 day'", "'24 hours'", "'1 month'"]],
    clock: ["time", ["'10:00'", "'10:00:00.5'"]],
    address: ["inet", ["'10.0.0.1'", "'10.0.0.1/8'"]],
    day: ["date", quote(DAYS)],
    local: ["timestamp", quote(allTimes)],
    moment: ["timestamptz", quote(allTimes).map((each) => each.replace(/'$/, "+00'"))],
  },
  duckdb: {
    text: ["varchar", quote(TEXTS)],
    numeric: ["decimal(38, 10)", NUMBERS],
    big: ["bigint", BIG],
    huge: ["hugeint", ["0", "12345678901234567890123456"]],
    double: ["double", [...DOUBLES, "'NaN'", "'Infinity'"]],
    real: ["float", ["0.1", "0.3", "16777217", "1e-7"]],
    bool: ["boolean", BOOLEANS],
    uuid: ["uuid", quote(UUIDS)],
    json: ["json", quote(JSONS)],
    list: ["integer[]", ["[1, 2]", "[]", "[null]"]],
    struct: ["struct(a integer)", ["{'a': 1}", "{'a': null}"]],
    bytes: ["blob", ["'\\x00\\xFF'::blob", "''::blob"]],
    span: ["interval", ["interval 1 day", "interval 24 hour"]],
    clock: ["time", ["'10:00'", "'10:00:00.5'"]],
    kind: ["enum('a', 'A', 'a ')", ["'a'", "'A'", "'a '"]],
    day: ["date", quote(DAYS)],
    local: ["timestamp", quote(allTimes)],
    moment: ["timestamptz", quote(allTimes).map((each) => each.replace(/'$/, "+00'"))],
  },
  mariadb: {
    text: ["varchar(20)", quote(TEXTS).map((each) => each.replaceAll("\\", "\\\\"))],
    exact: [
      "varchar(20) character set utf8mb4 collate utf8mb4_bin",
      quote(TEXTS.filter((each) => !each.includes("\\"))),
    ],
    numeric: ["decimal(38, 10)", NUMBERS],
    big: ["bigint", BIG],
    whole: ["bigint unsigned", ["0", "18446744073709551615"]],
    double: ["double", DOUBLES.filter((each) => each !== "5e-324")],
    real: ["float", ["0.1", "0.3", "16777217", "1e-7"]],
    bool: ["boolean", BOOLEANS],
    bit: ["bit(4)", ["b'0'", "b'1010'"]],
    uuid: ["uuid", quote(UUIDS)],
    json: ["json", quote(JSONS)],
    bytes: ["varbinary(4)", ["x'00ff'", "x''"]],
    clock: ["time", ["'10:00'", "'-10:00'"]],
    annum: ["year", ["1999", "2026"]],
    kind: ["enum('a', 'B', 'c')", ["'a'", "'B'"]],
    day: ["date", quote(DAYS)],
    local: ["datetime(6)", quote(allTimes)],
    moment: ["timestamp(6) null", quote(allTimes)],
  },
  sqlite: {
    text: ["text", quote(TEXTS)],
    folded: ["text collate nocase", quote(TEXTS)],
    trimmed: ["text collate rtrim", quote(TEXTS)],
    numeric: ["numeric", NUMBERS.slice(0, -1)],
    big: ["integer", BIG],
    double: ["real", DOUBLES],
    mixed: ["numeric", ["1", "1.0", "'1'", "-2.5"]],
    bool: ["boolean", BOOLEANS],
    uuid: ["text", quote(UUIDS)],
    bytes: ["blob", ["x'00ff'", "x''", "'text'"]],
    day: ["date", quote(DAYS)],
    local: ["timestamp", quote(millis)],
    moment: ["timestamptz", quote(millis)],
  },
};

describe.each(Object.entries(SUBJECTS))("the rows behind a group on %s", (subjectName, types) => {
  let subject: Subject | null = null;
  let source: QueryableSource;
  let entity: Entity;

  beforeAll(async () => {
    subject = await startSubject(subjectName as SubjectName);
    if (!subject) return;
    const writer = await subject.open(false);
    const names = Object.keys(types);
    const columns = names.map((name) => `${name}_ ${types[name]?.[0]}`);
    const rows = Array.from({ length: ROWS }, () =>
      names.map((name) => (random() < 0.1 ? "null" : pick(types[name]?.[1] ?? []))),
    );
    await change(
      writer,
      `create table kinds (${columns.join(", ")})`,
      `insert into kinds values ${rows.map((row) => `(${row.join(", ")})`).join(", ")}`,
    );
    await writer.close();
    source = await subject.open(true);
    const entities = await source.entities(new AbortController().signal);
    entity = entities.find(({ name }) => name === "kinds") as Entity;
  });
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  const questionOf = (groups: QuestionGroup[], timezone: string): Question => ({
    ...NEW_QUESTION,
    ...{ table: { name: "kinds" }, groups, summaries: [{ function: "count" }], timezone },
  });

  async function rowsOf(question: Question): Promise<CellValue[][]> {
    const { dialect = "standard", values } = subject?.driver ?? {};
    const engine = { dialect, nullsLast: values?.nullsLast ?? null, keysRepeat: false };
    const { sql } = planQuestion(question, [entity], engine);
    const answer = await ask(source, sql).catch((error: Error) => {
      throw new Error(`${error.message}\n${sql}`);
    });
    return answer.rows as CellValue[][];
  }

  /** Returns the drills into a question's groups that find other rows, and the number of groups with a drill. */
  async function check(question: Question): Promise<{ faults: string[]; named: number }> {
    const { dialect = "standard" } = subject?.driver ?? {};
    const finder = columnFinder(question, tablesOf(question, [entity]), instantsOf(dialect));
    const faults: string[] = [];
    let named = 0;
    const { column, grain, bin } = question.groups[0] as QuestionGroup;
    const found = await rowsOf(question);
    const every = Math.ceil(found.length / GROUPS);
    for (const row of found.filter((_, at) => at % every === 0)) {
      const [value = null, count] = row;
      const about = `${column.column} ${grain ?? bin ?? ""} ${question.timezone} ${JSON.stringify(value)}`;
      const { rows: behind, finer } = drillInto(question, [{ group: 0, value }], finder);
      if (behind === null) continue;
      named += 1;
      const counts = async (of: Question) =>
        (await rowsOf(of).catch((error: Error) => [[null, error.message]])).map((each) => each.at(-1) ?? null);
      const { limit: _, ...rest } = behind;
      const [counted] = await counts({ ...rest, summaries: [{ function: "count" }] });
      const filters = JSON.stringify(behind.filters.map(({ op, values }) => [op, values]));
      if (Number(counted) !== Number(count)) faults.push(`${about}: ${counted} of ${count} by ${filters}`);
      for (const { grain: zoomed, question: next } of finer) {
        const sum = (await counts(next)).reduce<number>((total, each) => total + Number(each), 0);
        if (sum !== Number(count)) faults.push(`${about}: ${sum} of ${count} by ${zoomed}`);
      }
    }
    return { faults, named };
  }

  it("are those that it counts, for values of each type", async ({ skip }) => {
    if (!subject) return skip();
    const { dialect = "standard" } = subject.driver;
    const [faults, unnamed]: [string[], string[]] = [[], []];
    for (const each of entity.columns ?? []) {
      const kind = toQuestionKind(each, instantsOf(dialect));
      const column = { column: each.name };
      const bins = kind === "number" ? [0.1, 3, 1000].map((bin) => ({ column, bin })) : [];
      for (const group of [{ column }, ...bins]) {
        const result = await check(questionOf([group], "UTC"));
        faults.push(...result.faults);
        if (result.named === 0) unnamed.push(each.name);
      }
    }
    expect(faults).toEqual([]);
    // A text, a number or a time is never without a drill.
    expect(unnamed.filter((name) => !WITHOUT_DRILL.includes(name))).toEqual([]);
  });

  for (const [length, zones] of Object.entries(ZONES)) {
    const tags = length === "long" || subjectName === "duckdb" ? ["long"] : [];
    it(`are those that it counts, for spans of time in ${zones.join(", ")}`, { tags }, async ({ skip }) => {
      if (!subject) return skip();
      const { dialect = "standard" } = subject.driver;
      const faults: string[] = [];
      for (const column of ["day_", "local_", "moment_"]) {
        const found = entity.columns?.find(({ name }) => name === column);
        const kind = found ? toQuestionKind(found, instantsOf(dialect)) : "other";
        for (const timezone of kind === "instant" ? zones : zones.slice(0, 1)) {
          for (const grain of grainsOf(kind)) {
            const result = await check(questionOf([{ column: { column }, grain }], timezone));
            faults.push(...result.faults);
            expect([column, grain, result.named > 0]).toEqual([column, grain, true]);
          }
        }
      }
      expect(faults).toEqual([]);
    });
  }
});
