import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { collections } from "./collections";
import { TAG_COLOURS } from "./schema";
import { sampleIdOf } from "./testing/sample";

const { drop } = takeOwnDatabase();
afterAll(drop);

let owner: Person;
let home: string;

beforeAll(async () => {
  owner = await seedPerson();
  home = `/api/workspaces/${owner.workspaceId}`;
});

const send = (method: string, path: string, body?: unknown, cookie = owner.cookie) =>
  call(method, `${home}${path}`, { cookie, body });

/** A file of its own each, that may be written. */
const fileBody = (more: object = {}) => ({
  name: "Stock",
  type: "duckdb",
  config: { file: `${randomUUID()}.duckdb` },
  readOnly: false,
  ...more,
});

async function make(more: object = {}, cookie = owner.cookie) {
  const answer = await send("POST", "/connectors", fileBody(more), cookie);
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data;
}

describe("the tag", () => {
  const production = { name: "Production", colour: "rose" };

  test("comes back from making, reading, listing and changing, and null takes it away", async () => {
    const { id, tag } = await make({ tag: production });
    expect(tag).toEqual(production);
    expect((await send("GET", `/connectors/${id}`)).json.data.tag).toEqual(production);
    const listed = (await send("GET", "/connectors?limit=200")).json.data;
    expect(listed.find((each: { id: string }) => each.id === id).tag).toEqual(production);
    expect((await send("PATCH", `/connectors/${id}`, { name: "Other" })).json.data.tag).toEqual(production);
    const staging = { name: "Staging", colour: "amber" };
    expect((await send("PATCH", `/connectors/${id}`, { tag: staging })).json.data).toMatchObject({
      name: "Other",
      tag: staging,
    });
    expect((await send("PATCH", `/connectors/${id}`, { tag: staging })).json.data.tag).toEqual(staging);
    expect((await send("PATCH", `/connectors/${id}`, { tag: null })).json.data.tag).toBeNull();
  });

  test("is none where none is given, and of the sample too it can be set", async () => {
    expect((await make()).tag).toBeNull();
    const sampleId = await sampleIdOf(owner.workspaceId, owner);
    expect((await send("GET", `/connectors/${sampleId}`)).json.data.tag).toBeNull();
    expect((await send("PATCH", `/connectors/${sampleId}`, { tag: production })).json.data.tag).toEqual(production);
  });

  test("takes every colour, names of 1 to 24 characters without the blanks around them, and nothing else", async () => {
    const { id } = await make();
    for (const colour of TAG_COLOURS) {
      expect((await send("PATCH", `/connectors/${id}`, { tag: { name: "x", colour } })).json.data.tag.colour).toBe(
        colour,
      );
    }
    const longest = "ü".repeat(24);
    const kept = await send("PATCH", `/connectors/${id}`, { tag: { name: ` ${longest} `, colour: "sky", more: 1 } });
    expect(kept.json.data.tag).toEqual({ name: longest, colour: "sky" });
    for (const tag of [
      "Production",
      [],
      {},
      { name: "x" },
      { colour: "sky" },
      { name: "", colour: "sky" },
      { name: "  ", colour: "sky" },
      { name: "x".repeat(25), colour: "sky" },
      { name: 5, colour: "sky" },
      { name: { $ne: null }, colour: "sky" },
      { name: "x", colour: "red" },
      { name: "x", colour: "__proto__" },
      { name: "x", colour: "#ff0000" },
    ]) {
      for (const answer of [
        await send("PATCH", `/connectors/${id}`, { tag }),
        await send("POST", "/connectors", fileBody({ tag })),
      ]) {
        expect(answer.status, JSON.stringify(tag)).toBe(400);
        expect(answer.json.details[0].path).toMatch(/^tag/);
      }
    }
    expect((await send("GET", `/connectors/${id}`)).json.data.tag.name).toBe(longest);
  });

  test("is changed by who made the connection and by admins, and by nobody else", async () => {
    const member = await seedMember(owner.workspaceId, "member");
    const stranger = await seedPerson("Zoe");
    const theirs = await make({ tag: production });
    const mine = await make({}, member.cookie);
    const set = (id: string, credentials: object) =>
      call("PATCH", `${home}/connectors/${id}`, { ...credentials, body: { tag: production } });
    expect((await set(theirs.id, {})).status).toBe(401);
    expect((await set(theirs.id, { cookie: stranger.cookie })).status).toBe(403);
    expect((await set(theirs.id, { cookie: member.cookie })).status).toBe(403);
    expect((await set(mine.id, { cookie: member.cookie })).status).toBe(200);
    expect((await set(mine.id, { key: await seedKey(owner.workspaceId, owner) })).status).toBe(200);
    const elsewhere = await call("PATCH", `/api/workspaces/${stranger.workspaceId}/connectors/${theirs.id}`, {
      cookie: stranger.cookie,
      body: { tag: null },
    });
    expect(elsewhere.status).toBe(404);
    expect((await send("GET", `/connectors/${theirs.id}`)).json.data.tag).toEqual(production);
  });

  test("two changes at once leave one of the two, and who comes too late is told", async () => {
    const { id } = await make();
    const answers = await Promise.all(
      TAG_COLOURS.map((colour) => send("PATCH", `/connectors/${id}`, { tag: { name: colour, colour } })),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { tag } = (await send("GET", `/connectors/${id}`)).json.data;
    const kept = answers.filter(({ status }) => status === 200).map(({ json }) => json.data.tag);
    expect(kept).toContainEqual(tag);
    expect(tag.name).toBe(tag.colour);
  });
});

describe("the last test", () => {
  const facts = ({ status, lastTestedAt, lastError, serverVersion, latencyMs }: Record<string, unknown>) => ({
    status,
    lastTestedAt,
    lastError,
    serverVersion,
    latencyMs,
  });
  const UNTESTED = {
    status: "untested",
    lastTestedAt: null,
    lastError: null,
    serverVersion: null,
    latencyMs: null,
  };
  const read = async (id: string) => facts((await send("GET", `/connectors/${id}`)).json.data);

  test("is none for a new connection, and none for the sample: nothing is called good that nobody has tried", async () => {
    const fresh = await seedPerson("Ben");
    const items = (await call("GET", `/api/workspaces/${fresh.workspaceId}/connectors`, fresh)).json.data;
    expect(items.map(facts)).toEqual([UNTESTED]);
    // As samples of before lie in the store.
    await collections.connections().updateOne({ _id: new ObjectId(items[0].id) }, { $set: { status: "ok" } });
    const again = await call("GET", `/api/workspaces/${fresh.workspaceId}/connectors/${items[0].id}`, fresh);
    expect(facts(again.json.data)).toEqual(UNTESTED);
  });

  test("leaves status, time, version and latency together, in the list too, until the settings change", async () => {
    const { id } = await make();
    const answer = (await send("POST", `/connections/sources/${id}/test`)).json.data;
    expect(answer).toMatchObject({ ok: true, serverVersion: expect.stringMatching(/^DuckDB /) });
    const kept = await read(id);
    expect(kept).toEqual({
      status: "ok",
      lastTestedAt: expect.any(String),
      lastError: null,
      serverVersion: answer.serverVersion,
      latencyMs: answer.latencyMs,
    });
    const listed = (await send("GET", "/connectors?limit=200")).json.data;
    expect(facts(listed.find((each: { id: string }) => each.id === id))).toEqual(kept);
    await send("PATCH", `/connectors/${id}`, { name: "Other", tag: { name: "Test", colour: "teal" } });
    expect(await read(id)).toEqual(kept);
    await send("PATCH", `/connectors/${id}`, { config: { file: `${randomUUID()}.duckdb` } });
    expect(await read(id)).toEqual(UNTESTED);
  });

  test("that fails keeps the reason and its time, and no version or latency of before", async () => {
    const { id } = await make();
    await send("POST", `/connections/sources/${id}/test`);
    await collections.connections().updateOne({ _id: new ObjectId(id) }, { $set: { "config.file": "../gone" } });
    const answer = (await send("POST", `/connections/sources/${id}/test`)).json.data;
    expect(answer.ok).toBe(false);
    expect(await read(id)).toEqual({
      status: "failing",
      lastTestedAt: expect.any(String),
      lastError: answer.error,
      serverVersion: null,
      latencyMs: null,
    });
  });

  test("several at once leave what one of them has said, whole", async () => {
    const { id } = await make();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => (await send("POST", `/connections/sources/${id}/test`)).json.data),
    );
    const { latencyMs } = await read(id);
    expect(answers.map((answer) => answer.latencyMs)).toContain(latencyMs);
  });

  test("a server that says a novel or line breaks about itself gets a line of a list", async () => {
    const rows = [["version()"], ["String"], [`9.9\n\u0000\u202e${"x".repeat(5000)}`]];
    const server = createServer((_, response) => {
      response.setHeader("x-clickhouse-summary", "{}");
      response.end(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const config = { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
      const { id } = await make({ type: "clickhouse", config });
      const { serverVersion } = (await send("POST", `/connections/sources/${id}/test`)).json.data;
      expect(serverVersion).toMatch(/^ClickHouse 9\.9 x+$/);
      expect(serverVersion).toHaveLength(100);
      expect((await read(id)).serverVersion).toBe(serverVersion);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
