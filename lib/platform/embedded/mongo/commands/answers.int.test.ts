import { type Collection, type Document, MongoClient, ObjectId, Timestamp } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";
import { COMMANDS } from "./table.ts";
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

const admin = (command: Document) => store.client.db("admin").command(command);

describe("a write concern", () => {
  test.each([
    [{ w: 2 }, 100, "UnsatisfiableWriteConcern"],
    [{ w: "datacenters" }, 79, "UnknownReplWriteConcern"],
  ])(
    "that one member can't satisfy is reported, and the write is applied: %j",
    async (writeConcern, code, codeName) => {
      const insert = { insert: "c", documents: [{ _id: 1 }], writeConcern };
      await expect(store.client.db("t").command(insert)).rejects.toMatchObject({
        code,
        errorResponse: { ok: 1, n: 1, writeConcernError: { code, codeName } },
      });
      await expect(c.insertOne({ a: 1 }, { writeConcern: writeConcern as never })).rejects.toMatchObject({ code });
      expect(await c.countDocuments()).toBe(2);
    },
  );

  test.each([
    [{ w: 51 }, 9],
    [{ w: -1 }, 9],
    [{ w: 1, speed: 1 }, 40415],
    [{ j: "yes" }, 9],
  ])("that is invalid is rejected before anything is written: %j", async (writeConcern, code) => {
    const insert = { insert: "c", documents: [{ _id: 1 }], writeConcern };
    await expect(store.client.db("t").command(insert)).rejects.toMatchObject({ code });
    expect(await c.countDocuments()).toBe(0);
  });

  test("belongs to the commit of a transaction and not to reads", async () => {
    const find = { find: "c", writeConcern: { w: 1 } };
    await expect(store.client.db("t").command(find)).rejects.toMatchObject({ code: 72 });
    const session = store.client.startSession();
    session.startTransaction({ writeConcern: { w: 2 } });
    await c.insertOne({ _id: 1 as never }, { session });
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 100 });
    await session.endSession();
    expect(await c.countDocuments()).toBe(1);
  });

  test("with j is acknowledged when the log is synced, which majority alone does not require", async () => {
    const { services } = store;
    const before = services.store.syncs;
    await c.insertOne({ a: 1 }, { writeConcern: { w: "majority" } });
    expect(services.store.syncs).toBe(before);
    await c.insertOne({ a: 1 }, { writeConcern: { w: 1, journal: true } });
    expect(services.store.syncs).toBe(before + 1);
  });
});

describe("an update with names that start with a dollar", () => {
  beforeEach(() => c.insertOne({ _id: 1 as never, a: 1 }));
  const _id = 1 as never;

  test.each([
    ["fields before operators", { a: 2, $set: { b: 1 } }],
    ["operators before fields", { $set: { b: 1 }, a: 2 }],
  ])("%s are rejected, whether the document exists or not", async (_name, u) => {
    const update = (q: Document) => store.client.db("t").command({ update: "c", updates: [{ q, u, upsert: true }] });
    for (const q of [{ _id: 1 }, { _id: 2 }])
      expect((await update(q)).writeErrors).toMatchObject([{ code: expect.toBeOneOf([9, 52]) }]);
    expect(await c.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
  });

  test("may have them below the top level, and at the top level in an upsert's insert", async () => {
    await c.updateOne({ _id }, { $set: { "address.$street": "Elm", "x.$y.z": 1 } });
    expect(await c.findOne({ _id })).toEqual({ _id: 1, a: 1, address: { $street: "Elm" }, x: { $y: { z: 1 } } });
    await expect(c.updateOne({ _id }, { $set: { $price: 1 } })).rejects.toMatchObject({ code: 52 });
    await c.updateOne({ _id: 2 as never }, { $set: { $price: 1 } }, { upsert: true });
    expect(await c.findOne({ _id: 2 as never })).toEqual({ _id: 2, $price: 1 });
    await c.updateOne({ _id: 2 as never }, { $unset: { $price: 1 } });
    expect(await c.findOne({ _id: 2 as never })).toEqual({ _id: 2 });
  });

  test("finds the fields of references", async () => {
    const id = new ObjectId();
    const reference = { $ref: "people", $id: id };
    await c.insertOne({ _id: 3 as never, owner: reference });
    const found = async (filter: Document) => (await c.find(filter).toArray()).map((each) => each._id);
    expect(await found({ owner: reference })).toEqual([3]);
    expect(await found({ "owner.$id": id })).toEqual([3]);
    expect(await found({ "owner.$ref": "teams" })).toEqual([]);
    await expect(found({ $id: id })).rejects.toMatchObject({ code: 2 });
  });
});

test("pushes, joins and looks up arrays of any length", async () => {
  const many = Array.from({ length: 300_000 }, (_, i) => i);
  await c.insertOne({ _id: 1 as never, list: [1] });
  await c.updateOne({ _id: 1 as never }, { $push: { list: { $each: many } } } as Document);
  const [joined] = await c
    .aggregate([
      { $lookup: { from: "c", localField: "list", foreignField: "_id", as: "found" } },
      { $project: { n: { $size: { $concatArrays: ["$list", "$list"] } }, found: { $size: "$found" } } },
    ])
    .toArray();
  expect(joined).toEqual({ _id: 1, n: 600_002, found: 1 });
});

describe("replies", () => {
  test("contain the cluster time, which increases and is accepted back", async () => {
    const first = await admin({ ping: 1 });
    const second = await admin({ ping: 1 });
    for (const { operationTime, $clusterTime } of [first, second]) {
      expect(operationTime).toBeInstanceOf(Timestamp);
      expect($clusterTime.clusterTime).toBeInstanceOf(Timestamp);
      expect($clusterTime.signature).toMatchObject({ keyId: expect.anything() });
    }
    expect(second.operationTime.compare(first.operationTime)).toBe(1);
    const session = store.client.startSession({ causalConsistency: true });
    await c.insertOne({ _id: 7 as never }, { session });
    expect(session.operationTime).toBeInstanceOf(Timestamp);
    expect(await c.findOne({ _id: 7 as never }, { session })).toEqual({ _id: 7 });
    await session.endSession();
    const refused = await admin({ nothing: 1 }).catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 59, errorResponse: { operationTime: expect.any(Timestamp) } });
  });
});

test("of distinct have each value once, for every type", async () => {
  await c.insertMany(Array.from({ length: 5000 }, (_, i) => ({ v: i % 3 === 0 ? { a: i % 5 } : i % 7 })));
  const values = await c.distinct("v");
  expect(values).toHaveLength(12);
});

describe("unknown input", () => {
  const strict = [...COMMANDS].filter(([, { fields }]) => fields !== undefined).map(([name]) => name);

  test.each(strict)("rejects an unknown option of %s", async (name) => {
    await expect(store.client.db("t").command({ [name]: 1, unheardOf: 1 })).rejects.toMatchObject({
      code: 40415,
      errmsg: `BSON field '${name}.unheardOf' is an unknown field.`,
    });
  });

  test.each([
    ["a read concern", { find: "c", readConcern: { level: "local", unheardOf: 1 } }, 40415],
    ["a cursor", { aggregate: "c", pipeline: [], cursor: { unheardOf: 1 } }, 40415],
    ["an explained find", { explain: { find: "c", unheardOf: 1 } }, 40415],
    ["an index", { createIndexes: "c", indexes: [{ key: { a: 1 }, name: "a", unheardOf: 1 }] }, 197],
  ])("rejects an unknown option of %s", async (_name, command, code) => {
    await expect(store.client.db("t").command(command)).rejects.toMatchObject({ code });
  });

  test.each([
    ["update", { update: "c", updates: [{ q: {}, u: { $set: { a: 1 } }, unheardOf: 1 }] }],
    ["delete", { delete: "c", deletes: [{ q: {}, limit: 1, unheardOf: 1 }] }],
  ])("rejects an unknown option of a statement of %s", async (_name, command) => {
    expect(await store.client.db("t").command(command)).toMatchObject({ writeErrors: [{ code: 40415 }] });
  });
});

test("ends a client's sessions when it closes", async () => {
  const client = new MongoClient(store.uri);
  const session = client.startSession();
  session.startTransaction();
  await client.db("t").collection("c").insertOne({ a: 1 }, { session });
  expect(store.services.sessions.openTransactions).toBe(1);
  await client.db("admin").command({ endSessions: [session.id], writeConcern: { w: 1 } });
  expect(store.services.sessions.openTransactions).toBe(0);
  await client.close();
});
