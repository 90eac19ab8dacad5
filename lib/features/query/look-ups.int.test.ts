import { type CommandStartedEvent, ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { mongoClient } from "@/lib/platform/db/client";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { writeNow } from "./history-writer";

/** Commands that read; history is written after the response. */
const READS = new Set(["find", "aggregate", "count", "distinct", "getMore"]);

const dataDir = takeOwnDataDir();
const database = takeOwnDatabase();
// The driver counts commands only on request, and only on connections opened after it.
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();

let cookie = "";
let key = "";
let workspaceId = "";
let connectionId = "";
const commands: string[] = [];
/** Commands that the store has not answered yet. */
const pending = new Set<number>();

beforeAll(async () => {
  const registered = await call("POST", "/api/auth/register", {
    body: { email: "counts@example.com", password: "seven herons by the mill" },
  });
  cookie = cookieOf(registered);
  workspaceId = registered.json.data.workspace.id;
  const made = await call("POST", `/api/workspaces/${workspaceId}/connectors`, {
    cookie,
    body: { name: "counted", type: "duckdb", config: { file: "counted.duckdb" }, readOnly: false },
  });
  connectionId = made.json.data.id;
  const minted = await call("POST", `/api/workspaces/${workspaceId}/api-keys`, { cookie, body: { name: "counting" } });
  key = minted.json.data.key;
  mongoClient().on("commandSucceeded", ({ requestId }) => pending.delete(requestId));
  mongoClient().on("commandFailed", ({ requestId }) => pending.delete(requestId));
  mongoClient().on("commandStarted", ({ commandName, command, requestId }: CommandStartedEvent) => {
    pending.add(requestId);
    // Once a second a server asks whether its queries were cancelled elsewhere, however many there are.
    if (command.filter?.cancelRequested === true) return;
    commands.push(READS.has(commandName) ? `${commandName} ${command[commandName]}` : commandName);
  });
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await database.drop();
  dataDir.remove();
});

/** Expires the cached identity of callers. */
const forgotten = () => collections.users().updateOne({ _id: new ObjectId() }, { $set: { name: "Nobody" } });
const onConnection = () => `/api/workspaces/${workspaceId}/databases/${connectionId}/execute`;

it.each<[string, number, () => Parameters<typeof call>[2], () => string]>([
  ["by session", 1, () => ({ cookie }), onConnection],
  ["by key", 1, () => ({ key }), onConnection],
  ["by key, the connection in the body,", 2, () => ({ key, body: { connectionId } }), () => "/api/execute"],
])(
  "takes for a query %s %i lookups in the store, and none for the identity of the next one",
  async (_, count, caller, path) => {
    const { body, ...credentials } = caller() ?? {};
    const ask = () => call("POST", path(), { ...credentials, body: { ...(body as object), query: "select 1 as one" } });
    // The first use of an API key, and a person's first request in a while, are recorded.
    for (let round = 0; round < 2; round += 1) await ask();
    // Requests do not wait for those records, and a later one would expire the cached identity.
    await expect.poll(() => pending.size, { timeout: 30_000 }).toBe(0);
    await forgotten();
    // An identity is cached for a quarter of a second, which a query on a busy machine may take.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    for (const expected of [count, count - 1]) {
      commands.length = 0;
      const answer = await ask();
      expect(answer.json.data.rows).toEqual([{ one: 1 }]);
      const lookUps = commands.filter((command) => READS.has(command.split(" ")[0] ?? ""));
      expect(lookUps, lookUps.join(", ")).toHaveLength(expected);
    }
    clock.mockRestore();
    await writeNow();
  },
);

it("shares lookups between twenty concurrent queries", async () => {
  const ask = () => call("POST", onConnection(), { cookie, body: { query: "select 1 as one" } });
  await forgotten();
  commands.length = 0;
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(commands.filter((command) => command === "aggregate sessions").length).toBeLessThan(10);
});

it("marks a small response as not worth compressing, and not a large one", async () => {
  const cacheControl = async (rows: number) => {
    const query = `select repeat('x', 100) as a from range(${rows})`;
    return (await call("POST", onConnection(), { cookie, body: { query } })).headers.get("cache-control");
  };
  expect([await cacheControl(1), await cacheControl(1000)]).toEqual(["no-store, no-transform", "no-store"]);
});
