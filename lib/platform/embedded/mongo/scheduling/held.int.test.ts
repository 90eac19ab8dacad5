import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Collection, type Document, MongoClient, type MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { splitCases } from "../../../../../test/cases.ts";
import { forkStore, STAND_IN, type StoreChild } from "../../../../../test/fixtures/embedded/mongo/start.ts";

/** Time limit of every command below; some would run for years without it. */
const MAX_TIME_MS = 1000;
/** Allowed error codes: MaxTimeMSExpired, and results that are too large. */
const LIMITS = [50, 10334, 146, 13548];
/** Error code of a pattern that is not literal text. */
const INVALID_PATTERN = 51091;

/** Patterns that a backtracking engine practically never finishes, or that crash a process with V8's engine. */
const EVIL: [name: string, pattern: string][] = [
  ["a repeated repetition", "^(a+)+$"],
  ["alternatives that overlap", "^(a|aa)+$"],
  ["words with a space that may be missing", "^(\\w+\\s?)*$"],
  ["counted repetitions of repetitions", "^(a{1,50}){1,20}$"],
  ["a row of greedy dots", "(.*)(.*)(.*)(.*)[^a]x"],
  ["space before the end", "\\s+$"],
  ["a repetition looked ahead", "^(?=(a+)+$)a"],
  ["a group referred to", "^(a+)+\\1b$"],
  ["groups within groups", `${"(".repeat(3000)}a${")*".repeat(3000)}`],
  ["many counts", "[a-z]{1000}".repeat(2900)],
  ["many assertions", "(?=(a|b)*)".repeat(3000)],
];

let dir: string;
let store: StoreChild;
let client: MongoClient;
let neighbour: MongoClient;
let c: Collection<Document>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "held-"));
  store = await forkStore(dir, ["--port", "0"], STAND_IN);
  client = await new MongoClient(store.uri).connect();
  neighbour = await new MongoClient(store.uri).connect();
  c = client.db("t").collection("c");
  await c.insertMany([
    { name: "text", text: "a".repeat(20_000) },
    { name: "numbers", numbers: Array.from({ length: 20_000 }, (_, i) => i) },
    { name: "few", numbers: Array.from({ length: 100 }, (_, i) => i) },
  ]);
});

afterAll(async () => {
  await Promise.all([client?.close(), neighbour?.close()]);
  store?.child.kill();
  await store?.ended;
  rmSync(dir, { recursive: true, force: true });
});

/** Reads of another client that were answered during the last command. */
let readsMeanwhile = 0;

/** Runs a command while another client reads. Both are answered. */
async function bounded(run: () => Promise<unknown>): Promise<unknown> {
  let isRunning = true;
  readsMeanwhile = 0;
  const reads = (async () => {
    while (isRunning) {
      await neighbour.db("t").collection("other").findOne({});
      if (isRunning) readsMeanwhile += 1;
    }
  })();
  const outcome = await run().catch((error: unknown) => error);
  isRunning = false;
  await reads;
  if (outcome instanceof Error) expect(LIMITS).toContain((outcome as MongoServerError).code);
  return outcome;
}

test.each(EVIL)("rejects a pattern of %s in every position (T105)", async (_name, pattern) => {
  const refused = { code: INVALID_PATTERN };
  const db = client.db("t");
  const regexMatch = { $regexMatch: { input: "$text", regex: pattern } };
  await expect(c.find({ text: { $regex: pattern, $options: "i" } }).toArray()).rejects.toMatchObject(refused);
  await expect(c.find({ text: { $not: { $in: [new RegExp(pattern)] } } }).toArray()).rejects.toMatchObject(refused);
  await expect(c.find({ $expr: regexMatch }).toArray()).rejects.toMatchObject(refused);
  await expect(c.aggregate([{ $project: { x: regexMatch } }]).toArray()).rejects.toMatchObject(refused);
  await expect(c.updateOne({}, [{ $set: { x: regexMatch } }])).rejects.toMatchObject(refused);
  await expect(db.createCollection("v", { validator: { text: { $regex: pattern } } })).rejects.toMatchObject(refused);
});

const twice = { $concatArrays: ["$$value", "$$value"] };
const range = (n: number) => ({ $range: [0, n] });
const nested = (levels: number): Document =>
  levels === 0
    ? { $literal: 1 }
    : { $reduce: { input: "$numbers", initialValue: 0, in: { $add: ["$$value", nested(levels - 1)] } } };

const LONG: [name: string, expression: Document][] = [
  ["loops within loops", nested(6)],
  [
    "a filter of a filter",
    {
      $filter: {
        input: "$numbers",
        as: "a",
        cond: {
          $gt: [
            {
              $size: { $filter: { input: "$numbers", as: "b", cond: { $and: [{ $gt: ["$$b", "$$a"] }, nested(4)] } } },
            },
            0,
          ],
        },
      },
    },
  ],
  [
    "ranges of ranges",
    { $map: { input: range(1_000_000), in: { $max: { $map: { input: range(1_000_000), in: "$$this" } } } } },
  ],
  ["an array that doubles", { $reduce: { input: range(100), initialValue: [1], in: twice } }],
  [
    "a text that doubles",
    { $reduce: { input: range(100), initialValue: "x", in: { $concat: ["$$value", "$$value"] } } },
  ],
  ["a tree that doubles", { $reduce: { input: range(100), initialValue: 1, in: ["$$value", "$$value"] } }],
  [
    "two trees compared",
    {
      $let: {
        vars: {
          t: { $reduce: { input: range(60), initialValue: 1, in: ["$$value", "$$value"] } },
          u: { $reduce: { input: range(60), initialValue: 1, in: ["$$value", "$$value"] } },
        },
        in: { $eq: ["$$t", "$$u"] },
      },
    },
  ],
  [
    "sets within a loop",
    { $map: { input: range(100_000), in: { $size: { $setDifference: ["$numbers", ["$$this"]] } } } },
  ],
];

for (const { tags, cases } of splitCases(LONG, 4))
  describe.each(cases)("%s", { tags }, (_name, expression) => {
    const options = { maxTimeMS: MAX_TIME_MS };

    test("stops in time in a pipeline, a filter, a group and an update", async () => {
      const filter = { name: { $in: ["numbers", "few"] } };
      await bounded(() => c.aggregate([{ $match: filter }, { $project: { x: expression } }], options).toArray());
      await bounded(() => c.find({ ...filter, $expr: { $eq: [expression, 7] } }, options).toArray());
      await bounded(() => c.aggregate([{ $match: filter }, { $group: { _id: expression } }], options).toArray());
      await bounded(() => c.updateOne(filter, [{ $set: { x: expression } }, { $unset: "x" }], options));
    });
  });

test("lets another client read during a long scan", async () => {
  const many = client.db("t").collection("many");
  await many.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ i, text: "x".repeat(500) })));
  await bounded(() => many.find({ text: { $regex: "xy" } }, { maxTimeMS: 8000 }).toArray());
  expect(readsMeanwhile).toBeGreaterThan(0);
});
