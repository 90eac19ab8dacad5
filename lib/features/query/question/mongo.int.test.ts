import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectionText, ShellText, toShell } from "@/lib/base/mongo-shell/write";
import { drillInto } from "@/lib/base/questions/drill";
import { toQuestionKind } from "@/lib/base/questions/kinds";
import { NEW_QUESTION, type Question } from "@/lib/base/questions/question";
import { columnFinder, instantsOf, tablesOf } from "@/lib/base/questions/tables";
import type { Entity } from "@/lib/base/values/fields";
import type { CellValue } from "@/lib/base/values/json-rows";
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

/** Questions of which those that the store can answer are asked. */
const SEEDS = 300;
const rows = questionRows();

/** Documents with values of each type, with null, and without a field. */
const ODD = Array.from({ length: 40 }, (_, n) => {
  const of = (values: string[]) => values[(n * 7) % values.length];
  const fields: [string, string | undefined][] = [
    ["n", of(["1", "2"])],
    ["2024", of(["3", "1", "null", "2", ""])],
    ["a b", of(['"x"', '"x "', '"X"', '""', "null", ""])],
    ['q"uo\\te', of(["true", "false", "null"])],
    ["ünï", of(['"é"', '"e\\u0301"', '"$n"', '"^x"'])],
    [
      "decimal",
      of(['NumberDecimal("12.50")', 'NumberDecimal("12.5")', 'NumberDecimal("0.1")', 'NumberDecimal("NaN")', ""]),
    ],
    ["long", of(['NumberLong("9007199254740992")', 'NumberLong("9007199254740993")', 'NumberLong("-5")', "null"])],
    ["double", of(["0.1", "0.3", "0.7", "1e-7", "1e21", "-0.1", "NaN", "123456.75"])],
    ["mixed", of(["1", '"1"', 'NumberDecimal("1")', "true", "null"])],
    [
      "at",
      of([
        'ISODate("2026-03-08T06:30:00.123Z")',
        'ISODate("2026-03-08T07:30:00Z")',
        'ISODate("2026-11-01T05:30:00Z")',
        'ISODate("2026-11-01T06:30:00Z")',
        "",
      ]),
    ],
    ["oid", of(['ObjectId("6b0c76dc26bbc18bd718b304")', 'ObjectId("6b0c76dc26bbc18bd718b305")', "null"])],
    ["either", of(['ObjectId("6b0c76dc26bbc18bd718b304")', '"6b0c76dc26bbc18bd718b304"', '"x"'])],
    ["bytes", of(['BinData(0, "AP8=")', 'BinData(0, "")'])],
    ["uuid", of(['UUID("6f1c2b1e-0000-4000-8000-000000000001")', "null"])],
    ["tags", of(['["a", null]', "[]", '["a"]', "null", ""])],
    ["nested", of(['{"a": 1}', '{"a": null}', "null", ""])],
  ];
  return `{${fields.flatMap(([name, value]) => (value ? [`${JSON.stringify(name)}: ${value}`] : [])).join(", ")}}`;
});

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
    // Joins read by them.
    const client = new MongoClient(String(subject.config.connectionString));
    for (const table of TABLES) {
      for (const column of Object.keys(COLUMNS[table]).filter((name) => /(?:^|_)id$/.test(name))) {
        await client
          .db("shop")
          .collection(table)
          .createIndex({ [column]: 1 });
      }
    }
    await client.close();
    await change(writer, `db.odd.insertMany([${ODD.join(", ")}])`);
    await writer.close();
    source = await subject.open(true);
    entities = await source.entities(new AbortController().signal);
  });
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  const entitiesOf = ({ table, joins }: Question) =>
    [table, ...joins.map((join) => join.table)].map(
      (named) => entities.find(({ name }) => name === named.name) as Entity,
    );
  const planOf = (question: Question) => planMongoQuestion(question, entitiesOf(question).map(keyedById), NOW);

  it("returns the rows that a plain evaluation returns", async () => {
    let asked = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const question = randomQuestion(seed);
      // MongoDB has neither days nor local times: in UTC they are its times.
      const hasLocal = /"(?:joined|local at)"/.test(JSON.stringify(question));
      if (hasLocal && question.timezone !== "UTC") continue;
      // Longer chains of joins take most of the time.
      if (question.joins.length > 1 && seed % 4 !== 0) continue;
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
    expect(asked).toBeGreaterThan(150);
  });

  it("finds as many documents behind a group as it counts, for values of each type", async () => {
    const entity = entities.find(({ name }) => name === "odd") as Entity;
    const [faults, unnamed]: [string[], string[]] = [[], []];
    for (const { name, type } of entity.columns ?? []) {
      const kind = toQuestionKind({ type }, instantsOf("mongodb"));
      const column = { column: name };
      // The stand-in has no arithmetic of decimals.
      const bins = kind === "number" && type !== "decimal" ? [0.1, 3].map((bin) => ({ column, bin })) : [];
      const grains = kind === "instant" ? (["hour", "week"] as const).map((grain) => ({ column, grain })) : [];
      for (const group of [{ column }, ...bins, ...grains]) {
        const question: Question = {
          ...NEW_QUESTION,
          ...{ table: { name: "odd" }, groups: [group], timezone: "America/New_York" },
          summaries: [{ function: "count" }],
        };
        const rowsOf = async (of: Question) => {
          const { sql } = planMongoQuestion(of, [entity], NOW);
          return (await ask(source, sql).catch((error: Error) => Promise.reject(new Error(`${error.message}\n${sql}`))))
            .rows;
        };
        const found = await rowsOf(question);
        expect(found.reduce((sum, row) => sum + Number(row[1]), 0)).toBe(ODD.length);
        const finder = columnFinder(question, tablesOf(question, [entity]), instantsOf("mongodb"));
        for (const [value = null, count] of found) {
          const { rows: behind } = drillInto(question, [{ group: 0, value: value as CellValue }], finder);
          const about = `${name} (${type}) ${JSON.stringify(group)} ${JSON.stringify(value)}`;
          if (behind === null) {
            unnamed.push(name);
            continue;
          }
          const { limit: _, ...rest } = behind;
          const [[counted] = []] = await rowsOf({ ...rest, summaries: [{ function: "count" }] });
          if (counted !== count) faults.push(`${about}: ${counted} of ${count} by ${JSON.stringify(behind.filters)}`);
        }
      }
    }
    expect(faults).toEqual([]);
    // NaN, numbers beyond the exact ones, values of several types that look alike, and values without a plain form.
    const allowed = ["bytes", "decimal", "double", "either", "long", "mixed", "nested", "tags"];
    expect([...new Set(unnamed)].sort()).toEqual(allowed);
  });

  it("sorts by fields whose names are numbers in the order of the question, empty values last", async () => {
    const entity = entities.find(({ name }) => name === "odd") as Entity;
    const question = { ...NEW_QUESTION, table: { name: "odd" }, timezone: "UTC", limit: 4 };
    const sorts = [
      { by: "n", order: "desc" as const },
      { by: "2024", order: "asc" as const },
    ];
    const columns = ["n", "2024"].map((column) => ({ column }));
    const answer = await ask(source, planMongoQuestion({ ...question, columns, sorts }, [entity], NOW).sql);
    const wanted = await ask(
      source,
      'db.odd.aggregate([{$addFields: {e: {$cond: [{$lte: ["$2024", null]}, 1, 0]}, y: "$2024"}}, {$sort: {n: -1, e: 1, y: 1}}, {$limit: 4}, {$project: {_id: 0, n: 1, y: {$ifNull: ["$y", null]}}}])',
    );
    const at = answer.fields.findIndex(({ name }) => name === "n");
    expect(answer.rows.map((row) => [row[at], row[1 - at]])).toEqual(wanted.rows);
  });

  it("names joins and fields that it cannot reach", () => {
    const question = { ...NEW_QUESTION, table: { name: "order" }, timezone: "UTC" };
    const joins = [{ table: { name: "odd" }, kind: "left" as const, on: [{ from: { column: "id" }, column: "oid" }] }];
    expect(() => planOf({ ...question, joins })).toThrow(
      "“id” is int and “oid” is objectId. MongoDB joins only values",
    );
    const sum = { name: "a.b", left: { number: 1 }, sign: "+" as const, right: { number: 2 } };
    expect(() => planOf({ ...question, formulas: [sum] })).toThrow("contain a dot");
  });

  it("summarizes only a repeated table, and joins by several columns of which none is null", async () => {
    const writer = await subject.open(false);
    await change(writer, 'db.shops.insertMany([{_id: 1, town: "a", area: 1, rent: 10}, {_id: 2, town: "a", area: null, rent: 5}, {_id: 3, area: 1, rent: 7}])');
    await change(writer, 'db.sales.insertMany([{_id: 1, town: "a", area: 1}, {_id: 2, town: "a", area: 1}, {_id: 3, town: "a"}, {_id: 4, town: null, area: 1}])');
    await writer.close();
    const known = await source.entities(new AbortController().signal);
    const tables = ["sales", "shops"].map((name) => known.find((each) => each.name === name) as Entity);
    const on = ["town", "area"].map((column) => ({ from: { column }, column }));
    const question = (more: Partial<Question>, kind: "left" | "inner" = "left"): Question => ({
      ...{ ...NEW_QUESTION, table: { name: "sales" }, timezone: "UTC" },
      ...{ joins: [{ table: { name: "shops" }, kind, on }], ...more },
    });
    const rowsOf = async (of: Question) => (await ask(source, planMongoQuestion(of, tables, NOW).sql)).rows;
    const rent = { column: { table: "shops", column: "rent" } };
    const groups = [{ column: { column: "town" } }];
    expect(await rowsOf(question({ summaries: [{ function: "sum", ...rent }], groups }))).toEqual([["a", 10]]);
    expect(await rowsOf(question({ summaries: [{ function: "avg", ...rent }, { function: "count", table: "shops" }] }))).toEqual([[10, 1]]);
    expect(await rowsOf(question({ summaries: [{ function: "count" }, { function: "sum", ...rent }] }))).toEqual([[4, 10]]);
    expect(await rowsOf(question({ summaries: [{ function: "count" }] }, "inner"))).toEqual([[2]]);
    expect(await rowsOf(question({ columns: [{ column: "_id" }, rent.column], sorts: [{ by: "_id", order: "asc" }] }))).toEqual([
      [1, 10],
      [2, 10],
      [3, null],
      [4, null],
    ]);
  }); // biome-ignore format: tables

  it("counts a document once that a list joins with several", async () => {
    const writer = await subject.open(false);
    const [a, b, c] = [1, 2, 3].map((n) => `ObjectId("${String(n).repeat(24)}")`);
    await change(writer, `db.goods.insertMany([{_id: ${a}, kind: "a", price: 1}, {_id: ${b}, kind: "a", price: 2}, {_id: ${c}, kind: "b", price: 4}])`);
    await change(writer, `db.baskets.insertMany([{_id: 1, total: 100, goods: [${a}, ${b}, ${c}], some: [${a}, ${b}]}, {_id: 2, total: 10, goods: [${a}], some: ${c}}])`);
    await writer.close();
    const known = await source.entities(new AbortController().signal);
    const [baskets, goods] = ["baskets", "goods"].map((name) => known.find((each) => each.name === name) as Entity);
    const rowsOf = async (list: string, isReverse: boolean, more: Partial<Question>) => {
      const [first, second] = isReverse ? [goods, baskets] : [baskets, goods];
      const on = isReverse ? { from: { column: "_id" }, column: list } : { from: { column: list }, column: "_id" };
      const joins = [{ table: { name: second?.name ?? "" }, kind: "inner" as const, on: [on] }];
      const question = { ...NEW_QUESTION, table: { name: first?.name ?? "" }, timezone: "UTC", joins, ...more };
      return (await ask(source, planMongoQuestion(question, [first, second] as Entity[], NOW).sql)).rows;
    };
    expect(baskets?.columns?.map(({ name, type }) => [name, type])).toContainEqual(["some", "array | objectId"]);
    for (const isReverse of [false, true]) {
      const of = (table: string, column: string) => ({ column: (table === "goods") === isReverse ? { column } : { table, column } });
      const total = { function: "sum" as const, ...of("baskets", "total") };
      const price = { function: "sum" as const, ...of("goods", "price") };
      const summaries = [total, price, { function: "count" as const, table: "baskets" }];
      const groups = [of("goods", "kind")];
      for (const list of ["goods", "some"]) expect(await rowsOf(list, isReverse, { summaries }), list).toEqual([[110, 7, 2]]);
      expect(await rowsOf("goods", isReverse, { summaries: [total], groups })).toEqual([["a", 110], ["b", 100]]);
    }
  }); // biome-ignore format: tables

  it("adds up numbers alone, to the same digits beside other summaries", async () => {
    const writer = await subject.open(false);
    await change(writer, 'db.bills.insertMany([{_id: 1, total: 0.1}, {_id: 2, total: 0.2}, {_id: 3, total: 0.3}, {_id: 4, total: "none"}, {_id: 5, total: 1e16}, {_id: 6, total: -1e16}, {_id: 7, total: "some"}])');
    const lines = [1, 1, 2, 3, 4, 5, 6, 7].map((bill, n) => `{_id: ${n}, bill: ${bill}, kind: "${bill === 7 ? "text" : "any"}"}`);
    await change(writer, `db.lines.insertMany([${lines.join(", ")}])`);
    await writer.close();
    const known = await source.entities(new AbortController().signal);
    const tables = ["bills", "lines"].map((name) => known.find((each) => each.name === name) as Entity);
    const joins = [{ table: { name: "lines" }, kind: "left" as const, on: [{ from: { column: "_id" }, column: "bill" }] }];
    const groups = [{ column: { table: "lines", column: "kind" } }];
    const rowsOf = async (of: Partial<Question>) =>
      (await ask(source, planMongoQuestion({ ...NEW_QUESTION, table: { name: "bills" }, timezone: "UTC", joins, groups, ...of }, tables, NOW).sql)).rows;
    expect(tables[0]?.columns?.find(({ name }) => name === "total")?.type).toBe("double | string");
    for (const name of ["sum", "avg"] as const) {
      const summary = { function: name, column: { column: "total" } };
      const alone = await rowsOf({ summaries: [summary] });
      expect(alone).toEqual([["any", expect.any(Number)], ["text", name === "sum" ? 0 : null]]);
      const beside = await rowsOf({ summaries: [summary, { function: "count" }, { function: "count", table: "lines" }] });
      expect(beside).toEqual(alone.map((row, at) => [...row, [7, 1][at], [7, 1][at]]));
    }
  }); // biome-ignore format: tables

  it("joins items of lists one by one, also beyond the first columns, and none that is null", async () => {
    const writer = await subject.open(false);
    await change(writer, 'db.left.insertMany([{_id: 1, town: "a", n: 1, m: [1, null]}, {_id: 2, town: "a", n: null, m: null}, {_id: 3, town: "a", n: 2, m: [2, 3, 3]}, {_id: 4, town: "b", m: []}])');
    await change(writer, 'db.right.insertMany([{_id: 1, town: "a", n: [1, null]}, {_id: 2, town: "a", n: [null]}, {_id: 3, town: "a", n: [3, 2, 2]}, {_id: 4, town: "b", n: []}, {_id: 5, town: "b"}])');
    await writer.close();
    const known = await source.entities(new AbortController().signal);
    const tables = ["left", "right"].map((name) => known.find((each) => each.name === name) as Entity);
    const pairs = [[1, 1], [3, 3]];
    for (const [from, on] of [["n", ["n"]], ["m", ["n"]], ["n", ["town", "n"]], ["m", ["town", "n"]]] as const) {
      const join = { table: { name: "right" }, on: on.map((column) => ({ from: { column: column === "n" ? from : column }, column })) };
      const columns = [{ column: "_id" }, { table: "right", column: "_id" }];
      const question = { ...NEW_QUESTION, table: { name: "left" }, timezone: "UTC", columns, sorts: [{ by: "_id", order: "asc" as const }] };
      const rowsOf = async (kind: "inner" | "left") => (await ask(source, planMongoQuestion({ ...question, joins: [{ ...join, kind }] }, tables, NOW).sql)).rows;
      expect(await rowsOf("inner"), `${from} ${on.join()}`).toEqual(pairs);
      expect(await rowsOf("left"), `${from} ${on.join()}`).toEqual([[1, 1], [2, null], [3, 3], [4, null]]);
      // The other way round.
      const back = { table: { name: "left" }, kind: "inner" as const, on: join.on.map(({ from: { column: own }, column }) => ({ from: { column }, column: own })) };
      const reverse = { ...question, table: { name: "right" }, columns: [{ column: "_id" }, { table: "left", column: "_id" }], joins: [back] };
      expect((await ask(source, planMongoQuestion(reverse, tables.toReversed(), NOW).sql)).rows, `${from} ${on.join()}`).toEqual(pairs);
    }
  }); // biome-ignore format: tables

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

/** The fixture's rows have their own key beside `_id`, which decides of which table a row can match several. */
function keyedById(entity: Entity): Entity {
  const columns = entity.columns?.map((column) => ({ ...column, primaryKey: column.name === "id" }));
  return { ...entity, ...(columns && { columns }) };
}

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
