import { afterAll, beforeAll, expect, test } from "vitest";
import { readPlan } from "@/lib/base/explain/read-plan";
import type { FieldType, WireValue } from "@/lib/base/values/fields";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { ask, change, type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import type { QueryableSource } from "../../data-source";

const MIB = 1024 * 1024;
const ANY = new AbortController().signal;
/** Thousands of comparisons per document, none of which matches. */
const ENDLESS = `db.many.find({$expr: {$gt: [
  {$size: {$filter: {input: {$range: [0, 5000]}, cond: {$eq: ["$$this", -1]}}}}, 0]}})`;

let subject: Subject;
let writer: QueryableSource;
let source: QueryableSource;

beforeAll(async () => {
  subject = (await startSubject("mongodb")) as Subject;
  writer = await subject.open(false);
  source = await subject.open(true);
  const documents = (from: number, count: number, make: (index: number) => object) =>
    change(writer, {
      collection: "many",
      operation: "insertMany",
      documents: Array.from({ length: count }, (_, index) => make(from + index)),
    });
  for (let from = 0; from < 20_000; from += 5000)
    await documents(from, 5000, (index) => ({ _id: index, v: `v${index}` }));
}, 60_000);
afterAll(async () => {
  await Promise.all([source?.close(), writer?.close()]);
  await subject?.stop();
});

test("explains a find and an aggregation as a tree, measured on request, and writes nothing", async () => {
  const { explain } = subject.driver;
  const read = async (text: string) => {
    const { fields, rows } = await ask(source, text);
    const row = Object.fromEntries(fields.map(({ name }, i) => [name, rows[0]?.[i] ?? null])) as ResultRow;
    return readPlan("mongodb", { fields, rows: [row] });
  };
  const alone = await read(`db.many.find({v: "v7"}).sort({v: 1})${explain?.plan}`);
  expect(alone?.nodes.find(({ object }) => object === "many")).toMatchObject({ isFullRead: true, realRows: null });
  const measured = await read(`db.many.find({v: "v7"})${explain?.measured?.[0]?.words}`);
  expect(measured?.nodes.find(({ object }) => object === "many")).toMatchObject({ realRows: 1, droppedRows: 19_999 });
  expect((await read(`db.many.find({_id: 7})${explain?.plan}`))?.nodes.some(({ isFullRead }) => isFullRead)).toBe(
    false,
  );
  expect((await read(`db.many.aggregate([{$match: {v: "v7"}}])${explain?.plan}`))?.nodes.length).toBeGreaterThan(0);

  for (const [text, kind] of [
    ['db.many.aggregate([{$out: "evil"}]).explain("executionStats")', "read_only"],
    ["db.many.deleteMany({}).explain()", "query_failed"],
    ['db.many.find({$where: "1"}).explain()', "not_allowed"],
    ['db.many.find({}).explain("allPlansExecution")', "query_failed"],
  ] as const) {
    await expect(ask(writer, text, { readOnly: true }), text).rejects.toMatchObject({ kind });
  }
  expect((await ask(source, "db.many.countDocuments({})")).rows).toEqual([[20_000]]);
});

const VALUES: [name: string, literal: string, type: FieldType, value: WireValue][] = [
  ["a_double", "0.1", "float64", 0.1],
  ["a_nan", "NaN", "float64", "NaN"],
  ["an_infinity", "-Infinity", "float64", "-Infinity"],
  ["an_int", "NumberInt(5)", "int32", 5],
  ["a_long", "NumberLong('9007199254740991')", "int64", 9_007_199_254_740_991],
  ["a_longer", "NumberLong('-9223372036854775808')", "int64", "-9223372036854775808"],
  ["a_decimal", "NumberDecimal('12345678901234567890.1234567890')", "decimal", "12345678901234567890.1234567890"],
  ["a_decimal_nan", "NumberDecimal('NaN')", "decimal", "NaN"],
  ["a_text", "'grüße 😀'", "string", "grüße 😀"],
  ["a_flag", "true", "boolean", true],
  ["a_date", "ISODate('0001-01-01T00:00:00.5Z')", "timestamptz", "0001-01-01T00:00:00.500Z"],
  ["an_old_date", "new Date(-62198755200000)", "timestamptz", "-000001-01-01T00:00:00.000Z"],
  ["an_id", "ObjectId('0123456789abcdef01234567')", "objectId", "0123456789abcdef01234567"],
  ["a_uuid", "UUID('01234567-89ab-4def-8123-456789abcdef')", "string", "01234567-89ab-4def-8123-456789abcdef"],
  ["bytes", "BinData(0, 'AP8Q')", "binary", "AP8Q"],
  ["a_regex", "/a\\/b/i", "string", "/a\\/b/i"],
  ["a_stamp", "Timestamp(5, 6)", "other", "Timestamp(5, 6)"],
  ["a_key", "MaxKey", "other", "MaxKey"],
  ["nothing", "null", "other", null],
  ["a_list", "[1, [NumberLong('9007199254740993')], null]", "array", [1, ["9007199254740993"], null]],
  ["an_object", "{b: {c: NumberDecimal('1.50')}}", "json", { b: { c: "1.50" } }],
];

test("returns values of all types as docs/develop/api.md says", async () => {
  const literals = VALUES.map(([name, literal]) => `${name}: ${literal}`).join(", ");
  await change(writer, `db.types.insertOne({_id: 1, ${literals}})`);
  const { fields, rows } = await ask(source, "db.types.find({}, {_id: 0})");
  const found = VALUES.map(([name, literal], index) => {
    const at = fields.findIndex((field) => field.name === name);
    return [VALUES[index]?.[0], literal, fields[at]?.type, rows[0]?.[at] ?? null];
  });
  expect(found).toEqual(VALUES);
});

test("runs operations as text and as objects alike", async () => {
  const asText = await ask(source, "db.many.find({_id: {$gt: 5}}, {v: 1, _id: 0}).sort({_id: 1}).skip(1).limit(2)");
  const asObject = await ask(source, {
    collection: "many",
    operation: "find",
    filter: { _id: { $gt: { $numberInt: "5" } } },
    projection: { v: 1, _id: 0 },
    sort: { _id: 1 },
    skip: 1,
    limit: 2,
  });
  expect(asText.rows).toEqual([["v7"], ["v8"]]);
  expect(asObject).toEqual(asText);
  expect((await ask(source, "db.many.countDocuments({_id: {$lt: 10}})")).rows).toEqual([[10]]);
  expect((await ask(source, "db.many.find({_id: {$lt: 10}}).count()")).rows).toEqual([[10]]);
  expect((await ask(source, "db.many.distinct('v', {_id: 3})")).rows).toEqual([["v3"]]);
  expect((await ask(source, "db.many.findOne({_id: 4})")).rows).toEqual([[4, "v4"]]);
});

test("returns the counts of writes", async () => {
  const done = (query: string) =>
    ask(writer, query, { readOnly: false }).then(({ fields, rows }) => [fields.map((each) => each.name), rows]);
  expect(await done("db.w.insertMany([{_id: 1}, {_id: 2}])")).toEqual([
    ["insertedCount", "insertedIds"],
    [[2, [1, 2]]],
  ]);
  expect(await done("db.w.updateMany({}, {$set: {a: 1}})")).toEqual([["matchedCount", "modifiedCount"], [[2, 2]]]);
  expect(await done("db.w.replaceOne({_id: 1}, {b: 1})")).toEqual([["matchedCount", "modifiedCount"], [[1, 1]]]);
  expect(await done("db.w.deleteOne({_id: 2})")).toEqual([["deletedCount"], [[1]]]);
  await expect(done("db.w.insertOne({_id: 1})")).rejects.toMatchObject({
    kind: "query_failed",
    details: { code: 11_000 },
  });
});

test("T54 reads a collection only as far as its reader does, and completely if it continues", async () => {
  expect((await ask(source, "db.many.find({})", { rowsMax: 10 })).rows.length).toBeLessThan(5000);
  const { rows } = await ask(source, "db.many.find({}).sort({_id: 1})");
  expect([rows.length, rows.at(-1)]).toEqual([20_000, [19_999, "v19999"]]);
});

test("never loses a field that only later documents have", async () => {
  const first = Array.from({ length: 1500 }, (_, index) => ({ _id: index, a: 1 }));
  await change(writer, {
    collection: "late",
    operation: "insertMany",
    documents: [...first, { _id: 1500, a: 1, b: "new" }],
  });
  await expect(ask(source, "db.late.find({}).sort({_id: 1})")).rejects.toMatchObject({
    message: expect.stringContaining("Field b first appears"),
  });
  await change(writer, "db.late.updateOne({_id: 0}, {$set: {c: 1}})");
  const { fields, rows } = await ask(source, "db.late.find({}).sort({_id: 1})");
  expect(fields.map((field) => field.name)).toEqual(["_id", "a", "c", "_other"]);
  expect(rows.at(-1)).toEqual([1500, 1, null, { b: "new" }]);
});

test("T54 ends the result before a row with a large cell", async () => {
  for (const [id, bytes] of [
    [1, MIB],
    [2, MIB + 1],
  ] as const) {
    await change(writer, { collection: "large", operation: "insertOne", document: { _id: id, v: "x".repeat(bytes) } });
  }
  const { rows, isCut } = await ask(source, "db.large.find({}).sort({_id: 1})", { cellBytesMax: MIB });
  expect([rows.map(([id]) => id), isCut]).toEqual([[1], true]);
});

test("T52 ends an operation at the database's own time limit", async () => {
  await expect(ask(source, ENDLESS, { timeoutMs: 700 })).rejects.toMatchObject({ kind: "timeout" });
}, 30_000);

test("T53 ends the iteration with the reason of an abort", async () => {
  const reason = new Error("nobody waits any more");
  const stop = new AbortController();
  const answer = ask(source, ENDLESS, { signal: stop.signal, timeoutMs: 20_000 });
  setTimeout(() => stop.abort(reason), 300);
  // An iteration that continued would end by its time limit.
  await expect(answer).rejects.toBe(reason);
}, 30_000);

test("rejects parameters, since the language has no placeholders", async () => {
  await expect(ask(source, "db.many.find({})", { params: [1] })).rejects.toMatchObject({ kind: "invalid_request" });
});

test("lists collections with the fields of their first documents", async () => {
  const many = (await source.entities(ANY)).find((entity) => entity.name === "many");
  expect(many).toEqual({
    name: "many",
    kind: "collection",
    rowEstimate: 20_000,
    columns: [
      { name: "_id", type: "int", nullable: false, primaryKey: true },
      { name: "v", type: "string", nullable: true, primaryKey: false },
    ],
  });
});

test("reconnects to a restarted server", async () => {
  await subject.server?.restart();
  await ask(source, "db.many.countDocuments({})").catch(() => {});
  expect((await ask(source, "db.many.findOne({_id: 4})")).rows).toEqual([[4, "v4"]]);
}, 60_000);
