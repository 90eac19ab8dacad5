import { ObjectId } from "mongodb";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import "@/lib/features/connections/sealed-fields";
import { collections } from "@/lib/features/instance/collections";
import { takeOwnDatabase } from "@/test/database";
import { isRotationComplete, rotateSealedFields } from "./rotate";
import { open, type Sealed, seal } from "./seal";
import { contextOf, registeredSealedFields } from "./sealed-fields";

const own = takeOwnDatabase();
afterAll(own.drop);

const OLD = { id: "old", key: Buffer.alloc(32, 1) };
const NEW = { id: "new", key: Buffer.alloc(32, 2) };
const BOTH = [NEW, OLD];
const CONNECTIONS = registeredSealedFields().filter(({ name }) => name === "connections");
const PATH = "secrets.password";

beforeEach(async () => {
  await collections.connections().deleteMany({});
});

/** Stores connections; callers use more than two batches. */
async function store(count: number, ring = [OLD]): Promise<ConnectionDoc[]> {
  const docs = Array.from({ length: count }, (_, index): ConnectionDoc => {
    const ids = { _id: new ObjectId(), workspaceId: new ObjectId() };
    return {
      ...ids,
      name: `Database ${index}`,
      type: "postgres",
      category: "database",
      readOnly: true,
      config: { host: "db.example.com" },
      secrets: { password: seal(`secret ${index}`, contextOf(ids, PATH), ring) },
      status: "untested",
      lastTestedAt: null,
      lastError: null,
      createdBy: new ObjectId(),
      createdAt: new Date(0),
      updatedAt: new Date(0),
    };
  });
  await collections.connections().insertMany(docs);
  return docs;
}

async function read(_id: ObjectId, ring = BOTH): Promise<string> {
  const doc = await collections.connections().findOne({ _id });
  if (!doc) throw new Error("It is gone.");
  return open(doc.secrets.password as Sealed, contextOf(doc, PATH), ring);
}

test("T45 fails none of 1,000 reads during a rotation, and does not need the old key afterwards", async () => {
  const docs = await store(250);
  let isDone = false;
  const rotation = rotateSealedFields({ ring: BOTH, fields: CONNECTIONS }).finally(() => {
    isDone = true;
  });
  let reads = 0;
  let meanwhile = 0;
  while (!isDone || reads < 1000) {
    const some = docs.slice((reads * 7) % 240, ((reads * 7) % 240) + 10);
    await Promise.all(some.map(async (doc) => expect(await read(doc._id)).toBe(`secret ${docs.indexOf(doc)}`)));
    reads += some.length;
    if (!isDone) meanwhile = reads;
  }
  expect(meanwhile).toBeGreaterThan(100);
  const counts = await rotation;
  expect(counts).toEqual([
    { name: "connections", documents: 250, sealed: 250, resealed: 250, left: 0, unreadable: [] },
  ]);
  expect(isRotationComplete(counts)).toBe(true);
  for (const [index, doc] of docs.entries()) expect(await read(doc._id, [NEW])).toBe(`secret ${index}`);
  const untouched = await collections.connections().findOne({ _id: docs[0]?._id });
  expect(untouched).toMatchObject({ config: { host: "db.example.com" }, updatedAt: new Date(0) });
});

test("T45 keeps a concurrent edit, encrypted with either key", async () => {
  const docs = await store(150);
  const rotation = rotateSealedFields({ ring: BOTH, fields: CONNECTIONS });
  await Promise.all(
    docs.map(async (doc, index) => {
      // A server that was not restarted yet still encrypts with the old key.
      const sealed = seal(`edited ${index}`, contextOf(doc, PATH), index % 2 === 0 ? BOTH : [OLD]);
      await collections.connections().updateOne({ _id: doc._id }, { $set: { [PATH]: sealed } });
    }),
  );
  await rotation;
  // A value that an old server wrote after the pass is left to the next run.
  const [count] = await rotateSealedFields({ ring: BOTH, fields: CONNECTIONS });
  expect(count).toMatchObject({ sealed: 150, left: 0, unreadable: [] });
  for (const [index, doc] of docs.entries()) expect(await read(doc._id, [NEW])).toBe(`edited ${index}`);
});

test("keeps the change of a value that changes between read and write", async () => {
  const [doc] = await store(1);
  if (!doc) throw new Error("Nothing was stored.");
  const collection = collections.connections();
  const edited = seal("edited", contextOf(doc, PATH), BOTH);
  const racing: typeof collection = Object.assign(Object.create(collection), {
    updateOne: async (...args: Parameters<typeof collection.updateOne>) => {
      await collection.updateOne({ _id: doc._id }, { $set: { [PATH]: edited } });
      return collection.updateOne(...args);
    },
  });
  // Not registered: later test files of this process have other databases.
  const fields = CONNECTIONS.map((each) => ({ ...each, collection: () => racing as never }));
  const [count] = await rotateSealedFields({ ring: BOTH, fields });
  expect(count).toMatchObject({ resealed: 0, left: 0 });
  expect(await read(doc._id)).toBe("edited");
});

test("resumes after an interruption with the rest only", async () => {
  await store(30, [NEW]);
  await store(40, [OLD]);
  expect(await rotateSealedFields({ ring: BOTH, fields: CONNECTIONS })).toMatchObject([
    { sealed: 70, resealed: 40, left: 0 },
  ]);
  expect(await rotateSealedFields({ ring: BOTH, fields: CONNECTIONS })).toMatchObject([
    { sealed: 70, resealed: 0, left: 0 },
  ]);
});

test("names and keeps values that can't be decrypted, and rotates the others", async () => {
  const [lost] = await store(1, [{ id: "gone", key: Buffer.alloc(32, 3) }]);
  await store(5);
  const counts = await rotateSealedFields({ ring: BOTH, fields: CONNECTIONS });
  expect(counts).toMatchObject([
    { sealed: 6, resealed: 5, unreadable: [{ recordId: lost?._id.toHexString(), path: PATH, reason: "unknown_key" }] },
  ]);
  expect(isRotationComplete(counts)).toBe(false);
  expect(await collections.connections().findOne({ _id: lost?._id })).toMatchObject({ secrets: lost?.secrets });
});
