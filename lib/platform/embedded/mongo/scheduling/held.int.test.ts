import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Collection, type Document, MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { splitCases } from "../../../../../test/cases.ts";
import { forkStore, type StoreChild } from "../../../../../test/fixtures/embedded/mongo/start.ts";

/** Time limit of every command below; some would run for years without it. */
const MAX_TIME_MS = 1000;
/** Allowed error codes: MaxTimeMSExpired, the match limit of an expression, and results that are too large. */
const LIMITS = [50, 51156, 10334, 146, 13548];

const A = "a".repeat(20_000);
const SPACES = " ".repeat(20_000);

/** Patterns on which a backtracking engine practically never finishes, each with a text that shows it. */
const EVIL: [name: string, pattern: string, text: string][] = [
  ["a repeated repetition", "^(a+)+$", `${A}!`],
  ["a repeated star", "^(a*)*$", `${A}!`],
  ["alternatives that overlap", "^(a|a)*$", `${A}!`],
  ["alternatives, one of which is two of the other", "^(a|aa)+$", `${A}!`],
  ["an optional end of a repetition", "^(a|a?)+$", `${A}!`],
  ["classes that overlap", "^([a-zA-Z]+)*$", `${A}!`],
  ["words with a space that may be missing", "^(\\w+\\s?)*$", `${A}!`],
  ["three levels", "^(((a+)+)+)+$", `${A}!`],
  ["a pair of repetitions", "(x+x+)+y", "x".repeat(20_000)],
  ["counted repetitions of repetitions", "^(a{1,50}){1,20}$", `${A}!`],
  ["many optional ones", `^${"a?".repeat(200)}${"a".repeat(200)}$`, `${"a".repeat(199)}!`],
  ["a row of greedy dots", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]x", A],
  ["space before the end", "\\s+$", `${SPACES}.`],
  ["space around a word that is not there", "^\\s*(\\s*)*\\s*x$", SPACES],
  ["an address with repeated labels", "^([a-zA-Z0-9])(([.-]|[_]+)?([a-zA-Z0-9]+))*@x$", A],
  ["a list of numbers", "^(\\d+,?)+$", `${"1".repeat(20_000)}x`],
  ["quoted text with escapes", '^"([^"\\\\]|\\\\.|[^"])*"$', `"${A}`],
  ["tags", "<(?:[^>]+|x)*>", `<${A}`],
  ["an empty alternative", "^(|a)+$", `${A}!`],
  ["lazy repetitions", "^(a+?)+?$", `${A}!`],
  ["folded case", "^([a-z]+)+[0-9]$", `${A}!`],
  ["a repetition looked ahead", "^(?=(a+)+$)a", `${A}!`],
  ["a repetition looked behind", "(?<=^(a+)+)!$", `${A}?`],
  ["a repetition that must not follow", "^(?!(a|aa)+$)b", `${A}!`],
  ["a group referred to", "^(a+)+\\1b$", `${A}!`],
  ["groups referred to out of turn", "(a*)(a*)(a*)(a*)(a*)\\5\\4\\3\\2\\1b", A],
  ["a count beyond RE2's", "^(a{0,2000}){0,2000}$", `${A}!`],
];

let dir: string;
let store: StoreChild;
let client: MongoClient;
let neighbour: MongoClient;
let c: Collection<Document>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "held-"));
  store = await forkStore(dir);
  client = await new MongoClient(store.uri).connect();
  neighbour = await new MongoClient(store.uri).connect();
  c = client.db("t").collection("c");
  await c.insertMany([
    ...EVIL.map(([name, , text]) => ({ name, text, texts: [{ text }] })),
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

for (const { tags, cases } of splitCases(EVIL, 4))
  describe.each(cases)("%s (T105)", { tags }, (name, pattern, text) => {
    const options = { maxTimeMS: MAX_TIME_MS };
    // Assertions, backreferences and large programs are only stopped; all others give a result.
    const isAnswered = !/\(\?[=!<]|\\\d|\{/.test(pattern);

    test("a filter ends in time", async () => {
      const found = await bounded(() => c.find({ text: { $regex: pattern, $options: "i" } }, options).toArray());
      if (isAnswered) expect(found).toBeInstanceOf(Array);
    });

    test("within $in, $not and $elemMatch it ends in time", async () => {
      const regex = new RegExp(pattern);
      await bounded(() =>
        c.find({ name, $or: [{ text: { $in: [regex] } }, { text: { $not: regex } }] }, options).toArray(),
      );
      await bounded(() => c.find({ name, texts: { $elemMatch: { text: regex } } }, options).toArray());
    });

    test("an expression ends in time", async () => {
      const of = (operator: string) => ({ [operator]: { input: "$text", regex: pattern } });
      for (const operator of ["$regexMatch", "$regexFind", "$regexFindAll"])
        await bounded(() => c.aggregate([{ $match: { name } }, { $project: { x: of(operator) } }], options).toArray());
      await bounded(() => c.find({ name, $expr: of("$regexMatch") }, options).toArray());
    });

    test("an update ends in time", async () => {
      const regex = new RegExp(pattern);
      await bounded(() => c.updateOne({ name }, { $pull: { texts: { text: regex } } } as never, options));
      await bounded(() =>
        c.updateOne({ name }, { $set: { "texts.$[t].seen": 1 } }, { ...options, arrayFilters: [{ "t.text": regex }] }),
      );
      await bounded(() =>
        c.updateOne({ name }, [{ $set: { seen: { $regexMatch: { input: "$text", regex: pattern } } } }], options),
      );
    });

    test("a validator and a schema end in time", async () => {
      const db = client.db("t");
      await db.dropCollection("v");
      await db.createCollection("v", {
        validator: { $or: [{ text: { $regex: pattern } }, { $jsonSchema: { properties: { text: { pattern } } } }] },
      });
      const outcome = await bounded(() => db.collection("v").insertOne({ text }, options).catch(asValidation));
      expect(outcome).toBeDefined();
    });
  });

/** Treats a rejection by the validator as a result. */
function asValidation(error: unknown): unknown {
  if (error instanceof MongoServerError && error.code === 121) return error.message;
  throw error;
}

/** Patterns that are themselves large; some of them crash a process with V8's engine. */
const LARGE: [name: string, pattern: string][] = [
  ["groups within groups", `${"(".repeat(3000)}a${")*".repeat(3000)}`],
  ["groups within groups as deep as may be", `${"(".repeat(250)}a${")*".repeat(250)}`],
  ["alternatives within alternatives", `(?=x)${"(?:a|".repeat(5000)}b${")*".repeat(5000)}`],
  ["many counts", "[a-z]{1000}".repeat(2900)],
  ["many classes", "\\p{L}".repeat(6000)],
  ["many classes behind an assertion", `(?=.)${"\\p{L}".repeat(6000)}`],
  ["many assertions", "(?=(a|b)*)".repeat(3000)],
  ["many backreferences", `(a)${"\\1*".repeat(9000)}`],
  ["counts within counts", `(?=.)${"(?:(?:(?:a{1,30}){1,30}){1,30}b)*".repeat(900)}`],
];

for (const { tags, cases } of splitCases(LARGE, 3))
  test.each(cases)("a pattern of %s is compiled in time, or refused (T105)", { tags }, async (_name, pattern) => {
    const refused = (error: unknown) => {
      if (error instanceof MongoServerError && error.code === 51091) return error.message;
      throw error;
    };
    for (const $options of ["", "i"])
      await bounded(() =>
        c
          .find({ text: { $regex: pattern, $options } }, { maxTimeMS: MAX_TIME_MS })
          .toArray()
          .catch(refused),
      );
    expect(await c.countDocuments({ name: "few" })).toBe(1);
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
    { $map: { input: range(1_000_000), in: { $sum: { $map: { input: range(1_000_000), in: "$$this" } } } } },
  ],
  ["an array that doubles", { $reduce: { input: range(100), initialValue: [1], in: twice } }],
  [
    "a text that doubles",
    { $strLenCP: { $reduce: { input: range(100), initialValue: "x", in: { $concat: ["$$value", "$$value"] } } } },
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
  ["sets within a loop", { $map: { input: range(100_000), in: { $size: { $setUnion: ["$numbers", ["$$this"]] } } } }],
  ["sorts within a loop", { $map: { input: range(100_000), in: { $sortArray: { input: "$numbers", sortBy: -1 } } } }],
  ["a date's format", { $dateFromString: { dateString: "1".repeat(2000), format: `${"%d".repeat(900)}x` } }],
];

for (const { tags, cases } of splitCases(LONG, 4))
  describe.each(cases)("%s", { tags }, (_name, expression) => {
    const options = { maxTimeMS: MAX_TIME_MS };

    test("ends in time in a pipeline, a filter, a group and an update", async () => {
      const filter = { name: { $in: ["numbers", "few"] } };
      await bounded(() =>
        c
          .aggregate([{ $match: filter }, { $project: { x: expression } }], options)
          .toArray()
          .catch(asRefusal),
      );
      await bounded(() =>
        c
          .find({ ...filter, $expr: { $eq: [expression, 7] } }, options)
          .toArray()
          .catch(asRefusal),
      );
      await bounded(() =>
        c
          .aggregate([{ $match: filter }, { $group: { _id: expression } }], options)
          .toArray()
          .catch(asRefusal),
      );
      await bounded(() =>
        c.updateOne(filter, [{ $set: { x: expression } }, { $unset: "x" }], options).catch(asRefusal),
      );
    });
  });

/** Treats the error for a format that does not fit its text as a result. */
function asRefusal(error: unknown): unknown {
  if (error instanceof MongoServerError && error.code === 241) return error.message;
  throw error;
}

test("a long scan lets a neighbour read meanwhile", async () => {
  const many = client.db("t").collection("many");
  await many.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ i, text: "x".repeat(500) })));
  await bounded(() => many.find({ text: { $regex: "(x+x+)+y" } }, { maxTimeMS: 8000 }).toArray());
  expect(readsMeanwhile).toBeGreaterThan(0);
  await bounded(() => many.find({ text: { $regex: "(?=x)(x+x+)\\1y" } }, { maxTimeMS: MAX_TIME_MS }).toArray());
});

test("an expression that begins with text is read by its index", async () => {
  const names = client.db("t").collection("names");
  await names.insertMany(Array.from({ length: 1000 }, (_, i) => ({ name: `n${i}` })));
  await names.createIndex({ name: 1 });
  const { executionStats } = await names.find({ name: { $regex: "^n99(\\d+)*$" } }).explain("executionStats");
  expect(executionStats).toMatchObject({ nReturned: 11, totalDocsExamined: 11 });
});
