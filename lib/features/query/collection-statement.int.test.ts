import { Decimal128, Double, Int32, Long, MongoClient, ObjectId, UUID } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Condition } from "@/lib/base/sql/conditions";
import type { Entity } from "@/lib/base/values/fields";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, type Subject, startSubject } from "@/lib/features/connections/drivers/conformance/subjects";
import { toCollectionCount, toCollectionPage } from "./collection-statement";
import type { TableRowsBody } from "./schema";

const ANY = new AbortController().signal;
/** Texts that would mean something else in a pattern, an operator or a path. */
const HOSTILE = `$where: it's "x".*[a-z]\\ {"$gt": ""} ?`;
const ID = new ObjectId("0123456789abcdef01234567");
const KEY = new UUID("01234567-89ab-4def-8123-456789abcdef");

let subject: Subject;
let source: QueryableSource;
let client: MongoClient;
let goods: Entity;

beforeAll(async () => {
  subject = (await startSubject("mongodb")) as Subject;
  client = await MongoClient.connect(String(subject.config.connectionString));
  const shop = client.db("shop");
  await shop.collection("goods").insertMany([
    {
      _id: 1 as never,
      title: HOSTILE,
      price: Decimal128.fromString("10.00"),
      made: new Date("2026-05-31T12:00:00.002Z"),
    },
    { _id: 2 as never, title: "north", price: new Double(2.5), made: new Date("2026-05-31T12:00:00.001Z"), paid: true },
    { _id: 3 as never, title: "North-west", by: ID, key: KEY },
    { _id: 4 as never, title: null, price: new Int32(3), mixed: "7" },
    { _id: 5 as never, price: Long.fromString("9007199254740993"), mixed: 7, "a.b": 1 },
  ]);
  // Ids of several types, which MongoDB orders by their type first.
  await shop
    .collection("odd")
    .insertMany(
      [
        "b",
        3,
        ID,
        "a",
        new Date(0),
        true,
        1.5,
        new ObjectId("f".repeat(24)),
        Long.fromString("9007199254740993"),
        KEY,
      ].map((_id) => ({ _id: _id as never, n: 1 })),
    );
  await shop.createCollection("empty");
  source = await subject.open(true);
  goods = (await source.entities(ANY)).find(({ name }) => name === "goods") as Entity;
}, 60_000);
afterAll(async () => {
  await client?.close();
  await source?.close();
  await subject?.stop();
});

const WHOLE = { filters: [], sort: [], limit: 100 };

async function read(entity: Entity, body: Partial<Omit<TableRowsBody, "table">>) {
  const given = { ...WHOLE, ...body };
  const { statement, toNext } = toCollectionPage(subject.driver, entity, given);
  const { fields, rows } = await ask(source, statement.query);
  const shown = rows
    .slice(0, given.limit)
    .map((row) => Object.fromEntries(fields.map((field, i) => [field.name, row[i] ?? null])));
  return { rows: shown, next: rows.length > given.limit ? toNext(shown, fields) : null };
}

async function pages(entity: Entity, body: Partial<Omit<TableRowsBody, "table">>) {
  const all: unknown[] = [];
  let after: string | undefined;
  for (let page = 0; page < 20; page += 1) {
    const { rows, next } = await read(entity, { ...body, ...(after !== undefined && { after }) });
    all.push(...rows.map(({ _id }) => _id));
    if (next === null) return all;
    after = next;
  }
  throw new Error("The pages did not end.");
}

test("a collection is filtered by values however hostile, as what they are in its documents", async () => {
  const by = async (column: string, condition: Condition) =>
    (await read(goods, { filters: [{ column, ...condition }] })).rows.map(({ _id }) => _id);
  expect(await by("title", { op: "is", value: HOSTILE })).toEqual([1]);
  expect(await by("title", { op: "holds", value: HOSTILE.toUpperCase() })).toEqual([1]);
  expect(await by("title", { op: "holds", value: "NORTH" })).toEqual([2, 3]);
  expect(await by("title", { op: "holds", value: ".*" })).toEqual([1]);
  expect(await by("title", { op: "not", value: "north" })).toEqual([1, 3, 4, 5]);
  // Nothing and null are alike to people.
  expect(await by("title", { op: "is", value: null })).toEqual([4, 5]);
  expect(await by("title", { op: "not", value: null })).toEqual([1, 2, 3]);
  expect(await by("title", { op: "any", values: ["north", null, '{"$gt": ""}'] })).toEqual([2, 4, 5]);
  expect(await by("price", { op: "least", value: "3" })).toEqual([1, 4, 5]);
  expect(await by("price", { op: "is", value: "9007199254740993" })).toEqual([5]);
  expect(await by("price", { op: "any", values: ["2.5", "10"] })).toEqual([1, 2]);
  expect(await by("made", { op: "above", value: "2026-05-31T12:00:00.001Z" })).toEqual([1]);
  expect(await by("made", { op: "least", value: "2026-05-31" })).toEqual([1, 2]);
  expect(await by("made", { op: "holds", value: "12:00:00.001" })).toEqual([2]);
  expect(await by("by", { op: "is", value: ID.toHexString() })).toEqual([3]);
  expect(await by("key", { op: "is", value: KEY.toString() })).toEqual([3]);
  expect(await by("paid", { op: "is", value: "true" })).toEqual([2]);
  // A text that is a number in one document and a text in another is both.
  expect(await by("mixed", { op: "is", value: "7" })).toEqual([4, 5]);
  // A field that no document of the sample has can be anything.
  expect(await by("later", { op: "is", value: "7" })).toEqual([]);
});

test("is read page by page by its id, whatever ids are made of, no document twice and none left out", async () => {
  expect(await pages(goods, { limit: 2 })).toEqual([1, 2, 3, 4, 5]);
  expect(await pages(goods, { limit: 2, sort: [{ column: "_id", descending: true }] })).toEqual([5, 4, 3, 2, 1]);
  const odd: Entity = { name: "odd", kind: "collection" };
  for (const limit of [1, 2, 3, 10]) {
    for (const descending of [false, true]) {
      const ids = await pages(odd, { limit, sort: [{ column: "_id", descending }] });
      expect(new Set(ids).size, `${limit} ${descending}`).toBe(10);
      expect(ids).toHaveLength(10);
    }
  }
  // Another order is counted, and the id decides among equals.
  for (const limit of [1, 2]) {
    expect(await pages(goods, { limit, sort: [{ column: "price", descending: true }] })).toEqual([5, 1, 4, 2, 3]);
  }
});

test("is counted with the same filters, and an empty one is an empty page", async () => {
  const { query } = toCollectionCount(subject.driver, goods, [{ column: "title", op: "holds", value: "north" }]);
  expect((await ask(source, query)).rows).toEqual([[2]]);
  const empty = await read({ name: "empty", kind: "collection" }, {});
  expect(empty).toEqual({ rows: [], next: null });
});

test("refuses values of another kind, names that mean something else, and pages of another question", () => {
  const refused = (body: Partial<Omit<TableRowsBody, "table">>) => () =>
    toCollectionPage(subject.driver, goods, { ...WHOLE, ...body });
  const invalid = expect.objectContaining({ kind: "invalid_request" });
  expect(refused({ filters: [{ column: "price", op: "least", value: "many" }] })).toThrow(invalid);
  expect(refused({ filters: [{ column: "price", op: "least", value: null }] })).toThrow(invalid);
  expect(refused({ filters: [{ column: "$where", op: "is", value: "1" }] })).toThrow(invalid);
  expect(refused({ filters: [{ column: "a.b", op: "is", value: "1" }] })).toThrow(invalid);
  expect(refused({ sort: [{ column: "a.b", descending: false }] })).toThrow(invalid);
  const page = (cursor: unknown) => Buffer.from(JSON.stringify(cursor)).toString("base64url");
  expect(refused({ after: "bm8" })).toThrow(invalid);
  expect(refused({ after: page({ id: { $gt: "" }, before: 1 }) })).toThrow(invalid);
  expect(refused({ after: page({ values: [1] }) })).toThrow(invalid);
  expect(refused({ after: page({ id: 1, before: 1 }), sort: [{ column: "price", descending: false }] })).toThrow(
    invalid,
  );
});
