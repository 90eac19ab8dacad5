import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anyValue } from "../../../../../test/fixtures/embedded/mongo/arbitrary.ts";
import { countReads } from "../../../../../test/servers/mongodb-stand-in/count-reads.ts";
import { compareValues } from "../bson/compare.ts";
import {
  Binary,
  BSONRegExp,
  type Doc,
  docOf,
  ObjectId,
  Timestamp,
  TYPE,
  typeCode,
  type Value,
} from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { PAUSE } from "../scheduling/flow.ts";
import type { Collection } from "../storage/collection.ts";
import { readyToInsert } from "../storage/documents.ts";
import { Store } from "../storage/store.ts";
import { type Query, runQuery } from "./query.ts";
import { parseSort, sortValues } from "./sort.ts";

const variables = { scope: undefined };
const KEYS: Doc[] = [
  docOf({ a: 1 }),
  docOf({ a: -1 }),
  docOf({ a: 1, b: -1 }),
  docOf({ b: 1, a: -1 }),
  docOf({ "a.b": 1 }),
  docOf({ "a.b": -1, "a.a": 1 }),
];

let dir: string;
let store: Store;
let serial = 0;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "planner-"));
  store = new Store({ dataDir: dir, durability: "normal" });
});

afterAll(() => {
  store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Creates a collection with the documents and all the indexes, without documents that an index cannot hold. */
function collectionOf(docs: readonly Doc[]): Collection {
  const collection = store.createCollection("t", `c${serial++}`, new Map());
  for (const key of KEYS) {
    store.finishIndex(store.addIndex(collection, docOf({ v: 2, key, name: [...key].join("_") })));
  }
  for (const doc of docs) {
    try {
      const ready = readyToInsert(doc);
      store.insert(collection, ready.doc, ready.bytes);
    } catch (error) {
      // Parallel arrays in one compound index are rejected, as in MongoDB.
      if (!(error instanceof StoreError) || error.codeName !== "CannotIndexParallelArrays") throw error;
    }
  }
  return collection;
}

function run(collection: Collection, filter: Doc, hint: Value, sort: Doc = new Map()): { rid: number; doc: Doc }[] {
  const query: Query = { collection, rows: store, filter, sort: parseSort(sort), hint, variables };
  const found: { rid: number; doc: Doc }[] = [];
  for (const item of runQuery(query)) if (item !== PAUSE) found.push({ rid: item.row.rid, doc: item.doc });
  return found;
}

const OPERATORS = ["$eq", "$gt", "$gte", "$lt", "$lte", "$in", "$ne", "$exists"];

function conditionOf(operator: string, value: Value): Value {
  if (operator === "$in") return docOf({ $in: [value, 1] });
  if (operator === "$exists") return docOf({ $exists: value === null });
  return docOf({ [operator]: value });
}

/** Returns true for operands that MongoDB's parser accepts: no undefined, no expression with a comparison. */
function isOperand(value: Value, operator: string): boolean {
  if (typeCode(value) === TYPE.undefined) return false;
  return !(value instanceof BSONRegExp) || operator === "$eq";
}

test("answers every comparison of every type with each index exactly as a scan does", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyValue(), anyValue()), { minLength: 5, maxLength: 25 }),
      fc.array(
        fc.tuple(
          fc.constantFrom(...OPERATORS),
          fc.constantFrom("a", "b", "a.b", "a.a"),
          fc.nat(),
          fc.boolean(),
          anyValue(),
        ),
        { minLength: 4, maxLength: 12 },
      ),
      (values, conditions) => {
        const collection = collectionOf(values.map(([a, b], i) => docOf({ _id: i, a, b })));
        const parts: Doc[] = [];
        for (const [operator, path, pick, isOwn, other] of conditions) {
          const operand = isOwn ? (values[pick % values.length]?.[0] ?? null) : other;
          if (isOperand(operand, operator)) parts.push(docOf({ [path]: conditionOf(operator, operand) }));
        }
        for (let i = 0; i < parts.length; i++) {
          const filter = i % 3 === 0 ? docOf({ $and: parts.slice(Math.max(0, i - 1), i + 1) }) : (parts[i] as Doc);
          const wanted = run(collection, filter, docOf({ $natural: 1 })).map(({ rid }) => rid);
          for (const hint of [...KEYS, undefined]) {
            const found = run(collection, filter, hint ?? null).map(({ rid }) => rid);
            expect(found.sort((x, y) => x - y)).toEqual(wanted);
          }
        }
        store.dropCollection(collection);
        store.commit();
      },
    ),
    { numRuns: 60 },
  );
});

test("finds the beginnings of texts and list items by an index exactly as a scan does", () => {
  const texts = ["", "a", "ab", "abc", "abd", "b", "AB", "a.b", "é", "éa", "\u{10ffff}", "a\0b"];
  const regexes = ["^ab", "^", "^a\\.", "^é", "^ab$"].map((pattern) => new BSONRegExp(pattern));
  const values: Value[] = [...texts, ["ab", "b"], ["x", 1], [], 1, null, ...regexes];
  const collection = collectionOf(values.map((a, i) => docOf({ _id: i, a, b: texts[i % texts.length] as Value })));
  for (const regex of regexes) {
    for (const path of ["a", "b"]) {
      const ids = (hint: Value) => run(collection, docOf({ [path]: regex }), hint).map(({ rid }) => rid);
      const wanted = ids(docOf({ $natural: 1 }));
      expect(wanted).not.toEqual([]);
      for (const hint of KEYS.slice(0, 4)) expect([regex, hint, ids(hint).sort((x, y) => x - y)]).toEqual([regex, hint, wanted]); // biome-ignore format: one look
    }
  }
  const { rows, examined } = countReads(store);
  const filter = docOf({ a: new BSONRegExp("^abd") });
  for (const _ of runQuery({ collection, rows, filter, sort: [], hint: null, variables }));
  expect(examined.keys).toBe(1);
  store.dropCollection(collection);
  store.commit();
});

test.each([false, true])("reads the entries of the rarest of several list items; reversed: %s", (isReversed) => {
  const docs = Array.from({ length: 500 }, (_, i) => docOf({ _id: i, a: ["x", i < 3 ? "y" : "z"], b: i }));
  const collection = collectionOf(docs);
  const items = isReversed ? ["y", "x"] : ["x", "y"];
  const { rows, examined } = countReads(store);
  const filter = docOf({ $and: items.map((a) => docOf({ a })) });
  for (const _ of runQuery({ collection, rows, filter, sort: [], hint: null, variables }));
  expect(examined.keys).toBe(3);
  expect(run(collection, filter, null)).toHaveLength(3);
  store.dropCollection(collection);
  store.commit();
});

test("chooses a point after many ranges of a list", () => {
  const docs = Array.from({ length: 500 }, (_, i) => docOf({ _id: i, a: ["xyz", i < 3 ? "y" : "z"], b: i }));
  const collection = collectionOf(docs);
  const { rows, examined } = countReads(store);
  const ranges = Array.from({ length: 20 }, (_, i) => docOf({ a: docOf({ $gt: `x${i}` }) }));
  const filter = docOf({ $and: [...ranges, docOf({ a: "y" })] });
  for (const _ of runQuery({ collection, rows, filter, sort: [], hint: null, variables }));
  expect(examined.keys).toBe(3);
  store.dropCollection(collection);
  store.commit();
});

test.each([
  new Binary(Buffer.alloc(0)),
  new ObjectId("0".repeat(24)),
  new Timestamp({ t: 0, i: 1 }),
  new Date(-8.64e15),
])("finds the least value of a type in an index of either direction: %s", (least) => {
  const collection = collectionOf([docOf({ _id: 1, a: least, b: least }), docOf({ _id: 2, a: 1, b: "x" })]);
  for (const operator of ["$eq", "$lte", "$gte"]) {
    for (const hint of KEYS.slice(0, 4)) {
      const path = [...hint.keys()][0] as string;
      const found = run(collection, docOf({ [path]: docOf({ [operator]: least }) }), hint);
      expect([operator, hint, found.length]).toEqual([operator, hint, 1]);
    }
  }
  store.dropCollection(collection);
  store.commit();
});

test("sorts by an index exactly as in memory", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyValue(), anyValue()), { minLength: 2, maxLength: 20 }),
      fc.constantFrom(1, -1),
      fc.constantFrom(1, -1),
      (values, x, y) => {
        const collection = collectionOf(values.map(([a, b], i) => docOf({ _id: i, a, b })));
        for (const sort of [docOf({ a: x }), docOf({ a: x, b: y }), docOf({ b: x, a: y })]) {
          const keys = parseSort(sort);
          const order = (hint: Value): Value[][] =>
            run(collection, new Map(), hint, sort).map(({ doc }) => sortValues(doc, keys));
          const inMemory = order(docOf({ $natural: 1 }));
          for (const hint of KEYS) {
            const byIndex = order(hint);
            expect(byIndex).toHaveLength(inMemory.length);
            byIndex.forEach((tuple, i) => {
              tuple.forEach((value, k) => {
                expect(compareValues(value, inMemory[i]?.[k] as Value)).toBe(0);
              });
            });
          }
        }
        store.dropCollection(collection);
        store.commit();
      },
    ),
    { numRuns: 60 },
  );
});

test("merges the points of $in exactly as a sort in memory, in either direction and from any cursor", () => {
  const collection = store.createCollection("t", `c${serial++}`, new Map());
  for (const key of [docOf({ w: 1, s: 1, at: -1 }), docOf({ w: 1, s: -1, n: 1 })]) {
    store.finishIndex(store.addIndex(collection, docOf({ v: 2, key, name: [...key].join("_") })));
  }
  const spaces = ["a", "ab", 7, null, "z"];
  for (let i = 0; i < 400; i++) {
    const doc = docOf({ _id: i, w: i % 2, s: spaces[i % 5] ?? null, at: (i * 37) % 101, n: (i * 53) % 97 });
    store.insert(collection, doc, readyToInsert(doc).bytes);
  }
  const filters = [
    docOf({ w: 1, s: docOf({ $in: ["a", "ab", 7] }) }),
    docOf({ w: docOf({ $in: [0, 1] }), s: docOf({ $in: ["z", "ab"] }) }),
    docOf({ w: 1, s: docOf({ $in: ["z", "a"] }), at: docOf({ $gt: 30, $lte: 80 }) }),
    docOf({ w: 1, s: docOf({ $in: ["z", "a"] }), n: docOf({ $lt: 40 }) }),
    docOf({ w: 1, s: null }),
    docOf({ w: 1, s: docOf({ $in: [null, "a"] }), at: docOf({ $gt: 30 }) }),
  ];
  for (const filter of filters) {
    for (const [field, direction] of [
      ["at", 1],
      ["at", -1],
      ["n", 1],
      ["n", -1],
    ] as const) {
      const sort = docOf({ [field]: direction });
      const valuesOf = (hint: Value) => run(collection, filter, hint, sort).map(({ doc }) => doc.get(field));
      const idsOf = (hint: Value) => run(collection, filter, hint, sort).map(({ rid }) => rid).sort(); // biome-ignore format: one look
      const index = field === "at" ? docOf({ w: 1, s: 1, at: -1 }) : docOf({ w: 1, s: -1, n: 1 });
      expect(valuesOf(index)).toEqual(valuesOf(docOf({ $natural: 1 })));
      expect(idsOf(index)).toEqual(idsOf(docOf({ $natural: 1 })));
    }
  }
});

test("reads one page of two $in points, however many documents match", () => {
  const collection = store.createCollection("t", `c${serial++}`, new Map());
  for (const key of [docOf({ w: 1, s: 1, k: 1 }), docOf({ w: 1, s: 1, _id: 1 })]) {
    store.finishIndex(store.addIndex(collection, docOf({ v: 2, key, name: [...key].join("_") })));
  }
  for (let i = 0; i < 3000; i++) {
    const doc = docOf({ _id: i, w: 1, s: i % 3 === 0 ? "a" : "b", k: `${i}` });
    store.insert(collection, doc, readyToInsert(doc).bytes);
  }
  for (const cursor of [undefined, 1500]) {
    const { rows, examined } = countReads(store);
    const filter = docOf({ w: 1, s: docOf({ $in: ["a", "b", "c"] }) });
    if (cursor !== undefined) filter.set("_id", docOf({ $gt: cursor }));
    const sort = parseSort(docOf({ _id: 1 }));
    const query: Query = { collection, rows, filter, sort, hint: null, variables, limit: 50 };
    const found: Value[] = [];
    for (const item of runQuery(query)) if (item !== PAUSE) found.push(item.doc.get("_id") ?? null);
    expect(found).toEqual(Array.from({ length: 50 }, (_, i) => i + (cursor === undefined ? 0 : cursor + 1)));
    expect(examined.keys).toBeLessThanOrEqual(2 * 50 + 3 * 16);
  }
});

test("reads one page of null in the order of the next field, however many documents match", () => {
  const collection = store.createCollection("t", `c${serial++}`, new Map());
  const key = docOf({ w: 1, parent: 1, k: 1 });
  store.finishIndex(store.addIndex(collection, docOf({ v: 2, key, name: "by_parent" })));
  for (let i = 0; i < 3000; i++) {
    const doc = docOf({ _id: i, w: 1, k: (i * 7919) % 3000, ...(i % 2 === 0 && { parent: null }) });
    store.insert(collection, doc, readyToInsert(doc).bytes);
  }
  const { rows, examined } = countReads(store);
  const filter = docOf({ w: 1, parent: null, k: docOf({ $gt: 1000 }) });
  const query: Query = { collection, rows, filter, sort: parseSort(docOf({ k: 1 })), hint: null, variables, limit: 50 };
  const found: Value[] = [];
  for (const item of runQuery(query)) if (item !== PAUSE) found.push(item.doc.get("k") ?? null);
  expect(found).toEqual(Array.from({ length: 50 }, (_, i) => i + 1001));
  expect(examined.keys).toBeLessThanOrEqual(2 * 50 + 3 * 16);
});
