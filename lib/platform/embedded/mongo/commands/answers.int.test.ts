import { type Collection, type Document, Long, ObjectId, Timestamp } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";

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
  ])("that one member cannot give is told, and the write is done: %j", async (writeConcern, code, codeName) => {
    const insert = { insert: "c", documents: [{ _id: 1 }], writeConcern };
    await expect(store.client.db("t").command(insert)).rejects.toMatchObject({
      code,
      errorResponse: { ok: 1, n: 1, writeConcernError: { code, codeName } },
    });
    await expect(c.insertOne({ a: 1 }, { writeConcern: writeConcern as never })).rejects.toMatchObject({ code });
    expect(await c.countDocuments()).toBe(2);
  });

  test.each([
    [{ w: 51 }, 9],
    [{ w: -1 }, 9],
    [{ w: 1, speed: 1 }, 40415],
    [{ j: "yes" }, 9],
  ])("that none may be is refused before anything is written: %j", async (writeConcern, code) => {
    const insert = { insert: "c", documents: [{ _id: 1 }], writeConcern };
    await expect(store.client.db("t").command(insert)).rejects.toMatchObject({ code });
    expect(await c.countDocuments()).toBe(0);
  });

  test("belongs to the commit of a transaction and to no read", async () => {
    const find = { find: "c", writeConcern: { w: 1 } };
    await expect(store.client.db("t").command(find)).rejects.toMatchObject({ code: 72 });
    const session = store.client.startSession();
    session.startTransaction({ writeConcern: { w: 2 } });
    await c.insertOne({ _id: 1 as never }, { session });
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 100 });
    await session.endSession();
    expect(await c.countDocuments()).toBe(1);
  });

  test("with j is acknowledged when the log has been synced, which a majority alone does not ask for", async () => {
    const { services } = store;
    const before = services.store.syncs;
    await c.insertOne({ a: 1 }, { writeConcern: { w: "majority" } });
    expect(services.store.syncs).toBe(before);
    await c.insertOne({ a: 1 }, { writeConcern: { w: 1, journal: true } });
    expect(services.store.syncs).toBe(before + 1);
    expect(await admin({ replSetGetConfig: 1 })).toMatchObject({
      config: { _id: "millrace", writeConcernMajorityJournalDefault: false },
    });
  });
});

describe("an update with names that begin with a dollar", () => {
  beforeEach(() => c.insertOne({ _id: 1 as never, a: 1 }));
  const _id = 1 as never;

  test.each([
    ["fields before operators", { a: 2, $set: { b: 1 } }],
    ["operators before fields", { $set: { b: 1 }, a: 2 }],
  ])("%s are refused, whether a document is there or not", async (_name, u) => {
    const update = (q: Document) => store.client.db("t").command({ update: "c", updates: [{ q, u, upsert: true }] });
    for (const q of [{ _id: 1 }, { _id: 2 }])
      expect((await update(q)).writeErrors).toMatchObject([{ code: expect.toBeOneOf([9, 52]) }]);
    expect(await c.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
  });

  test("may have them below the top, and at the top where an upsert makes the document", async () => {
    await c.updateOne({ _id }, { $set: { "address.$street": "Elm", "x.$y.z": 1 } });
    expect(await c.findOne({ _id })).toEqual({ _id: 1, a: 1, address: { $street: "Elm" }, x: { $y: { z: 1 } } });
    await expect(c.updateOne({ _id }, { $set: { $price: 1 } })).rejects.toMatchObject({ code: 52 });
    await expect(c.updateOne({ _id }, { $rename: { a: "$a" } })).rejects.toMatchObject({ code: 52 });
    await c.updateOne({ _id: 2 as never }, { $set: { $price: 1 } }, { upsert: true });
    expect(await c.findOne({ _id: 2 as never })).toEqual({ _id: 2, $price: 1 });
    await c.updateOne({ _id: 2 as never }, { $unset: { $price: 1 } });
    expect(await c.findOne({ _id: 2 as never })).toEqual({ _id: 2 });
  });

  test("the fields of references are found", async () => {
    const id = new ObjectId();
    const reference = { $ref: "people", $id: id };
    await c.insertOne({ _id: 3 as never, owner: reference, owners: [reference, { $ref: "teams", $id: 1, $db: "x" }] });
    const found = async (filter: Document) => (await c.find(filter).toArray()).map((each) => each._id);
    expect(await found({ owners: { $elemMatch: { $id: id } } })).toEqual([3]);
    expect(await found({ owners: { $elemMatch: { $ref: "teams", $id: { $gte: 1 }, $db: "x" } } })).toEqual([3]);
    expect(await found({ owners: { $elemMatch: { $or: [{ $id: 7 }, { $id: 1 }] } } })).toEqual([3]);
    expect(await found({ owners: { $elemMatch: { $ref: "people", $id: 1 } } })).toEqual([]);
    expect(await found({ "owner.$id": id })).toEqual([3]);
    await expect(found({ $id: id })).rejects.toMatchObject({ code: 2 });
  });
});

test("arrays of any length are pushed, joined and looked up", async () => {
  const many = Array.from({ length: 300_000 }, (_, i) => i);
  await c.insertOne({ _id: 1 as never, list: [1] });
  await c.updateOne({ _id: 1 as never }, { $push: { list: { $each: many, $position: 0 } } } as Document);
  const [joined] = await c
    .aggregate([
      { $lookup: { from: "c", localField: "list", foreignField: "_id", as: "found" } },
      { $project: { n: { $size: { $concatArrays: ["$list", "$list"] } }, found: { $size: "$found" } } },
    ])
    .toArray();
  expect(joined).toEqual({ _id: 1, n: 600_002, found: 1 });
});

describe("answers", () => {
  test("carry the set's clock, which goes forward and is understood when it comes back", async () => {
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

  test("to questions about the server are there", async () => {
    expect(await admin({ getCmdLineOpts: 1 })).toMatchObject({ ok: 1, argv: expect.any(Array), parsed: {} });
    expect(await admin({ hostInfo: 1 })).toMatchObject({ ok: 1, system: { cpuAddrSize: 64 }, os: {}, extra: {} });
    expect(await admin({ getLog: "*" })).toMatchObject({ names: ["global", "startupWarnings"] });
    expect(await admin({ getLog: "startupWarnings" })).toMatchObject({ totalLinesWritten: 0, log: [] });
    await expect(admin({ getLog: "rs" })).rejects.toMatchObject({ code: 96 });
    const { uptime } = await admin({ serverStatus: 1 });
    expect(Number.isInteger(uptime)).toBe(true);
    const one = { user: "millrace", db: "admin", mechanisms: ["SCRAM-SHA-256"] };
    for (const usersInfo of [1, "millrace", { user: "millrace", db: "admin" }, [{ user: "millrace", db: "admin" }]])
      expect((await admin({ usersInfo })).users).toMatchObject([one]);
    expect((await admin({ usersInfo: "nobody" })).users).toEqual([]);
    expect(JSON.stringify(await admin({ usersInfo: 1 }))).not.toMatch(/salt|storedKey|serverKey/i);
  });

  test("of validate tell what a collection is like, and which entry of an index is missing", async () => {
    await c.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i as never, tags: [i, i + 1] })));
    await c.createIndex({ tags: 1 });
    const validate = () => store.client.db("t").command({ validate: "c" });
    expect(await validate()).toMatchObject({
      valid: true,
      nrecords: 300,
      nIndexes: 2,
      keysPerIndex: { _id_: 300, tags_1: 600 },
      errors: [],
    });
    const index = store.services.store.find("t", "c")?.indexes[1];
    store.services.store.write(() => store.services.store.connection.run(`DELETE FROM "${index?.table}" WHERE r = 5`));
    expect(await validate()).toMatchObject({
      valid: false,
      missingIndexEntries: [{ indexName: "tags_1", recordId: Long.fromNumber(5).toNumber(), idKey: 4 }],
    });
    await expect(store.client.db("t").command({ validate: "none" })).rejects.toMatchObject({ code: 26 });
  });
});

test("distinct answers each value once, whatever its type", async () => {
  await c.insertMany(Array.from({ length: 5000 }, (_, i) => ({ v: i % 3 === 0 ? { a: i % 5 } : i % 7 })));
  const values = await c.distinct("v");
  expect(values).toHaveLength(12);
});
