import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";
import "../../../../../test/servers/mongodb-stand-in/vocabulary.ts";

let store: TestStore;
let orders: Collection<Document>;
let people: Collection<Document>;

beforeAll(async () => {
  store = await startTestStore();
  const db = store.client.db("shop");
  orders = db.collection("orders");
  people = db.collection("people");
  await people.insertMany([
    { _id: 1 as never, name: "Ada", boss: null, langs: ["en", "fr"] },
    { _id: 2 as never, name: "Bob", boss: 1, langs: [] },
    { _id: 3 as never, name: "Cyd", boss: 2 },
  ]);
  await orders.insertMany([
    {
      _id: 10 as never,
      who: 1,
      total: 5,
      items: [
        { sku: "a", n: 1 },
        { sku: "b", n: 2 },
      ],
      at: new Date("2024-01-05"),
    },
    { _id: 11 as never, who: 1, total: 7.5, items: [{ sku: "a", n: 3 }], at: new Date("2024-02-05") },
    { _id: 12 as never, who: 2, total: 1, items: [], at: new Date("2024-02-06") },
    { _id: 13 as never, who: null, total: 9, items: [{ sku: "c", n: 1 }], at: new Date("2024-03-01") },
  ]);
});

afterAll(() => store.stop());

/** Pipelines over the orders, with their expected results worked out manually. */
const table: [string, Document[], unknown][] = [
  [
    "$group with sums, averages and sets",
    [
      {
        $group: {
          _id: "$who",
          sum: { $sum: "$total" },
          avg: { $avg: "$total" },
          n: { $sum: 1 },
          max: { $max: "$total" },
        },
      },
      { $sort: { _id: 1 } },
    ],
    [
      { _id: null, sum: 9, avg: 9, n: 1, max: 9 },
      { _id: 1, sum: 12.5, avg: 6.25, n: 2, max: 7.5 },
      { _id: 2, sum: 1, avg: 1, n: 1, max: 1 },
    ],
  ],
  [
    "$unwind opens arrays and drops empty ones",
    [{ $unwind: "$items" }, { $group: { _id: "$items.sku", n: { $sum: "$items.n" } } }, { $sort: { _id: 1 } }],
    [
      { _id: "a", n: 4 },
      { _id: "b", n: 2 },
      { _id: "c", n: 1 },
    ],
  ],
  [
    "$lookup joins by equality, null with missing",
    [
      { $lookup: { from: "people", localField: "who", foreignField: "_id", as: "p" } },
      { $project: { names: "$p.name" } },
      { $sort: { _id: 1 } },
    ],
    [
      { _id: 10, names: ["Ada"] },
      { _id: 11, names: ["Ada"] },
      { _id: 12, names: ["Bob"] },
      { _id: 13, names: [] },
    ],
  ],
  [
    "$lookup without an index joins from memory",
    [
      { $match: { _id: 10 } },
      { $lookup: { from: "orders", localField: "who", foreignField: "who", as: "same" } },
      { $project: { ids: "$same._id" } },
    ],
    [{ _id: 10, ids: [10, 11] }],
  ],
  [
    "$unionWith",
    [
      { $match: { _id: 10 } },
      { $project: { _id: 1 } },
      { $unionWith: { coll: "people", pipeline: [{ $match: { _id: 3 } }, { $project: { _id: 1 } }] } },
    ],
    [{ _id: 10 }, { _id: 3 }],
  ],
  [
    "$replaceRoot and $replaceWith",
    [{ $match: { _id: 11 } }, { $unwind: "$items" }, { $replaceWith: { $mergeObjects: ["$items", { of: "$_id" }] } }],
    [{ sku: "a", n: 3, of: 11 }],
  ],
  [
    "$project computes, nests, and leaves out",
    [{ $match: { _id: 12 } }, { $project: { _id: 0, "a.b": "$total", c: { d: { $literal: "$x" } }, who: 1 } }],
    [{ who: 2, a: { b: 1 }, c: { d: "$x" } }],
  ],
  [
    "$addFields and $unset into arrays of documents",
    [{ $match: { _id: 10 } }, { $addFields: { "items.x": 1 } }, { $unset: ["items.n", "at", "who", "total"] }],
    [
      {
        _id: 10,
        items: [
          { sku: "a", x: 1 },
          { sku: "b", x: 1 },
        ],
      },
    ],
  ],
  [
    "$sort by an array takes its least element",
    [{ $sort: { "items.n": 1, _id: -1 } }, { $project: { _id: 1 } }],
    [{ _id: 12 }, { _id: 13 }, { _id: 10 }, { _id: 11 }],
  ],
  [
    "$skip and $limit in their order",
    [{ $sort: { _id: 1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { _id: 1 } }],
    [{ _id: 11 }, { _id: 12 }],
  ],
  [
    "$limit before $skip",
    [{ $sort: { _id: 1 } }, { $limit: 2 }, { $skip: 1 }, { $project: { _id: 1 } }],
    [{ _id: 11 }],
  ],
  [
    "dates in groups",
    [{ $group: { _id: { $dateToString: { date: "$at", format: "%Y-%m" } }, n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
    [
      { _id: "2024-01", n: 1 },
      { _id: "2024-02", n: 2 },
      { _id: "2024-03", n: 1 },
    ],
  ],
];

describe("a pipeline", () => {
  test("groups missing and null together", async () => {
    const c = store.client.db("shop").collection("nulls");
    await c.insertMany([{ x: null }, {}, { x: 1 }]);
    const groups = await c.aggregate([{ $group: { _id: "$x", n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray();
    expect(groups).toEqual([
      { _id: null, n: 2 },
      { _id: 1, n: 1 },
    ]);
  });

  test.each(table)("%s", async (_, pipeline, result) => {
    expect(await orders.aggregate(pipeline).toArray()).toEqual(result);
  });

  test("with let uses its variables", async () => {
    const found = await orders
      .aggregate([{ $match: { $expr: { $eq: ["$who", "$$w"] } } }, { $project: { _id: 1 } }], { let: { w: 2 } })
      .toArray();
    expect(found).toEqual([{ _id: 12 }]);
  });

  test("with $out replaces a collection and keeps its indexes", async () => {
    const out = store.client.db("shop").collection("out");
    await out.insertOne({ old: true });
    await out.createIndex({ total: 1 });
    await orders.aggregate([{ $match: { who: 1 } }, { $out: "out" }]).toArray();
    expect((await out.find().toArray()).map(({ _id }) => _id)).toEqual([10, 11]);
    expect((await out.indexes()).map(({ name }) => name)).toEqual(["_id_", "total_1"]);
  });

  test("with $merge changes the fields of known documents and inserts the others", async () => {
    const sums = store.client.db("shop").collection<Document>("sums");
    await sums.insertOne({ _id: 1 as never, sum: 100, kept: true });
    const stages = [{ $match: { who: { $ne: null } } }, { $group: { _id: "$who", sum: { $sum: "$total" } } }];
    await orders.aggregate([...stages, { $merge: "sums" }]).toArray();
    expect(await sums.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, sum: 12.5, kept: true },
      { _id: 2, sum: 1 },
    ]);
    const insertOnly = { $merge: { into: "sums", whenMatched: "fail" } };
    await expect(orders.aggregate([...stages, insertOnly]).toArray()).rejects.toMatchObject({ code: 11000 });
    for (const [option, code] of [
      [{ whenMatched: "replace" }, 2],
      [{ on: "who" }, 40415],
    ] as const)
      await expect(orders.aggregate([{ $merge: { into: "sums", ...option } }]).toArray()).rejects.toMatchObject({
        code,
      });
  });

  test("on a view starts from the view's pipeline", async () => {
    const view = await store.client
      .db("shop")
      .createCollection("cheap", { viewOn: "orders", pipeline: [{ $match: { total: { $lt: 6 } } }] });
    expect((await view.find({ who: 1 }).toArray()).map(({ _id }) => _id)).toEqual([10]);
    expect(await view.countDocuments()).toBe(2);
    await expect(view.insertOne({ x: 1 })).rejects.toMatchObject({ code: 166 });
  });

  test.each([
    ["an unknown stage", [{ $nope: {} }], 40324],
    ["a stage out of scope", [{ $graphLookup: {} }], 40324],
    ["an option of $unwind out of scope", [{ $unwind: { path: "$a", includeArrayIndex: "i" } }], 28811],
    ["two stages in one", [{ $match: {}, $sort: { a: 1 } }], 40323],
    ["$out before the end", [{ $out: "x" }, { $match: {} }], 40601],
    ["an unknown accumulator", [{ $group: { _id: 1, x: { $nope: 1 } } }], 15952],
    ["$group without _id", [{ $group: { x: { $sum: 1 } } }], 15955],
    ["$limit of zero", [{ $limit: 0 }], 15958],
    ["inclusion and exclusion together", [{ $project: { a: 1, b: 0 } }], 31254],
    ["a sort by no direction", [{ $sort: { a: 2 } }], 15975],
    ["$unwind without a dollar", [{ $unwind: "a" }], 28818],
    ["$lookup without as", [{ $lookup: { from: "x" } }], 9],
    ["$count with a dollar", [{ $count: "$x" }], 40156],
  ])("is rejected with MongoDB's code: %s", async (_, pipeline, code) => {
    await expect(orders.aggregate(pipeline as Document[]).toArray()).rejects.toMatchObject({ code });
  });
});

describe("a pipeline that makes millions of documents from one", () => {
  /** Error code of MaxTimeMSExpired. */
  const TIME_LIMIT = 50;
  const unwinds = ["$a", "$b", "$c"].map((path) => ({ $unwind: path }));
  const endless: [string, Document[]][] = [
    ["$group", [...unwinds, { $group: { _id: "$a", sum: { $sum: "$b" } } }]],
    ["$match that keeps none", [...unwinds, { $match: { $expr: { $lt: ["$c", 0] } } }]],
    ["$lookup", [{ $lookup: { from: "wide", pipeline: [...unwinds, { $count: "n" }], as: "found" } }]],
    ["$unionWith", [{ $unionWith: { coll: "wide", pipeline: [...unwinds, { $skip: 1e9 }] } }]],
  ];

  beforeAll(async () => {
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    await store.client.db("shop").collection("wide").insertOne({ a: numbers, b: numbers, c: numbers });
  });

  test.each(endless)("ends at its time limit while others are answered: %s", async (_, pipeline) => {
    const wide = store.client.db("shop").collection("wide");
    await expect(wide.aggregate(pipeline, { maxTimeMS: 100 }).toArray()).rejects.toMatchObject({ code: TIME_LIMIT });
    const other = await new MongoClient(store.uri).connect();
    const before = store.services.monitor.commands;
    let isOver = false;
    const ended = other
      .db("shop")
      .collection("wide")
      .aggregate(pipeline)
      .toArray()
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    await expect.poll(() => store.services.monitor.commands).toBeGreaterThan(before);
    for (let i = 0; i < 3; i++) await store.client.db("shop").command({ ping: 1 });
    expect(isOver).toBe(false);
    await other.close(true);
    await ended;
  });

  test("has one time limit for all its batches", async () => {
    const wide = store.client.db("shop").collection("wide");
    // One of 300 documents is kept: the limit applies to the store's work, and reading the result takes hardly any
    // time.
    const pipeline = [...unwinds, { $match: { c: 7 } }, { $project: { a: 1 } }];
    // Each batch is finished long before a command checks its clock.
    const cursor = wide.aggregate(pipeline, { maxTimeMS: 2000, batchSize: 1 });
    let read = 0;
    const readAll = async (): Promise<void> => {
      while ((await cursor.next()) !== null) read++;
    };
    await expect(readAll()).rejects.toMatchObject({ code: TIME_LIMIT });
    expect(read).toBeGreaterThan(1);
  });
});

test("joins more documents in a $lookup than a call has arguments", { tags: ["long"] }, async () => {
  const db = store.client.db("shop");
  await db.collection("one").insertOne({ k: 1 });
  const many = Array.from({ length: 75_000 }, () => ({ k: 1 }));
  for (let i = 0; i < 2; i++) await db.collection("many").insertMany(many.map((doc) => ({ ...doc })));
  const lookup = { $lookup: { from: "many", localField: "k", foreignField: "k", as: "found" } };
  const counted = await db
    .collection("one")
    .aggregate([lookup, { $project: { _id: 0, n: { $size: "$found" } } }])
    .toArray();
  expect(counted).toEqual([{ n: 150_000 }]);
});
