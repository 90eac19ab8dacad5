import type { Collection, Document } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";
import { removeExpired } from "../storage/ttl.ts";
import "../../../../../test/servers/mongodb-stand-in/vocabulary.ts";

let store: TestStore;
let c: Collection<Document>;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(async () => {
  c = store.client.db("t").collection("c");
  await c.drop();
});

type Stage = { stage: string; indexName?: string; inputStage?: Stage; inputStages?: Stage[]; direction?: string };

/** Returns the stages of an explain, outermost first, with the index's name. */
async function stages(filter: Document, sort: Document = {}): Promise<string> {
  const { queryPlanner } = await c
    .find(filter)
    .sort(sort as never)
    .explain();
  const names: string[] = [];
  for (
    let stage: Stage | undefined = queryPlanner.winningPlan;
    stage !== undefined;
    stage = stage.inputStage ?? stage.inputStages?.[0]
  ) {
    names.push(stage.indexName === undefined ? stage.stage : `${stage.stage} ${stage.indexName}`);
  }
  return names.join(" < ");
}

async function examined(filter: Document, sort: Document = {}): Promise<number> {
  return (
    await c
      .find(filter)
      .sort(sort as never)
      .explain("executionStats")
  ).executionStats.totalDocsExamined;
}

describe("an index is used", () => {
  beforeEach(async () => {
    await c.insertMany(
      Array.from({ length: 300 }, (_, i) => ({
        _id: i as never,
        a: i % 30,
        b: i,
        name: `n${String(i).padStart(3, "0")}`,
        tags: [i % 5, i % 7],
      })),
    );
    await c.createIndexes([{ key: { a: 1, b: -1 } }, { key: { name: 1 } }, { key: { tags: 1 } }]);
  });

  test("for equality, without reading other documents", async () => {
    expect(await stages({ a: 7 })).toBe("FETCH < IXSCAN a_1_b_-1");
    expect(await examined({ a: 7 })).toBe(10);
  });

  test("for equality and a range on a descending part, with exact bounds", async () => {
    expect(await examined({ a: 7, b: { $gt: 100, $lte: 187 } })).toBe(3);
    expect((await c.find({ a: 7, b: { $gt: 97, $lte: 187 } }).toArray()).map(({ b }) => b)).toEqual([187, 157, 127]);
  });

  test("for a sort, in both directions, without sorting", async () => {
    expect(await stages({ a: 3 }, { b: 1 })).toBe("FETCH < IXSCAN a_1_b_-1");
    expect(await stages({}, { name: -1 })).toBe("FETCH < IXSCAN name_1");
    expect(await stages({}, { a: -1, b: 1 })).toBe("FETCH < IXSCAN a_1_b_-1");
    expect(await stages({}, { a: 1, b: 1 })).toBe("SORT < COLLSCAN");
    expect((await c.find({}).sort({ a: -1, b: 1 }).limit(2).toArray()).map(({ b }) => b)).toEqual([29, 59]);
  });

  test("for elements of arrays, each document once", async () => {
    expect(await stages({ tags: { $in: [1, 2] } })).toBe("FETCH < IXSCAN tags_1");
    const found = await c.find({ tags: { $in: [1, 2] } }).toArray();
    const wanted = Array.from({ length: 300 }, (_, i) => i).filter((i) =>
      [i % 5, i % 7].some((tag) => tag === 1 || tag === 2),
    );
    expect(found.map(({ b }) => b).sort((x, y) => x - y)).toEqual(wanted);
  });

  test("for each branch of $or", async () => {
    expect(await stages({ $or: [{ a: 1 }, { name: "n005" }] })).toBe("FETCH < OR < FETCH < IXSCAN a_1_b_-1");
    expect(await c.countDocuments({ $or: [{ a: 1 }, { name: "n005" }, { name: "n001" }] })).toBe(11);
  });

  test("for _id directly", async () => {
    expect(await stages({ _id: 5 as never })).toBe("IDHACK _id_");
    expect(await stages({ _id: { $in: [1, 2] as never[] } })).toBe("IDHACK _id_");
    expect(await stages({ _id: { $gt: 295 as never } })).toBe("FETCH < IXSCAN _id_");
  });

  test("by $lookup, for equality and in a pipeline with $expr", async () => {
    const other = store.client.db("t").collection("other");
    await other.drop();
    await other.insertOne({ wanted: "n007", low: 290 });
    const before = store.services.monitor.commands;
    const byField = await other
      .aggregate([{ $lookup: { from: "c", localField: "wanted", foreignField: "name", as: "found" } }])
      .toArray();
    expect(byField[0]?.found.map(({ b }: Document) => b)).toEqual([7]);
    const inPipeline = await other
      .aggregate([
        {
          $lookup: {
            from: "c",
            let: { w: "$wanted" },
            pipeline: [{ $match: { $expr: { $eq: ["$name", "$$w"] } } }, { $project: { b: 1, _id: 0 } }],
            as: "found",
          },
        },
      ])
      .toArray();
    expect(inPipeline[0]?.found).toEqual([{ b: 7 }]);
    expect(store.services.monitor.commands - before).toBe(2);
  });

  test("if it is hinted; an unknown hint is rejected", async () => {
    const { queryPlanner } = await c.find({ b: 5 }).hint("a_1_b_-1").explain();
    expect(queryPlanner.winningPlan.inputStage.indexName).toBe("a_1_b_-1");
    expect(await c.find({ b: 5 }).hint({ a: 1, b: -1 }).toArray()).toHaveLength(1);
    await expect(c.find().hint("nope").toArray()).rejects.toMatchObject({ code: 2 });
  });
});

describe("a partial, sparse or unique index", () => {
  test("partial: serves only queries that imply its filter, and is unique among its documents", async () => {
    await c.createIndex({ mail: 1 }, { unique: true, partialFilterExpression: { active: true } });
    await c.insertMany([{ mail: "x", active: true }, { mail: "x", active: false }, { mail: "x" }]);
    await expect(c.insertOne({ mail: "x", active: true })).rejects.toMatchObject({ code: 11000 });
    expect(await stages({ mail: "x", active: true })).toBe("FETCH < IXSCAN mail_1");
    expect(await stages({ mail: "x" })).toBe("COLLSCAN");
    expect(await c.countDocuments({ mail: "x" })).toBe(3);
  });

  test("sparse: omits documents without the field and does not serve queries for them", async () => {
    await c.createIndex({ code: 1 }, { unique: true, sparse: true });
    await c.insertMany([{}, {}, { code: 1 }, { code: null }]);
    await expect(c.insertOne({ code: 1 })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { code: 1 },
      keyValue: { code: 1 },
    });
    expect(await stages({ code: 1 })).toBe("FETCH < IXSCAN code_1");
    expect(await stages({ code: null })).toBe("COLLSCAN");
    expect(await c.find({}).sort({ code: 1 }).toArray()).toHaveLength(4);
  });

  test("unique: a build over duplicates fails and leaves no index", async () => {
    await c.insertMany([{ x: 1 }, { x: 1 }]);
    await expect(c.createIndex({ x: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    expect(await c.indexes()).toHaveLength(1);
  });

  test("rejects parallel arrays by name", async () => {
    await c.createIndex({ a: 1, b: 1 });
    await expect(c.insertOne({ a: [1, 2], b: [3, 4] })).rejects.toMatchObject({ code: 171 });
    expect(await c.countDocuments()).toBe(0);
  });

  test("removes only expired documents by TTL", async () => {
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    const now = new Date();
    const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
    await c.insertMany([
      { k: 1, at: ago(61) },
      { k: 2, at: ago(59) },
      { k: 3 },
      { k: 4, at: "text" },
      { k: 5, at: [ago(5), ago(100)] },
    ]);
    expect(await removeExpired(store.services.store, now)).toBe(2);
    expect((await c.find().toArray()).map(({ k }) => k)).toEqual([2, 3, 4]);
  });

  test("rejects unsupported index types, paths and filters", async () => {
    for (const key of [{ a: "text" }, { a: "2dsphere" }, { a: "hashed" }, { "$**": 1 }, { "a.0": 1 }] as Document[]) {
      await expect(c.createIndex(key as never)).rejects.toMatchObject({ code: 67 });
    }
    for (const filter of [{ a: { $lt: 1 } }, { $or: [{ a: 1 }, { b: 1 }] }, { a: { $in: [1, 2] } }]) {
      await expect(c.createIndex({ a: 1 }, { partialFilterExpression: filter })).rejects.toMatchObject({ code: 67 });
    }
    await c.createIndex({ a: 1 });
    await expect(c.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 86 });
    await expect(c.createIndex({ b: 1 }, { name: "a_1" })).rejects.toMatchObject({ code: 86 });
    await expect(c.dropIndex("nope")).rejects.toMatchObject({ code: 27 });
    await expect(c.dropIndex("_id_")).rejects.toMatchObject({ code: 72 });
  });
});

describe("a cursor", () => {
  beforeEach(async () => {
    await c.insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i as never, pad: "x".repeat(100) })));
  });

  test("returns all documents in batches and closes with the last one", async () => {
    const cursor = c.find({}, { batchSize: 7 });
    expect(await cursor.toArray()).toHaveLength(1000);
    expect(store.services.cursors.size).toBe(0);
  });

  test("is killed when the client closes it early", async () => {
    const cursor = c.find({}, { batchSize: 10 });
    await cursor.next();
    expect(store.services.cursors.size).toBe(1);
    await cursor.close();
    expect(store.services.cursors.size).toBe(0);
  });

  test("with an unknown ID is rejected", async () => {
    const { Long } = await import("mongodb");
    await expect(
      store.client.db("t").command({ getMore: Long.fromNumber(12345), collection: "c" }),
    ).rejects.toMatchObject({ code: 43 });
  });

  test("continues while documents are removed and inserted, without missing or repeating the others", async () => {
    const cursor = c.find({}, { batchSize: 50 });
    const seen: number[] = [];
    for (let i = 0; i < 60; i++) seen.push((await cursor.next())?._id as never);
    await c.deleteMany({ _id: { $gte: 100 as never, $lt: 200 as never } });
    await c.insertOne({ _id: 5000 as never });
    for await (const doc of cursor) seen.push(doc._id as never);
    const wanted = Array.from({ length: 1000 }, (_, i) => i).filter((i) => i < 100 || i >= 200);
    expect(seen.filter((id) => id < 1000 && (id < 100 || id >= 200))).toEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("returns no batch above 16 MB", async () => {
    const big = store.client.db("t").collection("big");
    await big.drop();
    await big.insertMany(Array.from({ length: 5 }, () => ({ pad: "y".repeat(7 * 1024 * 1024) })));
    expect(await big.find({}, { batchSize: 5 }).toArray()).toHaveLength(5);
    await big.drop();
  });
});

test("lets other commands run during a long scan", async () => {
  await c.insertMany(Array.from({ length: 60_000 }, (_, i) => ({ i, text: `some text ${i}` })));
  const scan = c.find({ text: /nowhere to be found/ }).toArray();
  let isOver = false;
  void scan.then(() => {
    isOver = true;
  });
  let answered = 0;
  while (!isOver) {
    await store.client.db("t").command({ ping: 1 });
    if (!isOver) answered++;
  }
  expect(await scan).toEqual([]);
  expect(answered).toBeGreaterThan(0);
});

test("ends a command at its time limit", async () => {
  await c.insertMany(Array.from({ length: 30_000 }, (_, i) => ({ i, text: `some text ${i}` })));
  await expect(c.find({ text: /nowhere/ }, { maxTimeMS: 1 }).toArray()).rejects.toMatchObject({ code: 50 });
});

describe("an upsert", () => {
  test("inserts the query's equalities, $setOnInsert, and the _id first", async () => {
    const result = await c.updateOne(
      { k: 1, "s.x": 2, n: { $gt: 5 } },
      { $set: { v: 1 }, $setOnInsert: { made: true } },
      { upsert: true },
    );
    const stored = await c.findOne({ k: 1 });
    expect(stored).toEqual({ _id: result.upsertedId, k: 1, s: { x: 2 }, v: 1, made: true });
    expect(Object.keys(stored ?? {})[0]).toBe("_id");
    await c.updateOne({ k: 1 }, { $set: { v: 2 }, $setOnInsert: { made: false } }, { upsert: true });
    expect(await c.findOne({ k: 1 })).toMatchObject({ v: 2, made: true });
  });

  test("inserts one document when many use the same key at once", async () => {
    await c.createIndex({ key: 1 }, { unique: true });
    await Promise.all(
      Array.from({ length: 50 }, () => c.updateOne({ key: "k" }, { $inc: { n: 1 } }, { upsert: true })),
    );
    expect(await c.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ key: "k", n: 50 }]);
  });

  test("with two values for one field is rejected", async () => {
    await expect(
      c.updateOne({ $and: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } }, { upsert: true }),
    ).rejects.toMatchObject({ code: 54 });
  });
});

describe("an update", () => {
  test("can't change the _id", async () => {
    await c.insertOne({ _id: 1 as never });
    await expect(c.updateOne({ _id: 1 as never }, { $set: { _id: 2 } })).rejects.toMatchObject({ code: 66 });
    await expect(c.updateOne({ _id: 1 as never }, [{ $set: { _id: 2 } }])).rejects.toMatchObject({ code: 66 });
  });

  test("by pipeline sees the document's fields and $$NOW", async () => {
    await c.insertOne({ _id: 1 as never, n: 5 });
    const before = Date.now();
    await c.updateOne({}, [{ $set: { m: { $multiply: ["$n", 2] }, at: "$$NOW" } }, { $unset: "n" }]);
    const stored = await c.findOne();
    expect(stored).toMatchObject({ m: 10 });
    expect(stored).not.toHaveProperty("n");
    expect(Math.abs(stored?.at.getTime() - before)).toBeLessThan(5000);
    await expect(c.updateOne({}, [{ $group: { _id: null } }])).rejects.toMatchObject({ code: 72 });
  });

  test("of one document by a hundred writers at once loses none", async () => {
    await c.insertOne({ _id: 1 as never, n: 0 });
    await Promise.all(Array.from({ length: 100 }, () => c.findOneAndUpdate({ _id: 1 as never }, { $inc: { n: 1 } })));
    expect((await c.findOne())?.n).toBe(100);
  });

  test("with a version in its query succeeds for one of many", async () => {
    await c.insertOne({ _id: 1 as never, version: 1 });
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        c.updateOne({ _id: 1 as never, version: 1 }, { $set: { version: 2, by: i } }),
      ),
    );
    expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(1);
  });
});

describe("a projection", () => {
  test("includes, excludes and computes like MongoDB's", async () => {
    const list = [{ x: 1, y: 1 }, { x: 2 }];
    await c.insertOne({ _id: 1 as never, list, n: [1, 2, 3, 4], k: "v" });
    const shown = (filter: Document, projection: Document): Promise<Document | null> =>
      c.findOne(filter, { projection });
    expect(await shown({}, { k: 1 })).toEqual({ _id: 1, k: "v" });
    expect(await shown({}, { list: 0, n: 0 })).toEqual({ _id: 1, k: "v" });
    expect(await shown({}, { _id: 0, "list.x": 1 })).toEqual({ list: [{ x: 1 }, { x: 2 }] });
    expect(await shown({}, { _id: 0, size: { $size: "$n" } })).toEqual({ size: 4 });
    await expect(shown({}, { k: 1, n: 0 })).rejects.toMatchObject({ code: 31254 });
    await expect(shown({}, { list: { $elemMatch: { x: 2 } } })).rejects.toMatchObject({ code: 168 });
    await expect(shown({ "list.x": 2 }, { "list.$": 1 })).rejects.toMatchObject({ code: 16410 });
  });
});

describe("an ordered batch", () => {
  test("stops at its first failure; an unordered one continues", async () => {
    const docs = (): Document[] => [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    await expect(c.insertMany(docs() as never[])).rejects.toMatchObject({ code: 11000, result: { insertedCount: 1 } });
    await c.deleteMany({});
    await expect(c.insertMany(docs() as never[], { ordered: false })).rejects.toMatchObject({
      code: 11000,
      result: { insertedCount: 2 },
    });
  });
});

describe("validation", () => {
  test("by a collection's validator rejects invalid documents unless it is bypassed", async () => {
    const strict = await store.client.db("t").createCollection("strict", {
      validator: { name: { $type: "string" } },
    });
    await expect(strict.insertOne({ name: 5 })).rejects.toMatchObject({ code: 121 });
    await strict.insertOne({ name: 5 }, { bypassDocumentValidation: true });
    await strict.insertOne({ name: "x" });
    await expect(strict.updateOne({ name: "x" }, { $unset: { name: "" } })).rejects.toMatchObject({ code: 121 });
    await strict.drop();
  });
});

test("rejects unknown commands, options and stages with MongoDB's codes", async () => {
  const db = store.client.db("t");
  await expect(db.command({ mapReduce: "c" })).rejects.toMatchObject({
    code: 59,
    errmsg: "no such command: 'mapReduce'",
  });
  await expect(db.command({ find: "c", nope: 1 })).rejects.toMatchObject({ code: 40415 });
  await expect(c.aggregate([{ $nope: 1 }]).toArray()).rejects.toMatchObject({ code: 40324 });
  await expect(c.watch().next()).rejects.toMatchObject({ code: 40324 });
  await expect(c.find({}, { collation: { locale: "de" } }).toArray()).rejects.toMatchObject({ code: 2 });
  await expect(db.createCollection("capped", { capped: true, size: 1000 })).rejects.toMatchObject({ code: 40415 });
});
