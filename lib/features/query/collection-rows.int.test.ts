import { MongoClient, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { type DocumentStore, startDocumentStore } from "@/test/servers/document-store";

/* Rows of collections by the API: the fields of the page cursor stay hidden. */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
const LONG = "x".repeat(5000);
let ana: FlowAuthor;
let store: DocumentStore;
let mongo: MongoClient;
let id = "";
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  store = await startDocumentStore();
  mongo = new MongoClient(store.uri);
  await mongo.db("rows").collection("goods").insertMany([
    { _id: 1 as never, name: "b", tags: ["red", "blue"] },
    { _id: 2 as never, name: LONG, tags: [new ObjectId("f".repeat(24))] },
    { _id: 3 as never, tags: { colour: "red" } },
    { _id: 4 as never, name: "b", more: 1 },
    { _id: 5 as never, name: `${LONG}1` },
  ]); // biome-ignore format: a table
  id = await ana.connect("mongodb", { connectionString: store.uri, database: "rows" });
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await mongo?.close();
  await store?.stop();
  await own.drop();
});

const ask = (body: Record<string, unknown>) =>
  call("POST", `${ana.home}/databases/${id}/rows`, {
    cookie: ana.person.cookie,
    body: { table: { name: "goods" }, ...body },
  });

describe("C9 rows of a collection", () => {
  it.each([
    [false, [3, 1, 4, 2, 5]],
    [true, [5, 2, 1, 4, 3]],
  ])("are each returned once, with only their own fields, descending: %s", async (descending, ids) => {
    for (const limit of [1, 2, 100]) {
      const found: number[] = [];
      let after: string | null = null;
      do {
        const { status, json } = await ask({
          sort: [{ column: "name", descending }],
          limit,
          ...(after !== null && { after }),
        });
        expect([status, json.data?.isStable]).toEqual([200, true]);
        const names = json.data.fields.map(({ name }: { name: string }) => name);
        for (const row of json.data.rows) {
          expect(names).toEqual(expect.arrayContaining(Object.keys(row)));
          expect(Object.keys(row).filter((name) => !["_id", "name", "tags", "more"].includes(name))).toEqual([]);
          found.push(row._id);
        }
        after = json.data.next;
      } while (after !== null);
      expect(found).toEqual(ids);
    }
  });

  it("after a deleted document with a long value return 410", async () => {
    const first = await ask({ sort: [{ column: "name", descending: false }], limit: 4 });
    expect(first.json.data.rows.at(-1)._id).toBe(2);
    await mongo
      .db("rows")
      .collection("goods")
      .deleteOne({ _id: 2 as never });
    const next = await ask({ sort: [{ column: "name", descending: false }], limit: 4, after: first.json.data.next });
    expect([next.status, next.json.code]).toEqual([410, "gone"]);
  });

  it.each([
    ["C10 a list", '["red","blue"]', [1]],
    ["C10 an object", '{"colour":"red"}', [3]],
    ["C10 a list of nobody", '["blue","red"]', []],
  ])("are found by the shown text of %s", async (_, value, ids) => {
    const { status, json } = await ask({ filters: [{ column: "tags", op: "is", value }] });
    expect(status).toBe(200);
    expect(json.data.rows.map((row: { _id: number }) => row._id)).toEqual(ids);
    const count = await call("POST", `${ana.home}/databases/${id}/rows/count`, {
      cookie: ana.person.cookie,
      body: { table: { name: "goods" }, filters: [{ column: "tags", op: "is", value }] },
    });
    expect(count.json.data.count).toBe(ids.length);
  });
});

it("answers a question about a collection, and names its aggregation", async () => {
  const question = {
    table: { name: "goods" },
    filters: [{ column: { column: "_id" }, op: "in", values: [1, 3, 4] }],
    summaries: [{ function: "count" }],
    groups: [{ column: { column: "more" } }],
  };
  const answer = await call("POST", `${ana.home}/databases/${id}/question`, {
    cookie: ana.person.cookie,
    body: { question },
  });
  expect(answer.json.data).toMatchObject({
    rows: [
      { more: 1, count: 1 },
      { more: null, count: 2 },
    ],
    ...{ dialect: "mongodb", sql: expect.stringMatching(/^db\.goods\.aggregate\(/) },
  });
  const joins = [{ table: { name: "goods" }, as: "other", on: [{ from: { column: "_id" }, column: "_id" }] }];
  const joined = await call("POST", `${ana.home}/databases/${id}/question`, {
    cookie: ana.person.cookie,
    body: { question: { ...question, joins } },
  });
  expect(joined.json.data.rows).toEqual(answer.json.data.rows);
});
