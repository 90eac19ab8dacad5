import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Collection, Document } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";

/** Number of documents that together exceed the 100 MB that a stage may hold in memory. */
const BIG = 1300;
const BIG_BYTES = 100_000;

type Big = { _id: number; by: number; side: number; text: string };

let store: TestStore;
let big: Collection<Big>;

const byOf = (i: number) => (i * 7919) % 500;

beforeAll(async () => {
  store = await startTestStore();
  big = store.client.db("t").collection<Big>("big");
  for (let from = 0; from < BIG; from += 100) {
    const some = Array.from({ length: Math.min(100, BIG - from) }, (_, n) => {
      const i = from + n;
      return { _id: i, by: byOf(i), side: i % 2, text: String(i).padEnd(BIG_BYTES, "x") };
    });
    await big.insertMany(some);
  }
}, 60_000);

afterAll(() => store.stop());

afterEach(() => {
  expect(readdirSync(join(store.dir, "store")).filter((name) => name.includes("sort"))).toEqual([]);
});

/** The expected order: by `by`, descending, equal ones in insertion order. */
const ordered = Array.from({ length: BIG }, (_, i) => i).sort((a, b) => byOf(b) - byOf(a) || a - b);

const idsOf = (docs: Document[]) => docs.map(({ _id }) => _id);

describe("a sort of more than 100 MB", () => {
  test("uses the disk and keeps equal documents in order", async () => {
    expect(idsOf(await big.find().sort({ by: -1 }).project({ _id: 1 }).toArray())).toEqual(ordered);
    expect(idsOf(await big.find({}, { allowDiskUse: true }).sort({ by: -1 }).skip(3).limit(1200).toArray())).toEqual(
      ordered.slice(3, 1203),
    );
  }, 60_000);

  test("of changed documents in a pipeline also does, completely", async () => {
    const found = await big
      .aggregate<Big & { twice: number }>([
        { $set: { twice: { $multiply: ["$by", 2] } } },
        { $sort: { twice: -1, side: 1 } },
      ])
      .toArray();
    const expected = [...ordered].sort((a, b) => byOf(b) - byOf(a) || (a % 2) - (b % 2) || a - b);
    expect(idsOf(found)).toEqual(expected);
    expect(found[0]?.twice).toBe((found[0]?.by ?? 0) * 2);
    expect(found.every(({ text }) => text.length === BIG_BYTES)).toBe(true);
  }, 60_000);

  test("is rejected if the client forbids disk use", async () => {
    await expect(big.find({}, { allowDiskUse: false }).sort({ by: 1 }).toArray()).rejects.toMatchObject({ code: 292 });
    const pipeline = [{ $set: { a: 1 } }, { $sort: { by: 1 } }];
    await expect(big.aggregate(pipeline, { allowDiskUse: false }).toArray()).rejects.toMatchObject({ code: 292 });
  }, 60_000);

  test("leaves no file when it is aborted", async () => {
    const cursor = big.find().sort({ by: 1 }).batchSize(2);
    await cursor.next();
    await cursor.close();
    expect(await big.countDocuments()).toBe(BIG);
  }, 60_000);
});

describe("groups of more than 100 MB", () => {
  const byGroup = Map.groupBy(
    Array.from({ length: BIG }, (_, i) => i),
    byOf,
  );

  test("use the disk, and each has all of its documents in order", async () => {
    const groups = await big
      .aggregate([
        {
          $group: {
            _id: "$by",
            ids: { $push: "$_id" },
            texts: { $push: "$text" },
            first: { $min: "$_id" },
            last: { $max: "$_id" },
            sum: { $sum: "$_id" },
          },
        },
        { $set: { texts: { $size: "$texts" } } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    const expected = [...byGroup]
      .sort(([a], [b]) => a - b)
      .map(([_id, ids]) => ({
        _id,
        ids,
        texts: ids.length,
        first: ids[0],
        last: ids.at(-1),
        sum: ids.reduce((sum, id) => sum + id, 0),
      }));
    expect(groups).toEqual(expected);
  }, 60_000);

  test("are rejected if the client forbids disk use, as is any document of that size", async () => {
    const of = (_id: unknown) => [{ $group: { _id, texts: { $push: "$text" } } }];
    await expect(big.aggregate(of("$by"), { allowDiskUse: false }).toArray()).rejects.toMatchObject({ code: 292 });
    await expect(big.aggregate(of(null)).toArray()).rejects.toMatchObject({ code: 10334 });
  }, 60_000);
});
