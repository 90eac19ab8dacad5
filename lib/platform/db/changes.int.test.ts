import { afterAll, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { changesOf } from "./changes";
import { database, mongoClient } from "./client";
import { inTransaction } from "./transaction";

const own = takeOwnDatabase();
afterAll(own.drop);

const NAMES = ["counted_a", "counted_b"];
const a = () => database().collection<{ _id: number; n?: number }>("counted_a");

it.each<[string, () => Promise<unknown>]>([
  ["an insert", () => a().insertOne({ _id: 1 })],
  ["an update", () => a().updateOne({ _id: 1 }, { $set: { n: 1 } })],
  ["a change that gives the document", () => a().findOneAndUpdate({ _id: 1 }, { $set: { n: 2 } })],
  ["several writes at once", () => a().bulkWrite([{ insertOne: { document: { _id: 2 } } }])],
  ["a deletion", () => a().deleteMany({})],
  ["a write that fails", () => a().updateOne({ _id: 1 }, { $bad: 1 } as never)],
  ["a write past the accessor", () => mongoClient().db(database().databaseName).collection("counted_b").insertOne({})],
])("counts the start and the end of %s", async (_, write) => {
  const before = changesOf(NAMES);
  const under = write().catch(() => undefined);
  const begun = changesOf(NAMES);
  expect(begun).toBeGreaterThan(before);
  await under;
  await expect.poll(() => changesOf(NAMES)).toBeGreaterThan(begun);
});

it("counts a transaction when it ends, committed or not", async () => {
  for (const isUndone of [false, true]) {
    let inside = 0;
    const under = inTransaction(async (session) => {
      await a().insertOne({ _id: isUndone ? 11 : 10 }, { session });
      inside = changesOf(NAMES);
      if (isUndone) throw new Error("undone");
    });
    await under.catch(() => undefined);
    expect(changesOf(NAMES)).toBeGreaterThan(inside);
  }
});

it("counts neither reads nor writes to other collections", async () => {
  const before = changesOf(NAMES);
  await a().findOne({ _id: 10 });
  await a().find({}).sort({ _id: 1 }).toArray();
  await a().countDocuments();
  await a()
    .aggregate([{ $match: {} }])
    .toArray();
  await database().collection("counted_c").insertOne({});
  expect(changesOf(NAMES)).toBe(before);
});
