import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MongoClient,
  ObjectId,
  Timestamp,
  UUID,
} from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { env } from "@/lib/platform/env";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedPerson } from "@/test/seed";
import { type DocumentStore, startDocumentStore } from "@/test/servers/document-store";
import { admitLargeAnswer } from "./admission";
import { writeNow } from "./history-writer";
import { LARGE_ANSWERS_MAX } from "./limits";

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;
const ID = "f".repeat(24);
const NESTED = {
  at: new Date("2026-01-02T03:04:05.678Z"),
  ref: new ObjectId(ID),
  whole: new Double(5),
  count: new Int32(5),
  long: Long.fromString("5"),
  far: Long.fromString("9007199254740993"),
  exact: Decimal128.fromString("0.10"),
  code: new UUID("6d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f"),
  raw: new Binary(Buffer.from([0, 1, 255]), 5),
  text: "$text",
  "a.b": [{ $inner: null }, "2026-01-02T03:04:05.678Z"],
};
let ana: Person;
let store: DocumentStore;
let mongo: MongoClient;
let path = "";
let connectionId = "";

beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  await databaseReady();
  ana = await seedPerson("Ana");
  store = await startDocumentStore();
  mongo = new MongoClient(store.uri);
  ({ path, connectionId } = await connect(store.uri));
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await mongo?.close();
  await store?.stop();
  await writeNow();
  await own.drop();
});

async function connect(connectionString: string) {
  const body = { name: `documents ${Math.random()}`, type: "mongodb", config: { connectionString, database: "edit" } };
  const made = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, {
    ...ana,
    body: { ...body, readOnly: false },
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  const id = made.json.data.id as string;
  return { connectionId: id, path: `/api/workspaces/${ana.workspaceId}/databases/${id}` };
}

const goods = (client = mongo) => client.db("edit").collection<Document>("goods");
const stored = (_id: unknown = 1) => goods().findOne({ _id: _id as ObjectId }, EXACT);
const change = (changes: object[], more: object = {}, who: object = ana) =>
  call("POST", `${path}/rows/changes`, { ...who, body: { table: { name: "goods" }, changes, ...more } });
const update = (id: string, old: object, set: object) => ({ op: "update", key: { _id: id }, old, set });
const executionOf = (id: string) => `/api/workspaces/${ana.workspaceId}/executions/${id}`;
const pathOf = ({ json }: { json: { details?: { path: string }[] } }) => json.details?.[0]?.path;

/** Reads one document as a page shows it, as texts. */
async function shown(id: string, more: object = {}) {
  const body = { table: { name: "goods" }, filters: [{ column: "_id", op: "is", value: id }], ...more };
  const { status, json, text } = await call("POST", `${path}/rows`, { ...ana, body });
  expect([status, text]).toEqual([200, expect.any(String)]);
  const [row = {}] = json.data.rows;
  const texts = Object.entries(row).map(([name, value]) => {
    return [name, value === null || typeof value === "string" ? value : JSON.stringify(value)] as const;
  });
  return Object.fromEntries(texts) as Record<string, string | null>;
}

beforeEach(async () => {
  await goods().deleteMany({});
  await goods().insertMany([
    { _id: 1, name: "one", n: new Int32(1), nested: NESTED },
    { _id: 2, name: "two", n: new Int32(2) },
    { _id: 3, name: "three", n: new Int32(3) },
  ] as never);
  await call("GET", `/api/workspaces/${ana.workspaceId}/connectors/${connectionId}/entities?refresh=true`, ana);
});

describe("changes of documents", () => {
  it("writes updates, deletions and new documents together, and records them once", async () => {
    const answer = await change([
      { op: "update", key: { _id: "1" }, old: { name: "one", n: "1" }, set: { name: "ONE" }, defaults: ["n"] },
      { op: "delete", key: { _id: "2" }, old: { name: "two", n: "2" } },
      { op: "insert", set: { _id: "4", name: "four", n: "4" } },
      { op: "insert", set: { name: null } },
    ]);
    expect([answer.status, answer.json.data]).toMatchObject([200, { affectedRows: 4, statements: [] }]);
    const found = await goods().find({}, EXACT).toArray();
    expect(found.map(({ nested: _, ...rest }) => rest)).toEqual([
      { _id: new Int32(1), name: "ONE" },
      { _id: new Int32(3), name: "three", n: new Int32(3) },
      { _id: new Int32(4), name: "four", n: new Int32(4) },
      { _id: expect.any(ObjectId), name: null },
    ]);
    const { data } = (await call("GET", executionOf(answer.json.data.executionId), ana)).json;
    expect(data).toMatchObject({ status: "success", affectedRows: 4 });
    expect(data.query).toMatch(/updateOne\(.*;\ndb\.getCollection\("goods"\)\.deleteOne\(.*insertOne\(/s);
  });

  it("returns the operations of a dry run, which have the same effect in a console", async () => {
    await goods().updateOne({ _id: 1 as never }, { $set: { "nested.whole": new Double(7), ratio: new Double(2) } });
    const { nested = null } = await shown("1");
    const set = { ratio: "3", nested: '{"a": 1, "b": 1.0, "c": {"$numberLong": "1"}}', name: "$it's {}" };
    const changes = [
      update("1", { ratio: "2", nested, name: "one" }, set),
      { op: "delete", key: { _id: "2" }, old: { name: "two" } },
      { op: "insert", set: { _id: "9", name: "nine" } },
    ];
    const { json } = await change(changes, { dryRun: true });
    expect(json.data).toMatchObject({ inTransaction: true, affectedRows: null });
    expect(await goods().countDocuments()).toBe(3);
    const { data: read } = (await call("GET", executionOf(json.data.executionId), ana)).json;
    expect(read).toMatchObject({ status: "success", affectedRows: null, query: expect.stringContaining('"find"') });
    for (const query of json.data.statements) {
      const answer = await call("POST", `${path}/execute`, { ...ana, body: { query } });
      expect([answer.status, answer.json.data?.affectedRows, query]).toEqual([200, 1, query]);
    }
    expect(await stored()).toEqual({
      _id: new Int32(1),
      name: "$it's {}",
      n: new Int32(1),
      nested: { a: new Int32(1), b: new Double(1), c: Long.fromInt(1) },
      ratio: new Double(3),
    });
    expect((await goods().find().toArray()).map(({ _id }) => _id)).toEqual([1, 3, 9]);
  });

  it.each<[string, unknown, string, unknown]>([
    ["int", new Int32(5), "6", new Int32(6)],
    ["long", Long.fromInt(5), "6", Long.fromInt(6)],
    ["long beyond a double", Long.fromString("9007199254740993"), "-9223372036854775808", Long.MIN_VALUE],
    ["double", new Double(5), "6", new Double(6)],
    ["double without a number", new Double(Number.NaN), "-Infinity", new Double(Number.NEGATIVE_INFINITY)],
    ["decimal", Decimal128.fromString("0.10"), "0.20", Decimal128.fromString("0.20")],
    ["bool", true, "false", false],
    ["date", new Date(0), "2026-05-31 12:00", new Date("2026-05-31T12:00:00Z")],
    ["objectId", new ObjectId(ID), "0".repeat(24), new ObjectId("0".repeat(24))],
    ["uuid", new UUID("6d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f"), "7d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f", new UUID("7d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f")],
    ["bytes of a subtype", new Binary(Buffer.from("a"), 0x80), "AAH/", new Binary(Buffer.from([0, 1, 255]), 0x80)],
    ["timestamp", new Timestamp({ t: 1, i: 2 }), "Timestamp(3, 4)", new Timestamp({ t: 3, i: 4 })],
    ["regex", new BSONRegExp("a/", "i"), "/b/x/im", new BSONRegExp("b/x", "im")],
    ["text that looks like a number", "5", "6", "6"],
    ["text that looks like an id", ID, "0".repeat(24), "0".repeat(24)],
    ["explicit type", new Int32(5), '{"$numberLong": "5"}', Long.fromInt(5)],
    ["explicit text", new Date(0), '"soon"', "soon"],
    ["list", [new Int32(1), "x"], "[1, 2.0]", [new Int32(1), new Double(2)]],
    ["end of all", new MaxKey(), '{"$maxKey": 1}', new MaxKey()],
  ])("keeps the type: %s", async (_, value, text, wanted) => {
    await goods().updateOne({ _id: 1 as never }, { $set: { v: value } });
    const before = await stored();
    const { v = null } = await shown("1");
    const same = typeof value === "object" && value instanceof MaxKey ? text : Array.isArray(value) ? '[1, "x"]' : v;
    if (same !== null) {
      expect((await change([update("1", { v }, { v: same })])).text).toContain("affectedRows");
      expect(await stored()).toEqual(before);
    }
    const answer = await change([update("1", { v }, { v: text })]);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect((await stored())?.v).toEqual(wanted);
  }); // biome-ignore format: one line a type

  it("returns nested values as Extended JSON that is stored as the same value", async () => {
    const { nested: old = null } = await shown("1");
    const { nested: exact } = await shown("1", { exact: ["nested"] });
    expect(JSON.parse(exact ?? "")).toMatchObject({ count: 5, whole: 5, far: { $numberLong: "9007199254740993" } });
    expect(exact).toContain('"whole": 5.0');
    const before = await stored();
    expect((await change([update("1", { nested: old }, { nested: exact })])).status).toBe(200);
    expect(await stored()).toEqual(before);
    const changed = exact?.replace('"$text"', '"two"') ?? "";
    expect((await change([update("1", { nested: old }, { nested: changed })])).status).toBe(200);
    expect((await stored())?.nested).toEqual({ ...before?.nested, text: "two" });
    expect((await change([update("1", { nested: old }, { nested: exact })])).json.code).toBe("conflict");
  });

  it("copies a document with the types of all its values", async () => {
    await goods().updateOne({ _id: 1 as never }, [
      { $replaceWith: { $setField: { field: { $literal: "a.b" }, input: "$$ROOT", value: new Double(2) } } },
    ]);
    const copy = { op: "insert", key: { _id: "1" }, set: { _id: "8", n: "7" }, defaults: ["name"] };
    expect((await change([copy])).status).toBe(200);
    const { name: _, ...rest } = (await stored()) as Document;
    expect(await stored(8)).toEqual({ ...rest, _id: new Int32(8), n: new Int32(7) });
    expect(pathOf(await change([{ ...copy, key: { _id: "99" } }]))).toBe("changes.0.key");
    // A value that the copy takes must be the one that was shown.
    const { nested = null } = await shown("1");
    const again = (old: object) =>
      change([{ op: "insert", key: { _id: "1" }, old, set: { n: "7" }, defaults: ["name"] }]);
    expect((await again({ _id: "1", nested, "a.b": "2", none: null, name: "x", n: "x" })).status).toBe(200);
    expect(pathOf(await again({ "a.b": "3" }))).toBe("changes.0.old");
  });

  it("adds fields that no document has, of any type", async () => {
    const set = { made: '{"$date":"2026-01-31T07:00Z"}', size: "5", ratio: "5.0", "a.b": '"{[x"', none: "null" };
    const old = Object.fromEntries(Object.keys(set).map((name) => [name, null]));
    const exact = Object.keys(set);
    const added = await change([
      { ...update("2", old, set), exact },
      { op: "insert", set: { _id: "9", ...set }, exact },
    ]);
    expect([added.status, added.text]).toEqual([200, expect.any(String)]);
    const fields = { made: new Date("2026-01-31T07:00:00Z"), size: new Int32(5), ratio: new Double(5), "a.b": "{[x" };
    expect(await stored(2)).toEqual({ _id: new Int32(2), name: "two", n: new Int32(2), ...fields, none: null });
    expect(await stored(9)).toEqual({ _id: new Int32(9), ...fields, none: null });
    // Someone else has added it since.
    const again = await change([{ ...update("2", { size: null }, { size: "6" }), exact: ["size"] }]);
    expect([again.status, again.json.details.conflicts]).toEqual([409, [{ change: 0, current: { _id: 2, size: 5 } }]]);
    const fresh = { ...update("3", { size: null }, { size: "5" }), exact: ["size"] };
    expect(pathOf(await change([{ ...fresh, set: { size: "{a" } }]))).toBe("changes.0.set");
    expect(pathOf(await change([{ ...fresh, exact: ["size", "other"] }]))).toBe("changes.0.exact");
    expect(pathOf(await change([{ ...fresh, old: {} }]))).toBe("changes.0.old");
  });

  it("stores a new document once that is sent twice", async () => {
    const objectId = "a".repeat(24);
    const inserts = [
      { op: "insert", set: { name: "new" }, objectId },
      { op: "insert", key: { _id: "2" }, set: { _id: "7" }, objectId },
      { op: "insert", key: { _id: "2" }, set: {}, objectId: "b".repeat(24) },
    ];
    expect((await change(inserts)).status).toBe(200);
    expect(await stored(new ObjectId(objectId))).toEqual({ _id: new ObjectId(objectId), name: "new" });
    expect([await stored(7), await stored(new ObjectId("b".repeat(24)))]).toMatchObject([
      { name: "two" },
      { name: "two" },
    ]);
    const repeated = await change(inserts);
    expect([repeated.status, repeated.json.details]).toEqual([400, { change: 0 }]);
    expect(repeated.json.error).toContain("already stored this document");
    expect(pathOf(await change([{ op: "insert", objectId: "x" }]))).toBe("changes.0.objectId");
    expect(await goods().countDocuments()).toBe(6);
  });

  it("takes fields whose names are a path or an operator as names", async () => {
    const odd = new Map<string, unknown>([["_id", 5], ["a.b", "dotted"], ["$where", "dollar"], ["__proto__", "x"], ["a", { b: "inner" }], ["n", 5]]); // biome-ignore format: one document
    await goods().insertOne(odd as never);
    const set = { "a.b": "DOTTED", $where: "DOLLAR", new$: "x" };
    const answer = await change([update("5", { "a.b": "dotted", $where: "dollar", new$: null }, set)]);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const found = (await stored(5)) as Document;
    expect(Object.entries(found).slice(1)).toEqual([
      ["a.b", "DOTTED"],
      ["$where", "DOLLAR"],
      ["__proto__", "x"],
      ["a", { b: "inner" }],
      ["n", new Int32(5)],
      ["new$", "x"],
    ]);
    const stale = await change([update("5", { "a.b": "dotted" }, { "a.b": "x" })]);
    expect(stale.json.details.conflicts).toEqual([{ change: 0, current: { _id: 5, "a.b": "DOTTED" } }]);
    const unset = { op: "update", key: { _id: "5" }, old: { "a.b": "DOTTED" }, defaults: ["a.b"] };
    expect((await change([unset])).status).toBe(200);
    expect(Object.keys((await stored(5)) ?? {})).toEqual(["_id", "$where", "__proto__", "a", "n", "new$"]);
  });

  it("says that a nested value with moved names can't be compared, instead of a conflict", async () => {
    const moved = new Map<string, unknown>([["b", 1], ["1", 2]]); // biome-ignore format: one value
    await goods().insertMany([{ _id: 7, moved, n: 1 }, { _id: 8, moved: { 1: 2, b: 1 }, old: new BSONSymbol("x") }] as never); // biome-ignore format: a table
    const { moved: shownText = null } = await shown("7");
    const refused = await change([update("7", { moved: shownText }, { moved: null })]);
    expect([refused.status, refused.json.details]).toEqual([400, { change: 0 }]);
    expect(refused.json.error).toContain("can't be compared with the stored one");
    expect((await change([update("7", { n: "1" }, { n: "2" })])).status).toBe(200);
    expect((await change([update("8", { moved: shownText }, { moved: null })])).status).toBe(200);
    expect(pathOf(await change([update("8", { old: "x" }, { old: "y" })]))).toBe("changes.0.old");
  });

  it("finds a document by an _id of any type, and only by its own", async () => {
    const ids: [unknown, string | null][] = [
      ["1", null],
      [new Double(1.5), "1.5"],
      [Long.fromString("9007199254740993"), "9007199254740993"],
      [Decimal128.fromString("2.50"), "2.50"],
      [new ObjectId(ID), ID],
      [new Date(5), "1970-01-01T00:00:00.005Z"],
      [new UUID("6d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f"), "6d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f"],
      [{ day: new Date(5), by: new ObjectId(ID), n: new Int32(2) }, `{"day":"1970-01-01T00:00:00.005Z","by":"${ID}","n":2}`],
      [true, "true"],
      [new Binary(Buffer.from([1, 2]), 0x80), "AQI="],
    ]; // biome-ignore format: a table
    await goods().insertMany(ids.map(([_id]) => ({ _id, v: "old" })) as never);
    for (const [_id, key] of ids) {
      if (key === null) continue;
      const answer = await change([update(key, { v: "old" }, { v: "new" })]);
      expect([key, answer.status, answer.json.data?.affectedRows]).toEqual([key, 200, 1]);
      expect([key, (await stored(_id))?.v]).toEqual([key, "new"]);
    }
    await goods().updateOne({ _id: null as never }, { $set: { v: "old" } }, { upsert: true });
    const ofNull = { op: "update", key: { _id: null }, old: { v: "old" }, set: { v: "new" } };
    expect((await change([ofNull])).status).toBe(200);
    expect((await goods().findOne({ _id: { $type: "null" } as never }))?.v).toBe("new");
    // Both 1 and "1" are shown as 1.
    const both = await change([update("1", { name: "one" }, { name: "x" })]);
    expect([both.status, pathOf(both)]).toEqual([400, "changes.0.key"]);
  });

  it("writes nothing when documents were changed or deleted since, and returns their values", async () => {
    await goods().updateOne({ _id: 1 as never }, { $set: { name: "theirs" } });
    await goods().deleteOne({ _id: 2 as never });
    const answer = await change([
      { op: "insert", set: { _id: "5" } },
      update("1", { name: "one" }, { name: "mine" }),
      update("3", { name: "three" }, { name: "THREE" }),
      { op: "delete", key: { _id: "2" }, old: { name: "two" } },
    ]);
    expect([answer.status, answer.json.code]).toEqual([409, "conflict"]);
    expect(answer.json.details.conflicts).toEqual([
      { change: 1, current: { _id: 1, name: "theirs" } },
      { change: 3, current: null },
    ]);
    expect(await goods().countDocuments({ name: { $in: ["theirs", "three"] } })).toBe(2);
    expect((await change([update("1", { name: "theirs" }, { name: "mine" })])).status).toBe(200);
  });

  it("lets one of several changes to a document win, and tells a list from its item", async () => {
    const values = ["a", "b", "c", "d"];
    const answers = await Promise.all(values.map((name) => change([update("1", { name: "one" }, { name })])));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const won = answers.findIndex(({ status }) => status === 200);
    expect((await stored())?.name).toBe(values[won]);
    await goods().updateOne({ _id: 2 as never }, { $set: { name: ["two"] } });
    expect((await change([update("2", { name: "two" }, { name: "x" })])).json.code).toBe("conflict");
  });

  it("writes nothing when the server refuses a change, and names it", async () => {
    for (const id of ["3", "[1]"]) {
      const answer = await change([
        update("1", { name: "one" }, { name: "mine" }),
        { op: "insert", set: { _id: id === "3" ? id : '{"$numberInt": "3"}' } },
      ]);
      expect([answer.status, answer.json.code, answer.json.details]).toEqual([400, "query_failed", { change: 1 }]);
      expect((await stored())?.name).toBe("one");
    }
  });

  it("refuses what it cannot store unchanged", async () => {
    await goods().updateOne({ _id: 1 as never }, { $set: { date: new Date(0), list: [1] } });
    const refused = async (old: object, set: object) => pathOf(await change([update("1", old, set)]));
    expect(await refused({ n: "1" }, { n: "1.5" })).toBe("changes.0.set");
    expect(await refused({ n: "1" }, { n: "5000000000" })).toBe("changes.0.set");
    expect(await refused({ n: "1" }, { n: "" })).toBe("changes.0.set");
    expect(await refused({ date: "1970-01-01T00:00:00.000Z" }, { date: "soon" })).toBe("changes.0.set");
    expect(await refused({ list: "[1]" }, { list: "[1" })).toBe("changes.0.set");
    expect(await refused({ list: "[1]" }, { list: "[12345678901234567890]" })).toBe("changes.0.set");
    expect(await refused({ list: "[1]" }, { list: "[".repeat(200) + "]".repeat(200) })).toBe("changes.0.set");
    for (const text of [
      '{"$date": "x"}',
      '{"$symbol": "x"}',
      '{"a\\u0000": 1}',
      '{"$binary": {"base64": "!!", "subType": "0"}}',
    ]) {
      expect([text, await refused({ list: "[1]" }, { list: text })]).toEqual([text, "changes.0.set"]);
    }
    expect(await refused({ _id: "1" }, { _id: "2" })).toBe("changes.0.set");
    expect(await refused({}, { name: "x" })).toBe("changes.0.old");
    expect(pathOf(await change([{ op: "update", key: { name: "one" } }]))).toBe("changes.0.key");
    expect(pathOf(await change([{ op: "update", key: { _id: "1" } }]))).toBe("changes.0.set");
    await mongo.db("edit").command({ create: "seen", viewOn: "goods", pipeline: [] });
    await call("GET", `/api/workspaces/${ana.workspaceId}/connectors/${connectionId}/entities?refresh=true`, ana);
    expect(pathOf(await change([{ op: "insert", set: {} }], { table: { name: "seen" } }))).toBe("table");
  });

  it("asks for a confirmation, and refuses read-only connections, keys and other workspaces", async () => {
    const changes = [update("1", { name: "one" }, { name: "mine" })];
    const asked = await change(changes, { confirmWrites: "always" });
    expect([asked.status, asked.json.code, asked.json.details]).toMatchObject([
      409,
      "confirmation_required",
      { reason: "write", table: { name: "goods" }, statement: expect.stringContaining("updateOne") },
    ]);
    const key = await seedKey(ana.workspaceId, ana, "read");
    expect((await change(changes, {}, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(403);
    expect((await change(changes, {}, await seedPerson("Stranger"))).status).toBe(403);
    const connector = `/api/workspaces/${ana.workspaceId}/connectors/${connectionId}`;
    await call("PATCH", connector, { ...ana, body: { readOnly: true } });
    expect((await change(changes)).json.code).toBe("read_only");
    await call("PATCH", connector, { ...ana, body: { readOnly: false, confirmWrites: "always" } });
    const executionId = randomUUID();
    expect((await change(changes, { executionId })).json.code).toBe("confirmation_required");
    expect((await stored())?.name).toBe("one");
    expect((await change(changes, { executionId, confirm: true })).status).toBe(200);
    await call("PATCH", connector, { ...ana, body: { confirmWrites: "never" } });
  });

  it("edits a field of a document that is nearly as large as MongoDB takes", { tags: ["long"] }, async () => {
    await goods().insertOne({ _id: 6 as never, name: "six", bulk: Buffer.alloc(16 * 1024 * 1024 - 900_000) });
    expect((await change([update("6", { name: "six" }, { name: "SIX" })])).status).toBe(200);
    const grown = await change([update("6", { name: "SIX", more: null }, { name: "x", more: "y".repeat(500_000) })]);
    expect([grown.status, (await stored(6))?.name]).toEqual([200, "x"]);
    const copies = [{ op: "insert", key: { _id: "6" }, set: { more: "y".repeat(1_000_000) } }];
    const tooLarge = await change(copies);
    expect([tooLarge.status, tooLarge.json.code]).toEqual([400, "query_failed"]);
    const copy = { op: "insert", key: { _id: "6" }, set: {} };
    const [statement = ""] = (await change([copy], { dryRun: true })).json.data.statements;
    expect(statement).toMatch(/^db\.getCollection\("goods"\)\.insertOne\(\{\n {2}name: "x",\n.*A… \(shortened\)$/s);
    expect(statement.length).toBeLessThan(40_000);
    // A plan of many copies would be held in memory.
    expect(pathOf(await change([copy, copy, copy, copy], { dryRun: true }))).toBe("changes.2");
    const stale = await change([update("6", { name: "six", bulk: null }, { name: "mine" })]);
    expect(stale.json.details.conflicts).toEqual([
      { change: 0, current: { _id: 6, name: "x", bulk: "(value too long to show)" } },
    ]);
  });

  it("holds large changes, and dry runs of them, only in one of the places of the workspace", async () => {
    await goods().insertOne({ _id: 6 as never, name: "six", bulk: Buffer.alloc(6 * 1024 * 1024) });
    const copies = [{ op: "insert", key: { _id: "6" }, set: {} }];
    const taken = Array.from({ length: LARGE_ANSWERS_MAX }, () => {
      return admitLargeAnswer(ana.workspaceId, new AbortController().signal);
    });
    const leave = await Promise.all(taken);
    for (const dryRun of [false, true]) {
      const executionId = randomUUID();
      const waiting = change(copies, { executionId, dryRun });
      const isRunning = async () => (await call("GET", executionOf(executionId), ana)).json.data?.status;
      await expect.poll(isRunning).toBe("running");
      expect((await call("POST", `${executionOf(executionId)}/cancel`, ana)).status).toBe(200);
      expect((await waiting).json.code).toBe("cancelled");
      expect((await call("GET", executionOf(executionId), ana)).json.data.status).toBe("cancelled");
    }
    expect(await goods().countDocuments()).toBe(4);
    for (const each of leave) each();
    const answers = await Promise.all(Array.from({ length: LARGE_ANSWERS_MAX + 2 }, () => change(copies)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await goods().countDocuments()).toBe(4 + answers.length);
  });
});

describe("changes of documents without a replica set", () => {
  let standalone: DocumentStore;
  let client: MongoClient;
  const withStandalone = { path: "" };

  beforeAll(async () => {
    standalone = await startDocumentStore({ isStandalone: true });
    client = new MongoClient(standalone.uri, { retryWrites: false });
    withStandalone.path = (await connect(standalone.uri)).path;
  });
  afterAll(async () => {
    await client?.close();
    await standalone?.stop();
  });

  it("stops at the first change that fails, and says how many were written", async () => {
    const names = async () => (await goods(client).find().sort({ _id: 1 }).toArray()).map(({ name }) => name);
    const apply = (changes: object[], more: object = {}) =>
      call("POST", `${withStandalone.path}/rows/changes`, {
        ...ana,
        body: { table: { name: "goods" }, changes, ...more },
      });
    await goods(client).insertMany([
      { _id: 1, name: "one" },
      { _id: 2, name: "two" },
    ] as never);
    const first = update("1", { name: "one" }, { name: "ONE" });
    expect((await apply([first], { dryRun: true })).json.data.inTransaction).toBe(false);
    const refused = await apply([first, { op: "insert", set: { _id: "2" } }, { op: "insert", set: { _id: "3" } }]);
    expect([refused.status, refused.json.details]).toEqual([400, { change: 1, written: 1 }]);
    expect(refused.json.error).toContain("The change before it was written.");
    expect(await names()).toEqual(["ONE", "two"]);
    // The document is read before any change is written, so nothing is written for a conflict that is known then.
    const stale = await apply([{ op: "insert", set: { _id: "5" } }, first]);
    expect([stale.status, stale.json.details]).toEqual([
      409,
      { conflicts: [{ change: 1, current: { _id: 1, name: "ONE" } }] },
    ]);
    // The second change of a document finds what the first has written.
    const twice = [update("1", { name: "ONE" }, { name: "a" }), update("1", { name: "ONE" }, { name: "b" })];
    const between = await apply(twice);
    expect([between.status, between.json.details]).toEqual([
      409,
      { conflicts: [{ change: 1, current: { _id: 1, name: "a" } }], written: 1 },
    ]);
    expect(between.json.error).toContain("The change before it was written.");
    expect((await apply([{ op: "delete", key: { _id: "2" }, old: { name: "two" } }])).status).toBe(200);
    expect(await names()).toEqual(["a"]);
  });

  it("keeps the number of written changes in the error and the history of a timeout", async () => {
    await goods(client).deleteMany({});
    await goods(client).insertOne({ _id: 1, name: "one" } as never);
    const server = await withoutAnswersTo("lost", standalone.port);
    try {
      const lossy = await connect(standalone.uri.replace(`:${standalone.port}`, `:${server.port}`));
      const changes = [
        update("1", { name: "one" }, { name: "ONE" }),
        { op: "insert", set: { _id: "2", name: "lost" } },
      ];
      const executionId = randomUUID();
      const body = { table: { name: "goods" }, changes, timeoutMs: 1000, executionId };
      const answer = await call("POST", `${lossy.path}/rows/changes`, { ...ana, body });
      expect([answer.status, answer.json]).toMatchObject([
        504,
        { code: "timeout", details: { written: 1, isUnknown: true } },
      ]);
      expect(answer.json.error).toMatch(
        /timed out after 1 s\..* The change before it was written\. The next one may have been written, too\./,
      );
      const { data } = (await call("GET", executionOf(executionId), ana)).json;
      expect(data).toMatchObject({ status: "timeout", affectedRows: 1, error: answer.json.error });
    } finally {
      await server.close();
    }
  });
});

/** Forwards to a server on a port. A connection that has sent the marker gets no answers. */
async function withoutAnswersTo(marker: string, target: number) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connectTo(target, "127.0.0.1");
    let isSilent = false;
    for (const each of [socket, upstream]) sockets.add(each.on("error", () => {}));
    socket.on("data", (chunk) => {
      isSilent ||= chunk.includes(marker);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => isSilent || socket.write(chunk));
    socket.on("close", () => upstream.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}
