import type { Collection } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test.each([[{}], [{ allowDiskUse: true }], [{ allowDiskUse: false }]])(
  "refuses to sort and group more than 100 MB with %o",
  async (options) => {
    const refusal = { code: 292, message: expect.stringContaining("does not") };
    await expect(big.find({}, options).sort({ by: 1 }).toArray()).rejects.toMatchObject(refusal);
    const pipelines = [
      [{ $set: { a: 1 } }, { $sort: { by: 1 } }],
      [{ $group: { _id: "$by", texts: { $push: "$text" } } }],
    ];
    for (const pipeline of pipelines) {
      await expect(big.aggregate(pipeline, options).toArray()).rejects.toMatchObject(refusal);
    }
  },
  60_000,
);

test("finds the first documents of a larger sort, equal ones in insertion order", async () => {
  const ordered = Array.from({ length: BIG }, (_, i) => i).sort((a, b) => byOf(b) - byOf(a) || a - b);
  const found = await big.find().sort({ by: -1 }).skip(3).limit(600).project({ _id: 1 }).toArray();
  expect(found.map(({ _id }) => _id)).toEqual(ordered.slice(3, 603));
}, 60_000);
