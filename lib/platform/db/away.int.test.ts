import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { MongoBulkWriteError, MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failure } from "@/lib/platform/http/envelope";
import { FAIL_FAST } from "@/lib/platform/net/fail-fast-connection";
import { forkStore, type StoreChild } from "@/test/fixtures/embedded/mongo/start";
import { isStoreAway } from "./away";
import { transactionOf } from "./transaction";

const STREAMS_OF_EACH = 3;
/** Number of times the database is killed during the writes and restarted. */
const KILLS = 6;
/** Commands that must be answered between two kills, so that each kill meets running streams. */
const ANSWERS_BETWEEN = 100;

let folder: string;
let store: StoreChild;
let client: MongoClient;

const start = () => forkStore(folder, ["--socket", join(folder, "s.sock")]);

beforeAll(async () => {
  // Drivers read a socket's path as a host name, which they convert to lower case.
  folder = `/tmp/away-${randomBytes(8).toString("hex")}`;
  mkdirSync(folder, { mode: 0o700 });
  store = await start();
  client = await new MongoClient(store.uri, { ...FAIL_FAST, serverSelectionTimeoutMS: 2000 }).connect();
});

afterAll(async () => {
  await client?.close();
  store?.child.kill("SIGKILL");
  await store?.ended;
  rmSync(folder, { recursive: true, force: true });
});

it("answers 503 and Retry-After when the store is killed under load, for every driver error", async () => {
  type Thing = { _id: number; n?: number };
  const things = client.db("t").collection<Thing>("things");
  await things.insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i, n: 0 })));
  let id = 1000;
  const commands: [string, () => Promise<unknown>][] = [
    ["insertOne", () => things.insertOne({ _id: ++id })],
    ["insertMany", () => things.insertMany([{ _id: ++id }, { _id: ++id }], { ordered: false })],
    ["updateOne", () => things.updateOne({ _id: 5 }, { $inc: { n: 1 } })],
    ["updateMany", () => things.updateMany({ _id: { $lt: 500 } }, { $inc: { n: 1 } })],
    ["findOneAndUpdate", () => things.findOneAndUpdate({ _id: 6 }, { $inc: { n: 1 } })],
    ["deleteOne", () => things.deleteOne({ _id: id })],
    [
      "bulkWrite",
      () =>
        things.bulkWrite([
          { insertOne: { document: { _id: ++id } } },
          { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } },
        ]),
    ],
    [
      "find",
      () =>
        things
          .find({ _id: { $lt: 500 } })
          .batchSize(20)
          .toArray(),
    ],
    ["aggregate", () => things.aggregate([{ $group: { _id: "$n", count: { $sum: 1 } } }]).toArray()],
    [
      "transaction",
      () =>
        transactionOf(client, async (session) => {
          await things.updateOne({ _id: 100 + (++id % 500) }, { $inc: { n: 1 } }, { session });
          await things.insertOne({ _id: ++id }, { session });
        }),
    ],
  ];
  const outcomes = new Map<string, string>();
  let answers = 0;
  let failures = 0;
  let isOver = false;
  const stream = async ([name, run]: [string, () => Promise<unknown>]): Promise<void> => {
    while (!isOver) {
      try {
        await run();
        answers++;
      } catch (error) {
        failures++;
        const response = failure(error, {
          requestId: "r",
          method: "POST",
          route: "test",
          signal: new AbortController().signal,
        });
        const isRight = response.status === 503 && response.headers.has("retry-after");
        if (!isRight) outcomes.set(`${name}: ${String(error)}`, `${response.status}`);
      }
    }
  };
  const streams = Promise.all(Array.from({ length: STREAMS_OF_EACH }, () => commands.map(stream)).flat());
  for (let n = 0; n < KILLS; n++) {
    const from = answers;
    await expect.poll(() => answers - from, { timeout: 60_000 }).toBeGreaterThan(ANSWERS_BETWEEN);
    // The last time it is stopped gracefully.
    store.child.kill(n === KILLS - 1 ? "SIGTERM" : "SIGKILL");
    await store.ended;
    if (n % 2 === 1) {
      const failed = failures;
      await expect.poll(() => failures - failed, { timeout: 60_000 }).toBeGreaterThan(0);
    }
    store = await start();
  }
  isOver = true;
  await streams;
  expect(failures).toBeGreaterThan(0);
  expect(Object.fromEntries(outcomes)).toEqual({});
}, 300_000);

it.each<[string, (socket: Socket) => unknown]>([
  ["closed without an error", (socket) => socket.destroy()],
  ["ended", (socket) => socket.end()],
  ["failed", (socket) => socket.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))],
])("repeats a command on another connection when its own has just %s", async (_, end) => {
  const things = client.db("t").collection<{ _id: string }>("repeated");
  await client.db("t").command({ ping: 1 });
  for (const socket of socketsOf(client)) end(socket);
  await things.insertOne({ _id: _ });
  for (const socket of socketsOf(client)) end(socket);
  expect(await things.findOne({ _id: _ })).toEqual({ _id: _ });
  // Commands by their name are not repeated.
  for (const socket of socketsOf(client)) end(socket);
  const outcome = await client
    .db("t")
    .command({ ping: 1 })
    .then(() => true)
    .catch(isStoreAway);
  expect(outcome).toBe(true);
});

it("keeps the store's errors about a request", async () => {
  const things = client.db("t").collection<{ _id: number }>("verdicts");
  await things.insertOne({ _id: 1 });
  const errorOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);
  const duplicate = await errorOf(things.insertOne({ _id: 1 }));
  const bulk = await errorOf(things.insertMany([{ _id: 1 }, { _id: 2 }]));
  const unknown = await errorOf(client.db("t").command({ nothing: 1 }));
  expect([duplicate, bulk, unknown].map((error) => error?.constructor)).toEqual([
    MongoServerError,
    MongoBulkWriteError,
    MongoServerError,
  ]);
  for (const error of [duplicate, bulk, unknown, new Error("x"), new TypeError("fetch failed"), null])
    expect(isStoreAway(error)).toBe(false);
});

/** Returns the sockets of the idle connections of a client, from the driver's internals. */
function socketsOf(of: MongoClient): Socket[] {
  type Internals = {
    topology: { s: { servers: Map<string, { pool: { connections: Iterable<{ socket: Socket }> } }> } };
  };
  const servers = [...(of as unknown as Internals).topology.s.servers.values()];
  return servers.flatMap(({ pool }) => [...pool.connections].map(({ socket }) => socket));
}
