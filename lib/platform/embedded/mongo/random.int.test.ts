import type { Collection, Document, Filter, UpdateFilter } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestStore, type TestStore } from "../../../../test/fixtures/embedded/mongo/start.ts";
import { decodeDocument } from "./bson/codec.ts";

/** Set SEED to repeat a failed sequence. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Ten thousand sequences are required. Each regular run takes a part of them, with a different seed. */
const PARTS = [
  { count: 1_000, tags: [] },
  { count: 10_000, tags: ["long"] },
];

type Thing = { _id: number; a?: number | null | string; b?: number; s?: { x?: number }; tags?: number[]; u?: string };

/** Returns a random number generator (Mulberry32), small and reproducible everywhere. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomOf(seed);
const whole = (below: number): number => Math.floor(random() * below);
const oneOf = <T>(values: readonly T[]): T => values[whole(values.length)] as T;

// The model: an independent implementation of these filters that does not use the store's matcher.

type Condition = { field: string; op: "eq" | "gt" | "lte" | "in" | "exists" | "ne"; value: unknown };
type Query = { kind: "all" | "any"; conditions: Condition[] };

const FIELDS = ["_id", "a", "b", "s.x", "tags", "u"];

function randomCondition(): Condition {
  const field = oneOf(FIELDS);
  const op = oneOf(["eq", "eq", "eq", "gt", "lte", "in", "exists", "ne"] as const);
  const value = (): unknown =>
    field === "u"
      ? `u${whole(400)}`
      : field === "a"
        ? oneOf([null, "text", whole(8), whole(8)])
        : field === "_id"
          ? whole(600)
          : whole(8);
  if (op === "in") return { field, op, value: [value(), value(), value()] };
  if (op === "exists") return { field, op, value: random() < 0.5 };
  if (op === "gt" || op === "lte")
    return { field, op, value: field === "u" ? `u${whole(400)}` : field === "_id" ? whole(600) : whole(8) };
  return { field, op, value: value() };
}

function toFilter({ kind, conditions }: Query): Filter<Thing> {
  const parts = conditions.map(({ field, op, value }) => ({ [field]: op === "eq" ? value : { [`$${op}`]: value } }));
  return (kind === "all" ? { $and: parts } : { $or: parts }) as Filter<Thing>;
}

function valuesOf(doc: Thing, field: string): unknown[] {
  if (field === "s.x") return [doc.s?.x];
  const value = doc[field as keyof Thing];
  return Array.isArray(value) ? value : [value];
}

function holds(doc: Thing, { field, op, value }: Condition): boolean {
  const values = valuesOf(doc, field);
  const equals = (wanted: unknown): boolean =>
    values.some((each) => each === wanted || (wanted === null && each === undefined));
  if (op === "exists")
    return (field === "s.x" ? doc.s?.x !== undefined : doc[field as keyof Thing] !== undefined) === value;
  // An empty array is not a value, and not null either.
  if (op === "eq") return equals(value);
  if (op === "ne") return !equals(value);
  if (op === "in") return (value as unknown[]).some(equals);
  return values.some(
    (each) =>
      typeof each === typeof value &&
      (op === "gt" ? (each as number) > (value as number) : (each as number) <= (value as number)),
  );
}

function matches(doc: Thing, { kind, conditions }: Query): boolean {
  return kind === "all" ? conditions.every((each) => holds(doc, each)) : conditions.some((each) => holds(doc, each));
}

function randomQuery(): Query {
  return { kind: random() < 0.8 ? "all" : "any", conditions: Array.from({ length: 1 + whole(3) }, randomCondition) };
}

let nextId = 0;

function randomThing(): Thing {
  const thing: Thing = { _id: nextId++ };
  if (random() < 0.8) thing.a = oneOf([null, "text", whole(8), whole(8), whole(8)]);
  if (random() < 0.8) thing.b = whole(8);
  if (random() < 0.6) thing.s = random() < 0.8 ? { x: whole(8) } : {};
  if (random() < 0.5) thing.tags = Array.from({ length: whole(4) }, () => whole(8));
  if (random() < 0.3) thing.u = `u${whole(400)}`;
  return thing;
}

/** Returns an update for the server, and the equivalent function for the model. */
function randomChange(): { update: UpdateFilter<Thing>; apply: (doc: Thing) => unknown } {
  const n = whole(8);
  switch (whole(5)) {
    case 0:
      return { update: { $set: { b: n } }, apply: (doc) => Object.assign(doc, { b: n }) };
    case 1:
      return { update: { $inc: { b: 1 } }, apply: (doc) => Object.assign(doc, { b: (doc.b ?? 0) + 1 }) };
    case 2:
      return { update: { $unset: { a: "" } }, apply: (doc) => delete doc.a };
    case 3:
      return { update: { $push: { tags: n } }, apply: (doc) => Object.assign(doc, { tags: [...(doc.tags ?? []), n] }) };
    default:
      return { update: { $set: { "s.x": n } }, apply: (doc) => Object.assign(doc, { s: { ...doc.s, x: n } }) };
  }
}

const model = new Map<number, Thing>();

function clashes(thing: Thing): boolean {
  return thing.u !== undefined && [...model.values()].some((other) => other.u === thing.u && other._id !== thing._id);
}

let store: TestStore;
let c: Collection<Thing>;

beforeAll(async () => {
  store = await startTestStore();
  c = store.client.db("t").collection<Thing>("things");
  await c.createIndexes([
    { key: { a: 1, b: -1 } },
    { key: { b: 1 }, partialFilterExpression: { a: { $gt: 2 } } },
    { key: { tags: 1, b: 1 } },
    { key: { "s.x": -1 }, sparse: true },
    { key: { u: 1 }, unique: true, sparse: true },
  ]);
});

afterAll(() => store.stop());

/** Checks that every index holds exactly the entries of the existing documents. */
function checkIndexes(): void {
  const { store: engine } = store.services;
  const collection = engine.find("t", "things");
  for (const index of collection?.indexes ?? []) {
    if (index.id === 0 || collection === undefined) continue;
    const rows = engine.connection.all<[Buffer, number]>(`SELECT k, r FROM "${index.table}" ORDER BY k, r`);
    const docs = engine.connection.all<[number, Buffer]>(`SELECT r, d FROM "${collection.table}"`);
    const wanted = docs.flatMap(([rid, bytes]) =>
      index.entries(decodeDocument(bytes)).keys.map((key) => `${key.toString("hex")} ${rid}`),
    );
    expect(rows.map(([key, rid]) => `${key.toString("hex")} ${rid}`).sort()).toEqual(wanted.sort());
  }
}

async function step(): Promise<void> {
  const roll = random();
  const query = randomQuery();
  const filter = toFilter(query);
  const hits = [...model.values()].filter((doc) => matches(doc, query));
  if (roll < 0.25) {
    const thing = randomThing();
    const isRefused = clashes(thing);
    const outcome = await c.insertOne({ ...thing }).then(
      () => "stored",
      (error: Document) => error.code,
    );
    expect(outcome).toBe(isRefused ? 11000 : "stored");
    if (!isRefused) model.set(thing._id, thing);
  } else if (roll < 0.55) {
    const found = await c.find(filter).toArray();
    expect(found.map(({ _id }) => _id).sort((x, y) => x - y)).toEqual(hits.map(({ _id }) => _id));
    for (const doc of found) expect(doc).toEqual(model.get(doc._id));
  } else if (roll < 0.65) {
    const direction = oneOf([1, -1] as const);
    const key = oneOf(["b", "s.x"]);
    const found = await c
      .find(filter)
      .sort({ [key]: direction, _id: 1 })
      .skip(whole(3))
      .limit(1 + whole(10))
      .toArray();
    const value = (doc: Thing): number => (valuesOf(doc, key)[0] as number | undefined) ?? -1;
    const order = found.map(value);
    expect(order).toEqual([...order].sort((x, y) => (x - y) * direction));
    expect(found.every((doc) => matches(doc, query))).toBe(true);
  } else if (roll < 0.72) expect(await c.countDocuments(filter)).toBe(hits.length);
  else if (roll < 0.82) {
    const { update, apply } = randomChange();
    const result = await c.updateMany(filter, update);
    expect(result.matchedCount).toBe(hits.length);
    for (const doc of hits) apply(doc);
  } else if (roll < 0.92) {
    const target = oneOf([...model.keys(), 0]);
    const { update, apply } = randomChange();
    const after = await c.findOneAndUpdate({ _id: target }, update, { returnDocument: "after" });
    const known = model.get(target);
    if (known !== undefined) apply(known);
    expect(after).toEqual(known ?? null);
  } else if (roll < 0.96) {
    const target = oneOf([...model.keys(), 0]);
    const { _id, ...replacement } = randomThing();
    const isKnown = model.has(target);
    const isRefused = isKnown && clashes({ _id: target, ...replacement });
    const outcome = await c.replaceOne({ _id: target }, replacement).then(
      () => "stored",
      (error: Document) => error.code,
    );
    expect(outcome).toBe(isRefused ? 11000 : "stored");
    if (isKnown && !isRefused) model.set(target, { _id: target, ...replacement });
  } else {
    const few = hits.slice(0, 5).map(({ _id }) => _id);
    const result = await c.deleteMany({ _id: { $in: few } });
    expect(result.deletedCount).toBe(few.length);
    for (const id of few) model.delete(id);
  }
}

describe(`with seed ${seed}`, () => {
  for (const { count, tags } of PARTS)
    test(`runs ${count} random operations like the model, with exact indexes (F10)`, {
      timeout: 600_000,
      tags,
    }, async () => {
      for (let i = 0; i < count; i++) {
        await step().catch((error: unknown) => {
          throw new Error(`operation ${i} of SEED=${seed}`, { cause: error });
        });
        if (i % 2500 === 2499) checkIndexes();
        if (model.size > 400) {
          const gone = [...model.keys()].slice(0, 200);
          await c.deleteMany({ _id: { $in: gone } });
          for (const id of gone) model.delete(id);
        }
      }
      const all = await c.find().sort({ _id: 1 }).toArray();
      expect(all).toEqual([...model.values()].sort((x, y) => x._id - y._id));
    });
});
