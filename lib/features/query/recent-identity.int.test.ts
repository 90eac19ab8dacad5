import { MongoClient, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { database } from "@/lib/platform/db/client";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { writeNow } from "./history-writer";

const dataDir = takeOwnDataDir();
const own = takeOwnDatabase();
let owner: Person;
let base = "";
beforeAll(async () => {
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
  dataDir.remove();
});

type Bearer = { cookie?: string; key?: string };

async function makeConnection(): Promise<string> {
  const made = await call("POST", `${base}/connectors`, {
    cookie: owner.cookie,
    body: { name: "any", type: "duckdb", config: { file: `${new ObjectId().toHexString()}.duckdb` }, readOnly: false },
  });
  expect(made.status, made.text).toBe(201);
  return made.json.data.id;
}

const query = (connectionId: string, who: Bearer, text = "select 1 as one") =>
  call("POST", `${base}/databases/${connectionId}/execute`, { ...who, body: { query: text } });

/** Runs queries first, so that the caller's identity is cached. */
async function known(connectionId: string, who: Bearer): Promise<void> {
  for (let round = 0; round < 3; round += 1) expect((await query(connectionId, who)).status).toBe(200);
}

describe("a cached identity ends with a local change: the next query", () => {
  it("is rejected after a logout (T11)", async () => {
    const [connection, ana] = [await makeConnection(), await seedMember(owner.workspaceId, "member")];
    await known(connection, ana);
    expect((await call("POST", "/api/auth/logout", { cookie: ana.cookie })).status).toBe(200);
    expect((await query(connection, { cookie: ana.cookie })).status).toBe(401);
  });

  it("is rejected when its key was revoked (T19)", async () => {
    const connection = await makeConnection();
    const minted = await call("POST", `${base}/api-keys`, { cookie: owner.cookie, body: { name: "short" } });
    const { id, key } = minted.json.data;
    await known(connection, { key });
    expect((await call("DELETE", `${base}/api-keys/${id}`, { cookie: owner.cookie })).status).toBe(200);
    expect((await query(connection, { key })).status).toBe(401);
  });

  it("is rejected for a removed member, by cookie and by key (T20)", async () => {
    const [connection, ana] = [await makeConnection(), await seedMember(owner.workspaceId, "admin")];
    const key = await seedKey(owner.workspaceId, ana, "full");
    await known(connection, { cookie: ana.cookie });
    await known(connection, { key });
    expect((await call("DELETE", `${base}/members/${ana.id}`, { cookie: owner.cookie })).status).toBe(200);
    expect((await query(connection, { cookie: ana.cookie })).status).toBe(403);
    expect((await query(connection, { key })).status).toBe(401);
  });

  it("is read-only when the connection was just made read-only", async () => {
    const connection = await makeConnection();
    await known(connection, { cookie: owner.cookie });
    expect((await query(connection, { cookie: owner.cookie }, "create table t (a int)")).status).toBe(200);
    const changed = await call("PATCH", `${base}/connectors/${connection}`, {
      cookie: owner.cookie,
      body: { readOnly: true },
    });
    expect(changed.status, changed.text).toBe(200);
    const answer = await query(connection, { cookie: owner.cookie }, "insert into t values (1)");
    expect([answer.status, answer.json.code]).toEqual([400, "read_only"]);
  });

  it("does not find a deleted connection", async () => {
    const connection = await makeConnection();
    await known(connection, { cookie: owner.cookie });
    expect((await call("DELETE", `${base}/connections/sources/${connection}`, { cookie: owner.cookie })).status).toBe(
      200,
    );
    expect((await query(connection, { cookie: owner.cookie })).status).toBe(404);
  });

  it("is checked again for another workspace", async () => {
    const [connection, stranger] = [await makeConnection(), await seedPerson("Stranger")];
    await known(connection, { cookie: owner.cookie });
    expect((await query(connection, { cookie: stranger.cookie })).status).toBe(403);
    const elsewhere = `/api/workspaces/${stranger.workspaceId}/databases/${connection}/execute`;
    const answer = await call("POST", elsewhere, { cookie: stranger.cookie, body: { query: "select 1" } });
    expect(answer.status).toBe(404);
  });
});

it("applies another server's revocation, also to continuous queries (T11, T19)", async () => {
  const [connection, ana] = [await makeConnection(), await seedMember(owner.workspaceId, "member")];
  const key = await seedKey(owner.workspaceId, ana, "full");
  for (const who of [{ cookie: ana.cookie }, { key }]) await known(connection, who);
  const elsewhere = await MongoClient.connect(process.env.MONGODB_URI ?? "");
  const there = elsewhere.db(database().databaseName);
  await there.collection(collections.sessions.collectionName).deleteMany({ userId: new ObjectId(ana.id) });
  await there.collection(collections.apiKeys.collectionName).deleteMany({ createdBy: new ObjectId(ana.id) });
  await elsewhere.close();
  // If a query is never refused, the timeout of the test ends the loop.
  const over = async (who: Bearer) => {
    while ((await query(connection, who)).status === 200);
  };
  await Promise.all([over({ cookie: ana.cookie }), over({ key })]);
});
