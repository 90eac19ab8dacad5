import { type ClientSession, type Collection, MongoServerError } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";
import { processorTimeOf } from "../../../../../test/processor-time.ts";

type Account = { _id: string | number; n: number; tag?: string };

let store: TestStore;
let c: Collection<Account>;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(async () => {
  c = store.client.db("t").collection<Account>("accounts");
  await c.drop();
  await c.insertMany([
    { _id: "a", n: 1 },
    { _id: "b", n: 2 },
    { _id: "c", n: 3 },
  ]);
});

async function started(): Promise<ClientSession> {
  const session = store.client.startSession();
  session.startTransaction();
  return session;
}

describe("a transaction", () => {
  test("of twenty thousand inserts with indexes takes time proportional to their number", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    // Warm-up: compiles the code that both measurements run.
    await insertsOf(1000);
    const few = await processorTimeOf(() => insertsOf(5000));
    const many = await processorTimeOf(() => insertsOf(20_000));
    // Quadratic time would be sixteen times as long.
    expect(many / few).toBeLessThan(8);
  });

  async function insertsOf(count: number): Promise<void> {
    type Item = { _id: number; n: number; tags: string[] };
    const items = store.client.db("t").collection<Item>("items");
    await items.drop();
    await items.createIndexes([{ key: { n: 1 }, unique: true }, { key: { tags: 1 } }]);
    await items.insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: -1 - i, n: -1 - i, tags: ["old"] })));
    const session = await started();
    const made = Array.from({ length: count }, (_, i) => ({ _id: i, n: i * 2, tags: [`t${i % 10}`, `u${i % 7}`] }));
    await items.insertMany(made, { session });
    await items.updateMany({ tags: "t3" }, { $inc: { n: 1 }, $pull: { tags: "t3" } }, { session });
    await items.deleteMany({ tags: "u1" }, { session });
    await items.deleteMany({ n: { $lt: -500 } }, { session });
    const expected = made
      .filter(({ _id }) => _id % 7 !== 1)
      .map(({ _id, n, tags }) => (_id % 10 === 3 ? { _id, n: n + 1, tags: tags.slice(1) } : { _id, n, tags }));
    const check = async (options: { session?: ClientSession }): Promise<void> => {
      expect(
        await items
          .find({ n: { $gte: 0 } }, options)
          .sort({ n: 1 })
          .toArray(),
      ).toEqual(expected);
      expect(
        await items
          .find({ _id: { $gte: 0 } }, options)
          .sort({ _id: -1 })
          .toArray(),
      ).toEqual(expected.toReversed());
      expect(await items.find({}, options).hint({ $natural: 1 }).toArray()).toHaveLength(expected.length + 500);
      expect(await items.countDocuments({ tags: "u2" }, options)).toBe(
        expected.filter(({ tags }) => tags.includes("u2")).length,
      );
      expect(await items.findOne({ _id: 13 }, options)).toEqual({ _id: 13, n: 27, tags: ["u6"] });
    };
    await check({ session });
    await session.commitTransaction();
    await session.endSession();
    await check({});
  }

  test("rejects a key that it has used itself, and accepts one that it has released", async () => {
    const items = store.client.db("t").collection<{ _id: number; n: number }>("unique");
    await items.drop();
    await items.createIndex({ n: 1 }, { unique: true });
    const session = await started();
    await items.insertMany(
      [
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ],
      { session },
    );
    await items.updateOne({ _id: 1 }, { $set: { n: 10 } }, { session });
    await items.deleteOne({ _id: 2 }, { session });
    await items.insertMany(
      [
        { _id: 2, n: 1 },
        { _id: 3, n: 2 },
      ],
      { session },
    );
    await expect(items.insertOne({ _id: 4, n: 10 }, { session })).rejects.toMatchObject({ code: 11000 });
    await session.abortTransaction();
    expect(await items.countDocuments()).toBe(0);
  });

  test("reads the snapshot of its start with its own writes, whatever others commit", async () => {
    const session = await started();
    expect(await c.countDocuments({}, { session })).toBe(3);
    await c.insertOne({ _id: "other", n: 9 });
    await c.updateOne({ _id: "b" }, { $set: { n: 20 } });
    await c.insertOne({ _id: "own", n: 5 }, { session });
    await c.deleteOne({ _id: "c" }, { session });
    const seen = await c.find({}, { session }).sort({ _id: 1 }).toArray();
    expect(seen).toEqual([
      { _id: "a", n: 1 },
      { _id: "b", n: 2 },
      { _id: "own", n: 5 },
    ]);
    await session.commitTransaction();
    expect(
      await c
        .find()
        .sort({ _id: 1 })
        .map(({ _id }) => _id)
        .toArray(),
    ).toEqual(["a", "b", "other", "own"]);
    await session.endSession();
  });

  test("is invisible to others before its commit and visible to all after it", async () => {
    const session = await started();
    await c.updateOne({ _id: "a" }, { $inc: { n: 100 } }, { session });
    expect((await c.findOne({ _id: "a" }))?.n).toBe(1);
    await session.commitTransaction();
    expect((await c.findOne({ _id: "a" }))?.n).toBe(101);
    await session.endSession();
  });

  test("leaves nothing behind when it is aborted, not even a collection that it created", async () => {
    const session = await started();
    await c.deleteMany({}, { session });
    await store.client.db("t").collection("made").insertOne({ x: 1 }, { session });
    await session.abortTransaction();
    expect(await c.countDocuments()).toBe(3);
    expect(await store.client.db("t").listCollections({ name: "made" }).toArray()).toEqual([]);
    await session.endSession();
  });

  test("gets WriteConflict as a transient error when another one holds the document", async () => {
    const first = await started();
    const second = await started();
    await c.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session: first });
    const conflict = await c
      .updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session: second })
      .catch((error: unknown) => error);
    expect(conflict).toBeInstanceOf(MongoServerError);
    expect(conflict).toMatchObject({ code: 112, codeName: "WriteConflict" });
    expect((conflict as MongoServerError).hasErrorLabel("TransientTransactionError")).toBe(true);
    await first.commitTransaction();
    expect((await c.findOne({ _id: "a" }))?.n).toBe(2);
    await first.endSession();
    await second.endSession();
  });

  test("gets WriteConflict when the document was written after its snapshot", async () => {
    const session = await started();
    await c.findOne({ _id: "b" }, { session });
    await c.updateOne({ _id: "a" }, { $set: { n: 50 } });
    await expect(c.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session })).rejects.toMatchObject({ code: 112 });
    await session.endSession();
  });

  test("blocks a write outside of it until it ends; the write then sees the committed document", async () => {
    const session = await started();
    await c.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session });
    const waiting = c.updateOne({ _id: "a" }, [{ $set: { n: { $multiply: ["$n", 10] } } }]);
    const early = await Promise.race([
      waiting.then(() => "done"),
      new Promise((resolve) => setTimeout(() => resolve("waits"), 100)),
    ]);
    expect(early).toBe("waits");
    await session.commitTransaction();
    await waiting;
    expect((await c.findOne({ _id: "a" }))?.n).toBe(20);
    await session.endSession();
  });

  test.each(["commitTransaction", "abortTransaction"] as const)(
    "lets many writes of one document wait and loses none after %s",
    async (end) => {
      for (let round = 0; round < 10; round++) {
        await c.updateOne({ _id: "a" }, { $set: { n: 0 } });
        const session = await started();
        await c.updateOne({ _id: "a" }, { $inc: { n: 1000 } }, { session });
        const waiting = [
          ...Array.from({ length: 20 }, () => c.updateOne({ _id: "a" }, { $inc: { n: 1 } })),
          ...Array.from({ length: 20 }, () => c.findOneAndUpdate({ _id: "a" }, [{ $set: { n: { $add: ["$n", 1] } } }])),
          ...Array.from({ length: 20 }, () => c.updateMany({ _id: "a" }, { $inc: { n: 1 } })),
        ];
        await new Promise((resolve) => setTimeout(resolve, 20));
        await session[end]();
        await Promise.all(waiting);
        expect((await c.findOne({ _id: "a" }))?.n).toBe(end === "commitTransaction" ? 1060 : 60);
        await session.endSession();
      }
    },
  );

  test("ends a waiting write at its time limit", async () => {
    const session = await started();
    await c.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session });
    await expect(c.updateOne({ _id: "a" }, { $set: { n: 0 } }, { maxTimeMS: 100 })).rejects.toMatchObject({ code: 50 });
    await session.abortTransaction();
    await session.endSession();
  });

  test("enforces unique indexes: inside at once, against others at the commit", async () => {
    await c.createIndex({ tag: 1 }, { unique: true, sparse: true });
    const session = await started();
    await c.insertOne({ _id: 1, n: 0, tag: "x" }, { session });
    await c.insertOne({ _id: 2, n: 0, tag: "x" });
    const failure = await session.commitTransaction().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 112 });
    expect(await c.countDocuments({ tag: "x" })).toBe(1);
    await session.endSession();
    const second = await started();
    await c.insertOne({ _id: 3, n: 0, tag: "y" }, { session: second });
    await expect(c.insertOne({ _id: 4, n: 0, tag: "y" }, { session: second })).rejects.toMatchObject({ code: 11000 });
    await second.endSession();
  });

  test("can swap the values of a unique index between two documents", async () => {
    await c.createIndex({ tag: 1 }, { unique: true, sparse: true });
    await c.updateOne({ _id: "a" }, { $set: { tag: "one" } });
    await c.updateOne({ _id: "b" }, { $set: { tag: "two" } });
    const session = await started();
    await c.updateOne({ _id: "a" }, { $set: { tag: "free" } }, { session });
    await c.updateOne({ _id: "b" }, { $set: { tag: "one" } }, { session });
    await c.updateOne({ _id: "a" }, { $set: { tag: "two" } }, { session });
    await session.commitTransaction();
    expect(await c.findOne({ tag: "one" })).toMatchObject({ _id: "b" });
    expect(await c.findOne({ tag: "two" })).toMatchObject({ _id: "a" });
    await session.endSession();
  });

  test("finds its own writes by index in order, and not at their old position", async () => {
    await c.createIndex({ n: -1 });
    const session = await started();
    await c.updateOne({ _id: "a" }, { $set: { n: 10 } }, { session });
    await c.insertOne({ _id: "d", n: 2.5 }, { session });
    const found = await c
      .find({ n: { $gte: 2 } }, { session })
      .sort({ n: -1 })
      .toArray();
    expect(found.map(({ _id }) => _id)).toEqual(["a", "c", "d", "b"]);
    expect(await c.find({ n: 1 }, { session }).toArray()).toEqual([]);
    await session.abortTransaction();
    await session.endSession();
  });

  test("transfers money among many at once without loss (withTransaction retries conflicts)", async () => {
    await c.deleteMany({});
    await c.insertMany(Array.from({ length: 5 }, (_, i) => ({ _id: i, n: 100 })));
    const transfer = async (from: number, to: number): Promise<void> =>
      store.client.withSession((session) =>
        session.withTransaction(async () => {
          await c.updateOne({ _id: from }, { $inc: { n: -1 } }, { session });
          await c.updateOne({ _id: to }, { $inc: { n: 1 } }, { session });
        }),
      );
    await Promise.all(Array.from({ length: 60 }, (_, i) => transfer(i % 5, (i * 3 + 1) % 5)));
    const all = await c.find().toArray();
    expect(all.reduce((sum, { n }) => sum + n, 0)).toBe(500);
    expect(store.services.sessions.openTransactions).toBe(0);
    expect(store.services.store.locks.size).toBe(0);
  });

  test("answers a repeated commit, and rejects further commands", async () => {
    const session = await started();
    await c.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session });
    await session.commitTransaction();
    await session.commitTransaction();
    expect((await c.findOne({ _id: "a" }))?.n).toBe(2);
    await session.endSession();
  });

  test("rejects commands that are not allowed in it", async () => {
    const session = await started();
    await expect(c.aggregate([{ $out: "x" }], { session }).toArray()).rejects.toMatchObject({ code: 263 });
    const second = await started();
    await expect(store.client.db("t").command({ count: "accounts" }, { session: second })).rejects.toMatchObject({
      code: 263,
    });
    await session.endSession();
    await second.endSession();
  });
});

test("does not use an index that was created after it started", async () => {
  const session = await started();
  expect(await c.countDocuments({}, { session })).toBe(3);
  await c.deleteOne({ _id: "b" });
  await c.createIndex({ n: 1 }, { name: "by_n" });
  expect(await c.find({ n: 2 }, { session }).toArray()).toEqual([{ _id: "b", n: 2 }]);
  await session.abortTransaction();
  await session.endSession();
});
