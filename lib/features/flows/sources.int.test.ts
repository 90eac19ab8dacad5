import type { ServerResponse } from "node:http";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { splitCases } from "@/test/cases";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { type DocumentStore, startDocumentStore } from "@/test/servers/document-store";
import {
  type JsonService,
  type ServiceAnswer,
  type ServiceRequest,
  startJsonService,
} from "@/test/servers/json-service";
import { STRIPE_TEST_KEY, type StripeStandIn, startStripeStandIn } from "@/test/servers/stripe-stand-in";

/*
 * Flows from services and into MongoDB, created by the API and executed to their end: services that are down at the
 * first row, fail in the middle or contradict themselves, and a destination that rejects a row.
 */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
let ana: FlowAuthor;
let stripe: StripeStandIn;
let service: JsonService;
let sqlite = "";
beforeAll(async () => {
  stripe = await startStripeStandIn();
  service = await startJsonService((request) => {
    requests += 1;
    if (failure && requests >= failure.fromRequest) return failure.answer;
    return ANSWERS[request.url.pathname.split("/")[1] ?? ""]?.(request) ?? { status: 404 };
  });
  // Read once, with the first access to a setting.
  process.env.STRIPE_API_URL = service.address;
  await databaseReady();
  ana = await flowAuthor();
  sqlite = await ana.file("sqlite");
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await service.stop();
  await stripe.stop();
  await own.drop();
});

/** A little more than two pages. */
const COUNT = 230;
const PAGE = 100;
/** Start time in seconds since 1970, as in Stripe's API. */
const BEGIN = 1_767_225_600;
type Item = { id: string; object: string; created: number; amount: number };
const item = (number: number): Item => ({
  id: `ch_${number}`,
  object: "charge",
  created: BEGIN + number,
  amount: number,
});
const items = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => item(from + index));

/** Items of the service, and the request from which on it fails. */
let stock: Item[] = [];
let failure: { fromRequest: number; answer: ServiceAnswer } | null = null;
/**
 * False responses of the service: more rows than exist, the same page again and again, or a next page after empty
 * pages.
 */
const LIES = ["more", "repeat", "nothing"] as const;
type Lie = (typeof LIES)[number];
let lie: Lie | null = null;
let requests = 0;
const put = (next: Item[]) => {
  stock = next;
  stripe.lists.charges = next;
};
beforeEach(() => {
  put(items(1, COUNT));
  failure = null;
  lie = null;
  requests = 0;
});

const AWAY: ServiceAnswer = {
  status: 503,
  headers: { "retry-after": "0" },
  json: { error: { message: "We are away." } },
};
const since = (from: unknown) => stock.filter(({ created }) => created >= Number(from ?? 0));

/** Responses by the first part of the path. */
const ANSWERS: Record<string, (request: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>> = {
  rest({ url }) {
    const page = Number(url.searchParams.get("page"));
    const all = since(url.searchParams.get("since"));
    const pages = Math.ceil(all.length / PAGE) + (lie === null ? 0 : 2);
    const shown = lie === "repeat" ? 1 : page;
    return { json: { data: isEmptied(page) ? [] : all.slice((shown - 1) * PAGE, shown * PAGE), pages } };
  },
  graphql({ body }) {
    const { variables } = JSON.parse(body);
    const all = since(variables.since);
    const start = Number(variables.after ?? 0);
    const nodes = isEmptied(start + 1) ? [] : all.slice(start, start + PAGE);
    const hasMore = start + PAGE < all.length;
    const honest = hasMore ? String(start + nodes.length) : null;
    const lies: Record<Lie, string | null> = { more: honest, repeat: String(PAGE), nothing: String(start + PAGE) };
    const endCursor = lie === null ? honest : lies[lie];
    return { json: { data: { charges: { nodes, pageInfo: { hasNextPage: hasMore || lie !== null, endCursor } } } } };
  },
  async v1({ url, headers }) {
    if (lie === "repeat") url.searchParams.delete("starting_after");
    const isAfter = url.searchParams.has("starting_after");
    const answer = await fetch(`${stripe.address}${url.pathname}${url.search}`, {
      headers: { authorization: headers.authorization ?? "" },
    });
    const json = await answer.json();
    if (lie !== null) json.has_more = true;
    if (isEmptied(isAfter ? 2 : 1)) json.data = [];
    return { status: answer.status, json };
  },
};
/** @param place number of a page, from 1: the first one is not emptied */
const isEmptied = (place: number) => lie === "nothing" && place > 1;

const SOURCES = [
  {
    type: "rest",
    config: () => ({
      baseUrl: `${service.address}/rest`,
      resources: [{ name: "charges", path: "", recordsPath: "data", params: { since: "{{cursor}}" } }],
      pagination: { kind: "page", totalPagesPath: "pages", sizeParam: "size", size: PAGE },
    }),
    found: {
      more: /it reports 5 pages, but page 4 is empty/,
      repeat: /Page 2 of charges repeats an earlier page/,
      nothing: /it reports 5 pages, but page 2 is empty/,
    },
  },
  {
    type: "graphql",
    config: () => ({
      endpoint: `${service.address}/graphql`,
      resources: [
        {
          name: "charges",
          query: `query ($after: String, $since: Int) { charges(after: $after, since: $since) {
            nodes { id object created amount } pageInfo { hasNextPage endCursor } } }`,
          path: "charges",
          variables: { since: "{{cursor}}" },
        },
      ],
    }),
    found: {
      more: /has a next page but no endCursor/,
      repeat: /next page of charges was already read/,
      nothing: /100 consecutive pages of charges were empty/,
    },
  },
  {
    type: "stripe",
    config: () => ({ apiKey: STRIPE_TEST_KEY }),
    found: {
      more: /reports more charges but returned no cursor/,
      repeat: /Page 2 of charges repeats an earlier page/,
      nothing: /reports more charges but returned no cursor/,
    },
  },
];

let tables = 0;

describe.each(SOURCES)("a flow from $type", ({ type, config, found }) => {
  async function makeFlow(more: object = {}, write = "append") {
    const table = `charges_${tables++}`;
    const source = await ana.connect(type, config(), { readOnly: true });
    const { flow } = await ana.make({
      type: "sync",
      mode: "incremental",
      source: { connectionId: source, entities: [{ name: "charges", cursorField: "created", primaryKey: ["id"] }] },
      destination: { connectionId: sqlite, table, write },
      ...more,
    });
    const amounts = async () =>
      (await ana.sql(sqlite, `select amount from ${table} order by amount`)).map(({ amount }) => amount);
    return { flow, amounts, table };
  }
  const upTo = (last: number) => items(1, last).map(({ amount }) => amount);

  it("copies everything, and in its next run new records, each once", async () => {
    const { flow, amounts } = await makeFlow();
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: COUNT, written: COUNT } });
    expect(await amounts()).toEqual(upTo(COUNT));
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: 0 } });
    put([...stock, ...items(COUNT + 1, COUNT + 15)]);
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: 15, written: 15 } });
    expect(await amounts()).toEqual(upTo(COUNT + 15));
  });

  it("writes nothing from an empty service, and everything later", { tags: ["long"] }, async () => {
    const { flow, amounts, table } = await makeFlow();
    put([]);
    const none = { status: "success", error: null, counts: { read: 0, written: 0 }, entities: [{ status: "done" }] };
    expect(await ana.run(flow.id)).toMatchObject(none);
    expect(await ana.sql(sqlite, `select name from sqlite_master where name = '${table}'`)).toEqual([]);
    put(items(1, COUNT));
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: COUNT } });
    expect(await amounts()).toEqual(upTo(COUNT));
    // The items are deleted at the source. Their copies stay, and later items are added.
    put([]);
    expect(await ana.run(flow.id)).toMatchObject(none);
    put(items(COUNT + 1, COUNT + 5));
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: 5 } });
    expect(await amounts()).toEqual(upTo(COUNT + 5));
  });

  it("C6 ends when new records have exactly the cursor value of the last run", async () => {
    const { flow, amounts } = await makeFlow();
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: COUNT } });
    const twin = (number: number): Item => ({ ...item(number), created: BEGIN + COUNT });
    put([...stock, twin(COUNT + 1), twin(COUNT + 2)]);
    requests = 0;
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: 2, written: 2 } });
    expect(requests).toBeLessThan(10);
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: 0 } });
    expect(await amounts()).toEqual(upTo(COUNT + 2));
  });

  it("empties the table in replace mode when the service is empty", { tags: ["long"] }, async () => {
    const { flow, amounts } = await makeFlow({ mode: "full" }, "replace");
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: COUNT } });
    put([]);
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", error: null, counts: { written: 0 } });
    expect(await amounts()).toEqual([]);
    put(items(1, 3));
    expect(await ana.run(flow.id)).toMatchObject({ status: "success" });
    expect(await amounts()).toEqual(upTo(3));
  });

  it("fails with the status of an unavailable service, and copies everything in the next run", async () => {
    const { flow, amounts, table } = await makeFlow();
    failure = { fromRequest: requests + 1, answer: AWAY };
    expect(await ana.run(flow.id)).toMatchObject({
      status: "failure",
      error: expect.stringMatching(/503/),
      counts: { read: 0, written: 0 },
    });
    expect(await ana.sql(sqlite, `select name from sqlite_master where name = '${table}'`)).toEqual([]);
    failure = null;
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: COUNT } });
    expect(await amounts()).toEqual(upTo(COUNT));
  });

  it.each([
    ["answers 503", AWAY],
    ["cuts the line", (response: ServerResponse) => void response.destroy()],
    ["answers no JSON", { body: "<html>" }],
  ] as [string, ServiceAnswer][])(
    "shows nothing partial from a service that %s, and repeats nothing later",
    { tags: type === "rest" ? [] : ["long"] },
    async (_, answer) => {
      const { flow, amounts } = await makeFlow();
      failure = { fromRequest: requests + 2, answer };
      const run = await ana.run(flow.id);
      expect(run).toMatchObject({ status: "failure", error: expect.stringMatching(/\S/) });
      failure = null;
      expect(await ana.run(flow.id)).toMatchObject({ status: "success" });
      expect(await amounts()).toEqual(upTo(COUNT));
    },
  );

  for (const { tags, cases } of splitCases(LIES, type === "rest" ? 1 : LIES.length))
    it.each(cases)(
      "fails on a lying service (%s) with a message, and later copies each record once",
      { tags },
      async (told) => {
        const { flow, amounts } = await makeFlow();
        lie = told;
        expect(await ana.run(flow.id)).toMatchObject({ status: "failure", error: expect.stringMatching(found[told]) });
        lie = null;
        expect(await ana.run(flow.id)).toMatchObject({ status: "success", error: null });
        expect(await amounts()).toEqual(upTo(COUNT));
      },
    );
});

describe("a flow into MongoDB", () => {
  let server: DocumentStore;
  let mongo: MongoClient;
  let into = "";
  beforeAll(async () => {
    server = await startDocumentStore();
    mongo = new MongoClient(server.uri);
    into = await ana.connect("mongodb", { connectionString: server.uri, database: "lake" });
  });
  afterAll(async () => {
    await closeServerMember("dataSources");
    await mongo.close();
    await server.stop();
  });

  async function makeFlow(write: string, mode = "incremental") {
    const collection = `orders_${tables++}`;
    const from = `into_${collection}`;
    await ana.sql(sqlite, `create table ${from} (id integer primary key, v integer, label text)`);
    await ana.sql(sqlite, `insert into ${from} values (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three')`);
    const { flow } = await ana.make({
      type: "sync",
      mode,
      source: { connectionId: sqlite, entities: [{ name: from, cursorField: "v", primaryKey: ["id"] }] },
      destination: { connectionId: into, table: collection, write },
    });
    const documents = () =>
      mongo
        .db("lake")
        .collection(collection)
        .find({}, { projection: { _id: 0 } })
        .sort({ id: 1 })
        .toArray();
    return { flow, from, collection, documents };
  }
  const [one, two, three] = [
    { id: 1, v: 10, label: "one" },
    { id: 2, v: 20, label: "two" },
    { id: 3, v: 30, label: "three" },
  ];

  it("appends new rows, updates by key, and replaces everything", async () => {
    const appended = await makeFlow("append");
    expect(await ana.run(appended.flow.id)).toMatchObject({ status: "success", counts: { written: 3 } });
    await ana.sql(sqlite, `insert into ${appended.from} values (4, 40, 'four')`);
    expect(await ana.run(appended.flow.id)).toMatchObject({ status: "success", counts: { read: 1, written: 1 } });
    expect(await appended.documents()).toEqual([one, two, three, { id: 4, v: 40, label: "four" }]);

    const changed = await makeFlow("upsert");
    await ana.run(changed.flow.id);
    await ana.sql(sqlite, `update ${changed.from} set v = 50, label = 'TWO' where id = 2`);
    expect(await ana.run(changed.flow.id)).toMatchObject({ status: "success", counts: { written: 1 } });
    expect(await changed.documents()).toEqual([one, { id: 2, v: 50, label: "TWO" }, three]);

    const replaced = await makeFlow("replace", "full");
    await ana.run(replaced.flow.id);
    await ana.sql(sqlite, `delete from ${replaced.from} where id = 1`);
    await ana.run(replaced.flow.id);
    expect(await replaced.documents()).toEqual([two, three]);
  });

  it("skips a rejected row and names the reason", async () => {
    const { flow, from, collection, documents } = await makeFlow("append");
    await mongo.db("lake").createCollection(collection);
    await mongo.db("lake").collection(collection).createIndex({ label: 1 }, { unique: true });
    await ana.sql(sqlite, `insert into ${from} values (4, 40, 'two'), (5, 50, 'five')`);
    const run = await ana.run(flow.id);
    expect(run).toMatchObject({ status: "success", counts: { read: 5, written: 4, failed: 1 } });
    expect(run.logs.filter(({ level }: { level: string }) => level === "warn")).toMatchObject([
      { text: expect.stringMatching(new RegExp(`^${from}: row 4.*duplicate key`)) },
    ]);
    expect((await documents()).map(({ id }) => id)).toEqual([1, 2, 3, 5]);
  });
});
