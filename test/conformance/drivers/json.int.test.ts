import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { jsonText } from "@/lib/base/values/json-text";
import { splitCases } from "@/test/cases";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import {
  ANY,
  batchOf,
  begin,
  type FlowSource,
  type FlowSubject,
  type FlowSubjectName,
  field,
  read,
  startFlowSubject,
} from "./flow-steps";

/*
 * JSON moves from one database to another with every digit, the kinds of its values and its null. The contents of a
 * table are read from the database itself, as text.
 */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NAMES: FlowSubjectName[] = ["postgres", "mariadb", "sqlite", "duckdb"];
/** Documents by id, in the notation of jsonb, which all databases here share. */
const DOCUMENTS: readonly (string | null)[] = [
  "12345678901234567890.123456789",
  "9007199254740993",
  "-9223372036854775809",
  '"9007199254740993"',
  '"text"',
  '""',
  "null",
  null,
  "true",
  "[]",
  "{}",
  "0.10000000000000000001",
  '{"a": [1.10, 18446744073709551615, "1", null, {"b": 0.1}]}',
  '{"n": 123456789012345678901234567890123456789012345678901234567890}',
  '[1e-7, "1e-7"]'.replace("1e-7,", "0.0000001,"),
]; // biome-ignore format: a value a line
const COLUMNS: Field[] = [field("id", "int32", "integer"), field("doc", "json", "jsonb")];

type Open = FlowSource & QueryableSource;
const subjects = new Map<FlowSubjectName, { subject: FlowSubject; source: Open }>();
beforeAll(async () => {
  for (const name of [...NAMES, "mongodb" as const]) {
    const subject = await startFlowSubject(name);
    if (subject) subjects.set(name, { subject, source: await subject.open(false) });
  }
});
afterAll(async () => {
  for (const { subject, source } of subjects.values()) {
    await source.close();
    await subject.stop();
  }
});

async function ask(source: Open, query: string, params?: unknown[]): Promise<WireValue[][]> {
  const { batches } = await source.query(
    { query, ...(params && { params }) },
    { readOnly: false, signal: ANY, timeoutMs: 30_000 },
  );
  const rows: WireValue[][] = [];
  for await (const { rowCount, columns } of batches) {
    for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((column) => column[row] ?? null));
  }
  return rows;
}

/** Returns the documents of a table as the database prints them. */
async function textsIn(name: FlowSubjectName, source: Open, table: string): Promise<unknown[]> {
  const text = { postgres: "doc::text", duckdb: "cast(doc as varchar)" }[name as string] ?? "concat(doc, '')";
  const isNull = name === "sqlite" ? "doc" : text;
  const rows = await ask(
    source,
    `select case when doc is null then null else ${name === "sqlite" ? isNull : text} end from ${table} order by id`,
  );
  return rows.map(([value]) =>
    value === null ? null : String(value).replaceAll(/([:,]) (?=[^"]*(?:"[^"]*"[^"]*)*$)/g, "$1"),
  );
}

const expected = DOCUMENTS.map((text) => text?.replaceAll(/([:,]) /g, "$1") ?? null);

async function copy(from: Open, to: Open, source: string, target: string, key = "id"): Promise<void> {
  const { fields, batches } = await from.extract({
    entity: { name: source },
    cursorField: null,
    primaryKey: [],
    from: null,
    batchRows: 4,
    signal: ANY,
  });
  const load = await begin(to, { table: { name: target }, columns: fields, primaryKey: [key] });
  for await (const { checkpoint, ...batch } of batches)
    await load.write(batch, { position: checkpoint, rejectsMax: 0 });
  await load.finish();
}

describe("C11 JSON between databases", () => {
  for (const { tags, cases } of splitCases(NAMES, 2))
    test.each(cases)("C11 keeps digits, types and null from %s into each of the others", { tags }, async (name) => {
      const origin = subjects.get(name);
      if (!origin) return;
      const table = `docs_of_${name}`;
      const load = await begin(origin.source, { table: { name: table }, columns: COLUMNS, primaryKey: ["id"] });
      const rows = DOCUMENTS.map((text, id) => [id, text === null ? null : jsonText(text)]);
      await load.write(batchOf(rows), { position: null, rejectsMax: 0 });
      await load.finish();
      expect(await textsIn(name, origin.source, table)).toEqual(expected);
      for (const to of NAMES) {
        const target = subjects.get(to);
        if (!target) continue;
        await copy(origin.source, target.source, table, `docs_${name}_to_${to}`);
        expect([to, await textsIn(to, target.source, `docs_${name}_to_${to}`)]).toEqual([to, expected]);
      }
    });

  test("C11 keeps int64 and decimal digits from MongoDB and back", async () => {
    const mongo = subjects.get("mongodb");
    const postgres = subjects.get("postgres");
    if (!mongo || !postgres) return;
    const insert = `db.kinds.insertMany([
      {_id: 1, doc: {long: NumberLong("9007199254740993"), decimal: NumberDecimal("12345678901234567890.123456789"), list: [NumberLong("-9007199254740993"), "1"]}},
      {_id: 2, doc: {nan: NumberDecimal("NaN"), text: "9007199254740993", small: NumberLong("5"), none: null}}])`;
    await ask(mongo.source, insert);
    await copy(mongo.source, postgres.source, "kinds", "kinds", "_id");
    const texts = (await ask(postgres.source, "select doc::text from kinds order by _id")).map(([text]) => text);
    expect(texts).toEqual([
      '{"list": [-9007199254740993, "1"], "long": 9007199254740993, "decimal": 12345678901234567890.123456789}',
      '{"nan": "NaN", "none": null, "text": "9007199254740993", "small": 5}',
    ]);
    await copy(postgres.source, mongo.source, "kinds", "kinds_back", "_id");
    const types = await ask(
      mongo.source,
      `db.kinds_back.aggregate([{$sort: {_id: 1}}, {$project: {
      _id: 0, long: {$type: "$doc.long"}, decimal: {$type: "$doc.decimal"}, item: {$type: {$arrayElemAt: ["$doc.list", 0]}},
      text: {$type: "$doc.text"}, longText: {$toString: "$doc.long"}, decimalText: {$toString: "$doc.decimal"}}}])`,
    );
    expect(types[0]).toEqual([
      "long",
      "decimal",
      "long",
      "missing",
      "9007199254740993",
      "12345678901234567890.123456789",
    ]);
  });

  test("C11 keeps digits of JSON in results: a number beyond a double as text", async () => {
    const found: unknown[] = [];
    for (const name of ["postgres", "duckdb"] as const) {
      const open = subjects.get(name);
      if (!open) continue;
      const rows = await ask(
        open.source,
        `select cast('{"a":12345678901234567890.123456789,"b":1.5,"c":1e400}' as json)`,
      );
      found.push(rows[0]?.[0]);
    }
    const value = { a: "12345678901234567890.123456789", b: 1.5, c: "1e400" };
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) expect(each).toEqual(value);
    const maria = subjects.get("mariadb");
    if (!maria) return;
    await ask(maria.source, "create table answer_json (doc json)");
    await ask(
      maria.source,
      `insert into answer_json values ('{"a":12345678901234567890.123456789,"b":1.5,"c":1e400}')`,
    );
    expect((await ask(maria.source, "select doc from answer_json"))[0]?.[0]).toEqual(value);
  });
});

const NESTED: [source: FlowSubjectName, type: string, sql: string, expected: string][] = [
  ["duckdb", "BIGINT[]", "[9007199254740993, 1, null]", "[9007199254740993, 1, null]"],
  ["duckdb", "HUGEINT[]", "[170141183460469231731687303715884105727]", "[170141183460469231731687303715884105727]"],
  ["duckdb", "DECIMAL(20,2)[]", "[1.50, 123456789012345678.25]", "[1.5, 123456789012345678.25]"],
  ["duckdb", "UBIGINT[2]", "[18446744073709551615, 0]", "[18446744073709551615, 0]"],
  ["duckdb", "STRUCT(a BIGINT, b VARCHAR)", "{'a': 9007199254740993, 'b': '9007199254740993'}", '{"a": 9007199254740993, "b": "9007199254740993"}'],
  ["duckdb", "STRUCT(a STRUCT(b BIGINT[]))", "{'a': {'b': [9007199254740993]}}", '{"a": {"b": [9007199254740993]}}'],
  ["duckdb", "MAP(VARCHAR, BIGINT)", "map {'k': 9007199254740993}", '{"k": 9007199254740993}'],
  ["duckdb", "MAP(BIGINT, BIGINT)", "map {9007199254740993: 1}", '[{"key": 9007199254740993, "value": 1}]'],
  ["duckdb", "UNION(n BIGINT, t VARCHAR)", "9007199254740993::bigint", '{"n": 9007199254740993}'],
  ["duckdb", "STRUCT(j JSON)", `{'j': '{"x": 12345678901234567890.5}'}`, '{"j": {"x": 12345678901234567890.5}}'],
  ["duckdb", "DOUBLE[]", "[0.1::double, 'nan'::double]", '[0.1, "NaN"]'],
  ["postgres", "bigint[]", "array[9007199254740993, null, 1]", "[9007199254740993, null, 1]"],
  ["postgres", "numeric[]", "array[1.50, 12345678901234567890.5, 'NaN']", '[1.50, 12345678901234567890.5, "NaN"]'],
  ["postgres", "text[]", "array['9007199254740993']", '["9007199254740993"]'],
]; // biome-ignore format: a value a line

test.each(NESTED)("C11 keeps numbers within %s %s %s as numbers in JSON", async (name, type, sql, expected) => {
  const [from, to] = [subjects.get(name), subjects.get("postgres")];
  if (!from || !to) return;
  for (const statement of [
    "drop table if exists nested_source",
    `create table nested_source (id integer primary key, doc ${type})`,
    `insert into nested_source values (1, ${sql})`,
  ]) await ask(from.source, statement);
  await ask(to.source, "drop table if exists nested_copy");
  await ask(to.source, "create table nested_copy (id integer primary key, doc jsonb)");
  const { fields, batches } = await read(from.source, { entity: { name: "nested_source" }, primaryKey: ["id"] });
  const load = await begin(to.source, { table: { name: "nested_copy" }, columns: fields, load: `nested ${name} ${type}` });
  for (const { rowCount, columns } of batches) await load.write({ rowCount, columns }, { position: null, rejectsMax: 0 });
  await load.finish();
  expect(await ask(to.source, "select doc::text from nested_copy")).toEqual([[expected]]);
}); // biome-ignore format: as a list
