import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  ObjectId,
  Timestamp,
  UUID,
} from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Condition } from "@/lib/base/sql/conditions";
import type { Entity, WireValue } from "@/lib/base/values/fields";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import { toCollectionCount, toCollectionPage } from "./collection-statement";
import type { TableRowsBody } from "./schema";

const ANY = new AbortController().signal;
/** Text with special meaning in patterns, operators and paths. */
const HOSTILE = `$where: it's "x".*[a-z]\\ {"$gt": ""} ?`;
const ID = new ObjectId("0123456789abcdef01234567");
const KEY = new UUID("01234567-89ab-4def-8123-456789abcdef");

const WHEN = new Date("2026-05-31T12:00:00.002Z");
const LONG_TEXT = "x".repeat(5000);
/** Values in the order of their documents' ids, which differs from MongoDB's order. */
const VALUES: unknown[] = [
  "b",
  3,
  null,
  undefined,
  [],
  [5, 1],
  [null, 7],
  [["nested"], 2],
  [[]],
  { a: 1 },
  { a: 1, b: [2] },
  {},
  new Binary(Buffer.from("bytes"), 0),
  new Binary(Buffer.from("bytes"), 5),
  KEY,
  ID,
  true,
  false,
  WHEN,
  new Timestamp({ t: 1, i: 2 }),
  new BSONRegExp("a.*", "i"),
  new MinKey(),
  new MaxKey(),
  new Double(Number.NaN),
  new Double(Number.NEGATIVE_INFINITY),
  new Double(-0),
  Long.fromString("9007199254740993"),
  Decimal128.fromString("9007199254740993.5"),
  Decimal128.fromString("NaN"),
  new Double(3),
  "b",
  3,
  null,
  [3],
  ["b", "c"],
  `${LONG_TEXT}2`,
  `${LONG_TEXT}1`,
  `${LONG_TEXT}1`,
  { text: `${LONG_TEXT}1` },
  new Binary(Buffer.from(LONG_TEXT), 0),
  "",
  "$a",
];

const MANY = 10_500;

/** Documents that look the same: the text of a list, and the list. */
const SAME = [[35, 36]];
const SHOWN: unknown[] = [
  new Binary(Buffer.from([0xff, 0]), 0),
  new Binary(Buffer.from("md5"), 5),
  new Binary(Buffer.from("user"), 128),
  KEY,
  ["red", "blue"],
  ["blue", "red"],
  ["red"],
  "red",
  [],
  [[]],
  [["red"], []],
  [1, 2.5, Long.fromString("9007199254740993")],
  [Decimal128.fromString("10.00"), Decimal128.fromString("12345678901234567890.5")],
  [null, true, false],
  [ID, new ObjectId("f".repeat(24))],
  [WHEN, KEY],
  [new Binary(Buffer.from([1, 2, 3]), 0)],
  [new Double(Number.NaN), new Double(Number.POSITIVE_INFINITY)],
  [new Timestamp({ t: 1, i: 2 }), new BSONRegExp("a.*", "i"), new MinKey()],
  {},
  { a: 1 },
  { a: "1" },
  { a: { b: { c: [ID, { d: WHEN }] } } },
  { a: { b: { c: { d: { e: { f: [[[1, 2]]] } } } } } },
  { b: 1, a: 2 },
  { a: 2, b: 1 },
  { "with.dot": 1, $dollar: 2, "": 3 },
  new Map([
    ["b", 1],
    ["10", 2],
  ]),
  { items: [{ sku: "x", count: new Int32(2), price: Decimal128.fromString("1.50") }, { sku: "y" }] },
  { text: HOSTILE },
  { $expr: "$v" },
  "$v",
  new BSONRegExp("re", ""),
  new Timestamp({ t: 3, i: 4 }),
  "[1]",
  [1],
  ["1"],
  WHEN,
  ID,
  null,
];

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
  // Ids of several types, which MongoDB orders by type first.
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
  await shop
    .collection("values")
    .insertMany(
      VALUES.map((v, index) => ({ _id: (index + 1) as never, ...(v !== undefined && { v }), part: index % 3 })),
    );
  const ids = [{ a: 1 }, { a: [1] }, new Binary(Buffer.from("x"), 0), new Double(Number.NaN), Number.NEGATIVE_INFINITY];
  const more = [null, new MinKey(), new MaxKey(), new Timestamp({ t: 1, i: 1 }), "x".repeat(3000), "", 7, false];
  await shop.collection("ids").insertMany([...ids, ...more].map((_id, n) => ({ _id: _id as never, n })));
  await shop.collection("shown").insertMany(SHOWN.map((v, index) => ({ _id: (index + 1) as never, v })));
  await shop
    .collection("many")
    .insertMany(Array.from({ length: MANY }, (_, index) => ({ _id: index as never, n: (index * 7919) % 100 })));
  await shop.createCollection("empty");
  const toNumber = (id: number, item: number) => (item % 2 === 0 ? Decimal128.fromString(String(id)) : new Double(id));
  const baskets = Array.from({ length: 12 }, (_, id) => ({
    _id: id as never,
    list: [id, id + 1, id + 2, id, id + 4].map((item, at) => ({ item, at, id: toNumber(id, item) })),
  }));
  await shop.collection("baskets").insertMany(baskets);
  const shared = { items: "$list.item", at: "$list.at", list: "$$REMOVE" };
  const unwound = [{ $unwind: "$list" }, { $addFields: shared }];
  const mixed = [{ $unwind: "$list" }, { $addFields: { ...shared, _id: "$list.id" } }];
  await shop.createCollection("unwound", { viewOn: "baskets", pipeline: unwound });
  await shop.createCollection("mixed", { viewOn: "baskets", pipeline: mixed });
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
  const { fields, rows } = await ask(source, statement.query, statement);
  const shown = rows
    .slice(0, given.limit)
    .map((row) => Object.fromEntries(fields.map((field, i) => [field.name, row[i] ?? null])));
  const types = Object.fromEntries(fields.map(({ name, dbType }) => [name, dbType])) as Record<"v", string>;
  return { types, rows: shown, next: rows.length > given.limit ? toNext(shown, fields) : null };
}

async function pages(entity: Entity, body: Partial<Omit<TableRowsBody, "table">>) {
  return (await rowsOf(entity, body)).map(({ _id }) => _id);
}

async function rowsOf(entity: Entity, body: Partial<Omit<TableRowsBody, "table">>) {
  const all: Record<string, WireValue>[] = [];
  let after: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const { rows, next } = await read(entity, { ...body, ...(after !== undefined && { after }) });
    all.push(...rows);
    if (next === null) return all;
    after = next;
  }
  throw new Error("The pages did not end.");
}

test("filters a collection by hostile values as values", async () => {
  const by = async (column: string, condition: Condition) =>
    (await read(goods, { filters: [{ column, ...condition }] })).rows.map(({ _id }) => _id);
  expect(await by("title", { op: "is", value: HOSTILE })).toEqual([1]);
  expect(await by("title", { op: "holds", value: HOSTILE.toUpperCase() })).toEqual([1]);
  expect(await by("title", { op: "holds", value: "NORTH" })).toEqual([2, 3]);
  expect(await by("title", { op: "holds", value: ".*" })).toEqual([1]);
  expect(await by("title", { op: "not", value: "north" })).toEqual([1, 3, 4, 5]);
  // A missing field and null look the same.
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
  // A value that is a number in one document and a text in another matches both.
  expect(await by("mixed", { op: "is", value: "7" })).toEqual([4, 5]);
  // A field that no document of the sample has can have any type.
  expect(await by("later", { op: "is", value: "7" })).toEqual([]);
});

test("reads a collection page by page by its ID, of any type, without repeating or missing a document", async () => {
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
  // The id orders equal values.
  for (const limit of [1, 2]) {
    expect(await pages(goods, { limit, sort: [{ column: "price", descending: true }] })).toEqual([5, 1, 4, 2, 3]);
  }
});

test("counts a collection with the same filters, and returns an empty page for an empty one", async () => {
  const { query } = toCollectionCount(subject.driver, goods, [{ column: "title", op: "holds", value: "north" }]);
  expect((await ask(source, query)).rows).toEqual([[2]]);
  const empty = await read({ name: "empty", kind: "collection" }, {});
  expect(empty).toMatchObject({ rows: [], next: null });
});

test("rejects values of another type, invalid names, and pages of another query", () => {
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

const collectionOf = (name: string): Entity => ({ name, kind: "collection" });

describe.each([1, 2, 100])("pages of %i documents", (limit) => {
  test.each([
    ["one field", [["v", false]]],
    ["one field, descending", [["v", true]]],
    ["a field with three values", [["part", false]]],
    ["two fields", [["part", true], ["v", false]]],
    ["two fields, both descending", [["part", true], ["v", true]]],
    ["a field and the id, descending", [["part", false], ["_id", true]]],
    ["a field and values that are no list", [["v", true], ["part", false]]],
    ["a field that no document has", [["absent", false]]],
  ] as [string, [string, boolean][]][])("C9 return each document once in MongoDB's order of %s", async (_, fields) => {
    const sort = fields.map(([column, descending]) => ({ column, descending }));
    const order = new Map([...fields.map(([name, down]) => [name, down ? -1 : 1] as const)]);
    if (!order.has("_id")) order.set("_id", 1);
    const expected = await client.db("shop").collection("values").find().sort(order).toArray();
    expect(await pages(collectionOf("values"), { limit, sort })).toEqual(expected.map(({ _id }) => _id));
  }); // biome-ignore format: a table

  test.each([false, true])("C9 follow IDs of every type, descending: %s", async (descending) => {
    const expected = await client
      .db("shop")
      .collection("ids")
      .find()
      .sort({ _id: descending ? -1 : 1 })
      .toArray();
    const found: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await read(collectionOf("ids"), {
        limit,
        sort: [{ column: "_id", descending }],
        ...(after !== undefined && { after }),
      });
      found.push(...page.rows.map(({ n }) => n));
      after = page.next ?? undefined;
    } while (after !== undefined && found.length < 100);
    expect(found).toEqual(expected.map(({ n }) => n));
  });
});

test("C9 continues pages of a field with equal values after 10,000 documents", async () => {
  for (const descending of [false, true]) {
    const ids = await pages(collectionOf("many"), { limit: 999, sort: [{ column: "n", descending }] });
    expect(ids).toHaveLength(MANY);
    expect(new Set(ids).size).toBe(MANY);
  }
});

test("C9 returns an empty page after a deleted document with a long value, reported as gone", async () => {
  const page = await read(collectionOf("values"), { limit: 36, sort: [{ column: "v", descending: false }] });
  const cursor = JSON.parse(Buffer.from(String(page.next), "base64url").toString());
  const order = cursor.order.map((place: unknown, index: number) => (index === 0 ? true : place));
  const gone = { ...cursor, order: [order[0], '{"$numberInt":"999"}'] };
  const after = Buffer.from(JSON.stringify(gone)).toString("base64url");
  const sort = [{ column: "v", descending: false }];
  const { statement, needsRow } = toCollectionPage(subject.driver, collectionOf("values"), { ...WHOLE, sort, after });
  expect(needsRow).toBe(true);
  expect((await ask(source, statement.query, statement)).rows).toEqual([]);
});

describe.each(["unwound", "mixed"])("the view %s, whose documents share their _id", (name) => {
  test.each<[sort: TableRowsBody["sort"], limit: number]>([
    [[], 2],
    [[], 7],
    [[{ column: "_id", descending: true }], 3],
    [[{ column: "items", descending: false }], 2],
    [[{ column: "items", descending: true }], 1],
    [
      [
        { column: "at", descending: true },
        { column: "items", descending: false },
      ],
      4,
    ],
  ])("C9 returns each row once, sorted by %j, with %i rows a page", async (sort, limit) => {
    const entity = (await source.entities(ANY)).find((each) => each.name === name) as Entity;
    expect(entity.kind).toBe("view");
    const rows = await rowsOf(entity, { sort, limit });
    const placeOf = ({ _id, at }: Record<string, WireValue>) => `${Number(_id)} ${at}`;
    expect(rows.map(placeOf).sort()).toEqual((await rowsOf(entity, {})).map(placeOf).sort());
    expect(new Set(rows.map(placeOf)).size).toBe(60);
  });
});

const shownText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

describe("a filter by the shown text", () => {
  test.each(SHOWN.map((value, index) => [index + 1, value] as const))("C10 finds document %i", async (id) => {
    const page = await read(collectionOf("shown"), {});
    const entity = {
      ...collectionOf("shown"),
      columns: [{ name: "v", type: page.types.v, nullable: true, primaryKey: false }],
    };
    const value = page.rows.find(({ _id }) => _id === id)?.v ?? null;
    const text = value === null ? null : shownText(value);
    const by = async (condition: Condition, of: Entity) =>
      (await read(of, { filters: [{ column: "v", ...condition }] })).rows.map(({ _id }) => _id);
    const all = SHOWN.map((_, index) => index + 1);
    // The second entity has no type for the field.
    for (const of of [entity, collectionOf("shown")]) {
      // Without known types, the text of a regular expression or timestamp is a text.
      if (of !== entity && (SHOWN[id - 1] instanceof BSONRegExp || SHOWN[id - 1] instanceof Timestamp)) continue;
      const found = await by({ op: "is", value: text }, of);
      expect(found).toEqual(SAME.find((same) => same.includes(id)) ?? [id]);
      expect(await by({ op: "not", value: text }, of)).toEqual(all.filter((each) => !found.includes(each)));
      expect(await by({ op: "any", values: [text, "no such"] }, of)).toEqual(found);
    }
  });

  test.each([
    ["red", [5, 6, 7, 8]],
    ["RED", [5, 6, 7, 8]],
    ["dollar", [27]],
    ["9007199254740993", [12]],
    ["2026-05-31", [16, 38]],
    ["/wA=", [1]],
    ["bwq1", [2]],
    ["AQID", [17]],
    ["qid", [17]],
    [KEY.toString().slice(9, 18), [4, 16]],
  ])("C10 matches %s in texts, bytes, lists and objects", async (value, ids) => {
    const { types } = await read(collectionOf("shown"), {});
    const entity = {
      ...collectionOf("shown"),
      columns: [{ name: "v", type: types.v, nullable: true, primaryKey: false }],
    };
    const { rows } = await read(entity, { filters: [{ column: "v", op: "holds", value }] });
    expect(rows.map(({ _id }) => _id)).toEqual(ids);
  });
});
