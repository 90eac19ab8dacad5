import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { startSshd } from "@/test/servers/sshd";
import { collections } from "./collections";
import { LOADS_TABLE } from "./drivers/shared/flows/sql-load";
import { TAG_COLOURS } from "./schema";

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

/** A separate file per connection, which may be written. */
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

test("is found by ID and by a part of its name, in its workspace", async () => {
  const { id } = await make({ name: "Archive (otters)" });
  const stranger = await seedPerson();
  const find = async (query: string, cookie = owner.cookie) => {
    const answer = await send("GET", `/connectors?${query}`, undefined, cookie);
    return answer.json.data?.map((each: { id: string }) => each.id) ?? answer.status;
  };
  const ids = `${"f".repeat(24)},${id}`;
  expect(await find(`ids=${ids}`)).toEqual([id]);
  expect(await find(`ids=${ids}&cursor=${id}`)).toEqual([]);
  expect(await find(`q=${encodeURIComponent("VE (OTT")}`)).toEqual([id]);
  expect(await find("q=.*otters")).toEqual([]);
  expect(await find(`ids=${ids}`, stranger.cookie)).toBe(403);
  const own = await call("GET", `/api/workspaces/${stranger.workspaceId}/connectors?ids=${ids}`, stranger);
  expect(own.json.data).toEqual([]);
  expect([await find("ids=1"), await find("q=%20")]).toEqual([400, 400]);
});

describe("the tag", () => {
  const production = { name: "Production", colour: "rose" };

  test("is returned by create, get, list and update; null removes it", async () => {
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

  test("is null by default, and can be set on the sample", async () => {
    expect((await make()).tag).toBeNull();
    const sampleId = await sampleIdOf(owner.workspaceId, owner);
    expect((await send("GET", `/connectors/${sampleId}`)).json.data.tag).toBeNull();
    expect((await send("PATCH", `/connectors/${sampleId}`, { tag: production })).json.data.tag).toEqual(production);
  });

  test("accepts every colour and trimmed names of 1 to 24 characters only", async () => {
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

  test("can be changed by the connection's creator and admins only", async () => {
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

  test("survives two concurrent changes, and the later one gets a conflict", async () => {
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

  test("is null for a new connection and for the sample", async () => {
    const fresh = await seedPerson("Ben");
    const items = (await call("GET", `/api/workspaces/${fresh.workspaceId}/connectors`, fresh)).json.data;
    expect(items.map(facts)).toEqual([UNTESTED]);
    // Samples of earlier versions are stored this way.
    await collections.connections().updateOne({ _id: new ObjectId(items[0].id) }, { $set: { status: "ok" } });
    const again = await call("GET", `/api/workspaces/${fresh.workspaceId}/connectors/${items[0].id}`, fresh);
    expect(facts(again.json.data)).toEqual(UNTESTED);
  });

  test("has status, time, version and latency, also in the list, until the settings change", async () => {
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

  test("keeps the reason and time of a failure, without an earlier version or latency", async () => {
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

  test("stores one whole result of several concurrent tests", async () => {
    const { id } = await make();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => (await send("POST", `/connections/sources/${id}/test`)).json.data),
    );
    const { latencyMs } = await read(id);
    expect(answers.map((answer) => answer.latencyMs)).toContain(latencyMs);
  });

  test("cuts a long or multi-line server version to one line", async () => {
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

describe("the settings of servers", () => {
  const SECRET = "marker-of-the-tunnel";
  const ssh = { host: "jump.invalid", port: 2222, user: "millrace", password: SECRET };
  const server = { host: "127.0.0.1", port: 9, user: "reader", password: "marker-of-the-base" };
  const BASES = {
    postgres: server,
    redshift: server,
    mysql: server,
    clickhouse: server,
    trino: { ...server, catalog: "lake", ssl: "require" },
    mongodb: { connectionString: "mongodb://reader:marker-of-the-base@127.0.0.1:9/shop" },
  };
  const types = Object.keys(BASES) as (keyof typeof BASES)[];
  const post = (type: keyof typeof BASES, more: object) =>
    send("POST", "/connectors", { name: "Far", type, config: { ...BASES[type], ...more } });

  test.each(types)("%s keeps the tunnel's secrets encrypted and shows the rest", async (type) => {
    const more = { ssh, schemas: ["billing", "ops"], statementTimeoutMs: 60_000, queriesMax: 7 };
    const answer = await post(type, more);
    expect(answer.status, answer.text).toBe(201);
    const { id, config } = answer.json.data;
    expect(config).toMatchObject({ ...more, ssh: { ...ssh, password: { set: true } } });
    expect(answer.text).not.toContain(SECRET);
    const stored = await collections.connections().findOne({ _id: new ObjectId(id) });
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect(Object.keys(stored?.secrets ?? {})).toContain("ssh:password");
    // A shown config can be sent back unchanged.
    const again = await send("PATCH", `/connectors/${id}`, { config });
    expect(again.status, again.text).toBe(200);
    expect(again.json.data.config).toEqual(config);
  });

  test.each(types)("%s removes a schema or a limit without asking for a secret", async (type) => {
    const { id } = (await post(type, { schemas: ["billing"], statementTimeoutMs: 60_000 })).json.data;
    const changed = await send("PATCH", `/connectors/${id}`, {
      config: { schemas: null, statementTimeoutMs: null, ssh: null },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.data.config).not.toHaveProperty("schemas");
    expect(changed.json.data.config).not.toHaveProperty("statementTimeoutMs");
    const blank = {
      ssh: { host: null, port: null, user: null, password: null, privateKey: null, hostKeySha256: null },
    };
    expect((await send("PATCH", `/connectors/${id}`, { config: blank })).status).toBe(200);
  });

  test.each(types)(
    "T48 %s asks for every secret again when the tunnel's target changes, or it is added or removed",
    async (type) => {
      const key = `SHA256:${"A".repeat(43)}`;
      const { id } = (await post(type, { ssh: { ...ssh, hostKeySha256: key } })).json.data;
      const plain = (await post(type, {})).json.data.id;
      const base = type === "mongodb" ? "config.connectionString" : "config.password";
      const refused = async (of: string, tunnel: object | null, paths: string[]) => {
        const answer = await send("PATCH", `/connectors/${of}`, { config: { ssh: tunnel } });
        expect(answer.status, answer.text).toBe(400);
        expect(answer.json.details.map(({ path }: { path: string }) => path).sort()).toEqual(paths);
      };
      for (const change of [
        { host: "evil.invalid" },
        { port: 2223 },
        { user: "root" },
        { hostKeySha256: `SHA256:${"B".repeat(43)}` },
        { hostKeySha256: null },
      ]) {
        await refused(id, change, [base, "config.ssh.password"]);
      }
      await refused(id, null, [base]);
      await refused(plain, ssh, [base]);
      const own = type === "mongodb" ? BASES.mongodb : { password: server.password };
      const moved = { config: { ...own, ssh: { host: "other.invalid", password: SECRET } } };
      expect((await send("PATCH", `/connectors/${id}`, moved)).status).toBe(200);
      expect(
        (await send("PATCH", `/connectors/${id}`, { config: { ...own, ssh: null } })).json.data.config,
      ).not.toHaveProperty("ssh");
    },
  );

  test.each([
    ["ssh.host", { ssh: { ...ssh, host: "" } }],
    ["ssh.host", { ssh: { ...ssh, host: "a,b" } }],
    ["ssh.host", { ssh: { ...ssh, host: "/tmp/x.sock" } }],
    ["ssh.user", { ssh: { ...ssh, user: null } }],
    ["ssh.user", { ssh: { ...ssh, user: "a\nb" } }],
    ["ssh.port", { ssh: { ...ssh, port: 0 } }],
    ["ssh.port", { ssh: { ...ssh, port: 65_536 } }],
    ["ssh.port", { ssh: { ...ssh, port: "x" } }],
    ["ssh.password", { ssh: { ...ssh, password: null } }],
    ["ssh.password", { ssh: { ...ssh, privateKey: "x" } }],
    ["ssh.privateKey", { ssh: { ...ssh, password: null, privateKey: "x" } }],
    ["ssh.hostKeySha256", { ssh: { ...ssh, hostKeySha256: "x" } }],
    ["ssh.agent", { ssh: { ...ssh, agent: "/tmp/agent" } }],
    ["ssh", { ssh: "jump.invalid" }],
    ["schemas", { schemas: "billing" }],
    ["schemas", { schemas: [""] }],
    ["schemas", { schemas: [5] }],
    ["schemas", { schemas: ["a", "a"] }],
    ["schemas", { schemas: ["a\u0000"] }],
    ["schemas", { schemas: ["x".repeat(256)] }],
    ["schemas", { schemas: Array.from({ length: 101 }, (_, index) => `s${index}`) }],
    ["statementTimeoutMs", { statementTimeoutMs: 999 }],
    ["statementTimeoutMs", { statementTimeoutMs: 86_400_001 }],
    ["statementTimeoutMs", { statementTimeoutMs: 1500.5 }],
    ["statementTimeoutMs", { statementTimeoutMs: "60 s" }],
    ["queriesMax", { queriesMax: 0 }],
    ["queriesMax", { queriesMax: 41 }],
    ["queriesMax", { queriesMax: 1.5 }],
  ])("%s is rejected at its field: %j", async (place, more) => {
    for (const type of types) {
      const answer = await post(type, more);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json.details[0].path).toMatch(new RegExp(`^config\\.${place.replace(".", "\\.")}`));
    }
  });

  test("accepts the limits themselves", async () => {
    for (const more of [
      { statementTimeoutMs: 1000 },
      { statementTimeoutMs: 86_400_000 },
      { queriesMax: 1 },
      { queriesMax: 40 },
      { schemas: Array.from({ length: 100 }, (_, index) => `s${index}`) },
      { schemas: ["x".repeat(255)] },
      { schemas: [] },
      { ssh: { ...ssh, port: 65_535, hostKeySha256: "A".repeat(43) } },
    ]) {
      const answer = await post("postgres", more);
      expect(answer.status, answer.text).toBe(201);
    }
  });

  test("does not have them for other types", async () => {
    for (const more of [{ ssh }, { schemas: ["a"] }, { statementTimeoutMs: 60_000 }]) {
      expect((await send("POST", "/connectors", fileBody({ config: { file: "x.duckdb", ...more } }))).status).toBe(400);
    }
  });

  test("T30 rejects blocked addresses on both ends of a tunnel before they are stored", async () => {
    for (const type of ["postgres", "redshift", "mysql", "clickhouse", "trino"] as const) {
      const forwarded = { ...BASES[type], host: "169.254.169.254", ssh };
      const tunnel = { ...BASES[type], ssh: { ...ssh, host: "169.254.169.254" } };
      for (const config of [forwarded, tunnel]) {
        const answer = await send("POST", "/connectors", { name: "Far", type, config });
        expect([answer.status, answer.json.code]).toEqual([400, "address_refused"]);
      }
    }
    const connectionString = "mongodb://169.254.169.254/shop";
    const answer = await send("POST", "/connectors", {
      name: "Far",
      type: "mongodb",
      config: { connectionString, ssh },
    });
    expect(answer.json.code).toBe("address_refused");
  });

  test("a test reports an untrusted host key, so that the user can trust it", async ({ skip }) => {
    const sshd = await startSshd();
    if (!sshd) return skip();
    try {
      const { host, port, user, privateKey, hostKeySha256 } = sshd;
      const tunnel = { host, port, user, privateKey };
      const config = { ...server, port: 5432, ssh: tunnel };
      const tried = (await send("POST", "/connectors/test", { type: "postgres", config })).json.data;
      expect(tried).toMatchObject({ ok: false, code: "source_unreachable", hostKeySha256 });
      const { id } = (await post("postgres", { ssh: tunnel })).json.data;
      expect((await send("POST", `/connections/sources/${id}/test`)).json.data).toMatchObject({
        ok: false,
        hostKeySha256,
      });
      const wrong = { ...config, ssh: { ...tunnel, hostKeySha256: "A".repeat(43) } };
      const warned = (await send("POST", "/connectors/test", { type: "postgres", config: wrong })).json.data;
      expect(warned).toMatchObject({ ok: false, error: expect.stringMatching(/^WARNING/) });
      expect(warned).not.toHaveProperty("hostKeySha256");
    } finally {
      await sshd.stop();
    }
  });
});

describe("resources that use a connection", () => {
  const usesOf = (id: string, cookie?: string) => send("GET", `/connectors/${id}/uses`, undefined, cookie);

  test("are listed as in the in_use error, for every member and no one else", async () => {
    const { id } = await make();
    expect((await usesOf(id)).json.data).toEqual([]);
    const flow = {
      type: "query",
      name: "Copy",
      trigger: false,
      source: { connectionId: await sampleIdOf(owner.workspaceId, owner), query: "select 1 as a" },
      destination: { connectionId: id, write: "append" },
    };
    const made = await send("POST", "/flows", flow);
    expect(made.status, made.text).toBeLessThan(300);
    const member = await seedMember(owner.workspaceId, "member");
    const { data } = (await usesOf(id, member.cookie)).json;
    expect(data).toEqual([{ kind: "flow", id: made.json.data.flow.id, name: "Copy" }]);
    const deleted = await send("DELETE", `/connections/sources/${id}`);
    expect([deleted.status, deleted.json.details]).toEqual([409, data]);
    const stranger = await seedPerson("Zoe");
    expect((await usesOf(id, stranger.cookie)).status).toBe(403);
    expect((await call("GET", `${home}/connectors/${id}/uses`)).status).toBe(401);
    const elsewhere = `/api/workspaces/${stranger.workspaceId}/connectors/${id}/uses`;
    expect((await call("GET", elsewhere, { cookie: stranger.cookie })).status).toBe(404);
    expect((await usesOf("0".repeat(24))).status).toBe(404);
    expect((await usesOf("x")).status).toBe(400);
  });
});

describe("the DDL of a table", () => {
  const ddl = (id: string, query: string) => send("GET", `/connectors/${id}/entities/ddl?${query}`);

  test("is stable for the sample's tables and views, and visible to every member", async () => {
    const id = await sampleIdOf(owner.workspaceId, owner);
    const answers = await Promise.all([1, 2, 3].map(() => ddl(id, "name=customers")));
    for (const { status, json } of answers) {
      expect(status).toBe(200);
      expect(json.data.text).toMatch(/^CREATE TABLE customers\([\s\S]*PRIMARY KEY[\s\S]*\);$/);
    }
    const stranger = await seedPerson("Cid");
    const elsewhere = await call(
      "GET",
      `/api/workspaces/${stranger.workspaceId}/connectors/${id}/entities/ddl?name=customers`,
      stranger,
    );
    expect(elsewhere.status).toBe(404);
  });

  test("is 404 for an unknown table, 400 without a name, and 400 for unsupported types", async () => {
    const { id } = await make();
    const missing = await ddl(id, "name=nothing");
    expect(missing).toMatchObject({
      status: 404,
      json: { code: "not_found", error: expect.stringContaining("nothing") },
    });
    expect((await ddl(id, "")).status).toBe(400);
    expect((await ddl(id, `name=${"x".repeat(501)}`)).status).toBe(400);
    const shop = { baseUrl: "https://93.184.216.34", resources: [{ name: "orders", path: "/orders" }] };
    const rest = await make({ type: "rest", config: shop });
    const refused = await ddl(rest.id, "name=orders");
    expect(refused).toMatchObject({ status: 400, json: { error: "REST does not support DDL." } });
  });

  test("does not reveal tables that a connection hides, such as those of flows", async () => {
    const { id } = await make({ readOnly: false });
    const write = (query: string) => send("POST", `/databases/${id}/execute`, { query });
    expect((await write("create table seen (a int)")).status).toBe(200);
    expect((await ddl(id, "name=seen")).json.data.text).toBe("CREATE TABLE seen(a INTEGER);");
    expect((await write(`create table "${LOADS_TABLE}" (a int)`)).status).toBe(200);
    expect((await ddl(id, `name=${LOADS_TABLE}`)).status).toBe(404);
  });
});
