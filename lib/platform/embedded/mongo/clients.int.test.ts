import { MongoDBAdapter } from "@auth/mongodb-adapter";
import { deserialize } from "bson";
import { type Collection, Decimal128, Double, Int32, Long, ReadConcern } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../test/fixtures/embedded/mongo/start.ts";

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

test("supports next-auth's adapter: users, accounts, sessions and tokens", async () => {
  const adapter = MongoDBAdapter(store.client, { databaseName: "auth" });
  const user = await adapter.createUser?.({ id: "", email: "ada@example.com", emailVerified: null, name: "Ada" });
  const userId = user?.id ?? "";
  expect(await adapter.getUserByEmail?.("ada@example.com")).toMatchObject({ id: userId, name: "Ada" });
  await adapter.linkAccount?.({ userId, type: "oauth", provider: "github", providerAccountId: "42" });
  expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: "42" })).toMatchObject({
    id: userId,
  });
  const expires = new Date(Date.now() + 60_000);
  await adapter.createSession?.({ sessionToken: "hashed", userId, expires });
  expect(await adapter.getSessionAndUser?.("hashed")).toMatchObject({
    session: { userId, expires },
    user: { id: userId },
  });
  await adapter.updateUser?.({ id: userId, name: "Ada L." });
  expect(await adapter.getUser?.(userId)).toMatchObject({ name: "Ada L.", email: "ada@example.com" });
  await adapter.createVerificationToken?.({ identifier: "ada@example.com", token: "t", expires });
  expect(await adapter.useVerificationToken?.({ identifier: "ada@example.com", token: "t" })).toMatchObject({
    token: "t",
  });
  expect(await adapter.useVerificationToken?.({ identifier: "ada@example.com", token: "t" })).toBeNull();
  await adapter.deleteSession?.("hashed");
  expect(await adapter.getSessionAndUser?.("hashed")).toBeNull();
  await adapter.deleteUser?.(userId);
  expect(await adapter.getUser?.(userId)).toBeNull();
});

test("restores the same bytes from a mongodump-like read and a mongorestore-like write", async () => {
  const from = store.client.db("dumped");
  await from.createCollection("empty");
  await from.collection("things").createIndexes([
    { key: { k: 1, at: -1 }, unique: true, partialFilterExpression: { k: { $gt: 5 } } },
    { key: { at: 1 }, expireAfterSeconds: 3600 },
  ]);
  await from.collection("things").insertMany(
    Array.from({ length: 2500 }, (_, k) => ({
      k,
      at: new Date(Date.now() + k),
      values: [new Int32(k), Long.fromNumber(k), new Double(k), Decimal128.fromString(`${k}.50`), null, /x/i],
      bytes: Buffer.alloc(k % 300, k),
    })),
  );
  await from.createCollection("seen", { viewOn: "things", pipeline: [{ $match: { k: { $lt: 3 } } }] });

  const into = store.client.db("restored");
  for (const { name, type, options } of await from.listCollections({}, { nameOnly: false }).toArray()) {
    await into.createCollection(name, options);
    if (type !== "collection") continue;
    const dumped = await readAll(from.collection(name));
    const indexes = await from.collection(name).listIndexes().toArray();
    await into.collection(name).createIndexes(indexes);
    for (let i = 0; i < dumped.length; i += 1000) {
      const batch = dumped.slice(i, i + 1000).map((bytes) => deserialize(bytes, { promoteValues: false }));
      await into.collection(name).insertMany(batch);
    }
    expect(await readAll(into.collection(name))).toEqual(dumped);
    expect(await into.collection(name).listIndexes().toArray()).toEqual(indexes);
  }
  expect(await into.collection("things").countDocuments()).toBe(2500);
  expect(await into.collection("seen").countDocuments()).toBe(3);
  const described = await from.listCollections({}, { nameOnly: true }).toArray();
  expect(described.map(({ name }) => name).sort()).toEqual(["empty", "seen", "things"]);
});

/** Returns all documents of a collection, in order of their `_id`, as their bytes on the wire. */
function readAll(collection: Collection): Promise<Buffer[]> {
  return collection.find<Buffer>({}, { raw: true, hint: { _id: 1 }, batchSize: 300 }).toArray();
}

test.each(["local", "available", "majority", "linearizable"] as const)(
  "with read concern %s reads data written with any write concern",
  async (level) => {
    const db = store.client.db("concerns", { readConcern: new ReadConcern(level), readPreference: "primaryPreferred" });
    const c = db.collection<{ _id: string }>(level);
    const concerns = [
      { w: 1 },
      { w: "majority" as const },
      { w: 1, j: true },
      { w: "majority" as const, wtimeoutMS: 500 },
    ];
    for (const [n, writeConcern] of concerns.entries()) await c.insertOne({ _id: `written ${n}` }, { writeConcern });
    expect(await c.find().toArray()).toHaveLength(concerns.length);
    expect(await c.countDocuments()).toBe(concerns.length);
    await c.insertOne({ _id: "unacknowledged" }, { writeConcern: { w: 0 } });
    await expect.poll(() => c.findOne({ _id: "unacknowledged" })).not.toBeNull();
  },
);
