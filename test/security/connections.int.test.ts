import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openConfig } from "@/lib/features/connections/config";
import { collections } from "@/lib/features/instance/collections";
import { denyEndpoint } from "@/lib/platform/net/own-endpoints";
import type { Sealed } from "@/lib/platform/secrets/seal";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { dumpDatabase } from "./dump";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

const SECRET = "s3cr3t-marker-password";
/** Nothing listens there, and these tests do not wait for a response. */
const PLACE = { host: "127.0.0.1", port: 9, user: "reader", database: "shop" };
let owner: Person;
let member: Person;
let base: string;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  member = await seedMember(owner.workspaceId, "member");
  base = `/api/workspaces/${owner.workspaceId}`;
});

const create = (config: object, type = "postgres") =>
  call("POST", `${base}/connectors`, { cookie: owner.cookie, body: { name: "Shop", type, config, readOnly: true } });
const tryOut = (config: object, type = "postgres") =>
  call("POST", `${base}/connectors/test`, { cookie: owner.cookie, body: { type, config } });
const patch = (id: string, config: object) =>
  call("PATCH", `${base}/connectors/${id}`, { cookie: owner.cookie, body: { config } });
async function stored(id: string) {
  const doc = await collections.connections().findOne({ _id: new ObjectId(id) });
  if (!doc) throw new Error("There is no such connection.");
  return doc;
}

describe("a connection's address", () => {
  const METADATA = [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "metadata.google.internal",
    "metadata",
    "[fd00:ec2::254]",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
  ];
  it.each(METADATA)("%s is rejected on save and in a test (T30, T32)", async (host) => {
    const before = await collections.connections().countDocuments();
    for (const type of ["postgres", "mysql", "clickhouse"]) {
      const saved = await create({ ...PLACE, host }, type);
      expect([type, saved.status]).toEqual([type, 400]);
      expect(["address_refused", "invalid_request"]).toContain(saved.json.code);
      const tried = await tryOut({ ...PLACE, host }, type);
      expect([tried.status, tried.json.data.ok]).toEqual([200, false]);
      expect(["address_refused", "invalid_request"]).toContain(tried.json.data.code);
    }
    expect(await collections.connections().countDocuments()).toBe(before);
  });

  it.each([
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "①②⑦.0.0.1",
    "a b",
    "a\r\nb",
    "a/b",
    "a@b",
    "",
    "x".repeat(300),
  ])("%j is not a host (T31)", async (host) => {
    const answer = await create({ ...PLACE, host });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it.each([0, 65_536, -1, 1.5, "9; drop"])("%s is not a valid port (T36)", async (port) => {
    const answer = await create({ ...PLACE, port });
    expect(answer.status).toBe(400);
  });

  it("of the platform's own store is rejected by each of its names (T38)", async () => {
    const allow = denyEndpoint({ host: "127.0.0.1", port: 27_117 });
    try {
      const uri = `mongodb://reader:${SECRET}@127.0.0.1:27117/millrace`;
      const attempts = [
        await create({ connectionString: uri }, "mongodb"),
        await create({ connectionString: uri.replace("127.0.0.1", "localhost") }, "mongodb"),
        await create({ ...PLACE, port: 27_117 }),
      ];
      expect(attempts.map(({ status, json }) => [status, json.code])).toEqual(
        Array(attempts.length).fill([400, "address_refused"]),
      );
      const tried = await tryOut({ connectionString: uri }, "mongodb");
      expect(tried.json.data).toEqual({ ok: false, code: "address_refused", error: expect.any(String) });
      for (const { text } of [...attempts, tried]) expect(text).not.toContain(SECRET);
    } finally {
      allow();
    }
  });
});

describe("a connection's secret", () => {
  it("is encrypted for its place in the store, and never shown (T44, T46)", async () => {
    const made = await create({ ...PLACE, password: SECRET });
    expect(made.status).toBe(201);
    const { id } = made.json.data;
    expect(made.json.data.config).toEqual(expect.objectContaining({ host: "127.0.0.1", password: { set: true } }));
    expect((await stored(id)).secrets.password).toMatch(/^v1:/);
    expect(openConfig(await stored(id)).password).toBe(SECRET);
    const key = await seedKey(owner.workspaceId, owner);
    for (const caller of [{ cookie: owner.cookie }, { cookie: member.cookie }, { key }]) {
      for (const path of [`${base}/connectors`, `${base}/connectors/${id}`]) {
        expect((await call("GET", path, caller)).text).not.toContain(SECRET);
      }
    }
    const { secrets } = await stored(id);
    const dump = await dumpDatabase();
    expect([dump.includes(SECRET), dump.includes(Buffer.from(SECRET).toString("base64"))]).toEqual([false, false]);
    // The encrypted form may be stored, but no response contains it either.
    expect((await call("GET", `${base}/connectors/${id}`, owner)).text).not.toContain(secrets.password);
  });

  it("can't be decrypted in another row (T44)", async () => {
    const [one, two] = [await create({ ...PLACE, password: SECRET }), await create({ ...PLACE, password: "other" })];
    const { secrets } = await stored(one.json.data.id);
    await collections.connections().updateOne({ _id: new ObjectId(two.json.data.id as string) }, { $set: { secrets } });
    const moved = await stored(two.json.data.id);
    expect(() => openConfig(moved)).toThrow("A stored secret is damaged");
    const tried = await call("POST", `${base}/connections/sources/${two.json.data.id}/test`, { cookie: owner.cookie });
    expect(tried.text).not.toContain(SECRET);
  });

  it("that can't be decrypted is reported everywhere, and re-entering it repairs it (T44)", async () => {
    const { id } = (await create({ ...PLACE, password: SECRET })).json.data;
    const other = (await create({ ...PLACE, password: "other" })).json.data.id as string;
    const foreign = (await stored(other)).secrets;
    const place = { _id: new ObjectId(id as string) };
    const unknownKey = { password: (await stored(id)).secrets.password?.replace(/^v1:[^:]+:/, "v1:gone:") as Sealed };
    for (const secrets of [foreign, unknownKey, { password: "no sealed form" as Sealed }]) {
      await collections.connections().updateOne(place, { $set: { secrets } });
      const tried = await call("POST", `${base}/connections/sources/${id}/test`, { cookie: owner.cookie });
      expect([tried.status, tried.json.data]).toEqual([
        200,
        { ok: false, code: "precondition_failed", error: expect.stringMatching(/[Ee]nter (it|the secret) again/) },
      ]);
      expect(await stored(id)).toMatchObject({ status: "failing", lastError: tried.json.data.error });
      const ways = [
        await call("POST", `${base}/databases/${id}/execute`, { cookie: owner.cookie, body: { query: "select 1" } }),
        await call("GET", `${base}/connectors/${id}/entities`, { cookie: owner.cookie }),
      ];
      for (const { status, json } of ways) {
        expect([status, json.code]).toEqual([412, "precondition_failed"]);
        expect(json.details).toEqual([{ path: "config.password", message: expect.stringContaining("Enter it again") }]);
      }
      const unsent = await patch(id, { database: "depot" });
      expect([unsent.status, unsent.json.details[0].path]).toEqual([400, "config.password"]);
      expect(
        (await call("PATCH", `${base}/connectors/${id}`, { cookie: owner.cookie, body: { name: "Named" } })).status,
      ).toBe(200);
      expect((await patch(id, { password: "entered again" })).status).toBe(200);
      expect(openConfig(await stored(id)).password).toBe("entered again");
    }
  });

  it("is kept when the form returns it as shown (T46)", async () => {
    const { id, config } = (await create({ ...PLACE, password: SECRET })).json.data;
    expect((await patch(id, { ...config, database: "depot" })).status).toBe(200);
    expect(openConfig(await stored(id))).toMatchObject({ database: "depot", password: SECRET });
  });

  it("is not sent with less security without re-entering it (T48)", async () => {
    const { id } = (await create({ ...PLACE, ssl: "verify-full", password: SECRET })).json.data;
    for (const ssl of ["require", "disable"]) expect((await patch(id, { ssl })).status).toBe(400);
    expect((await stored(id)).config.ssl).toBe("verify-full");
    expect((await patch(id, { ssl: "disable", password: "given again" })).status).toBe(200);
    expect((await patch(id, { ssl: "verify-full" })).status).toBe(200);
  });

  it.each([
    { host: "127.0.0.2" },
    { host: "evil.example" },
    { port: 10 },
    { user: "other" },
    { connectionString: "postgres://reader@evil.example/shop" },
    { host: "127.0.0.2", password: { set: true } },
  ])("is not sent to a new target without re-entering it: %j (T48)", async (change) => {
    const { id } = (await create({ ...PLACE, password: SECRET })).json.data;
    const before = await stored(id);
    const answer = await patch(id, change);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(await stored(id)).toEqual(before);
    const withSecret = await patch(id, { host: "127.0.0.2", password: "given again" });
    expect(withSecret.status).toBe(200);
    expect(openConfig(await stored(id)).password).toBe("given again");
  });

  it("is not kept for another database type (T48)", async () => {
    const { id } = (await create({ ...PLACE, password: SECRET })).json.data;
    const answer = await call("PATCH", `${base}/connectors/${id}`, {
      cookie: owner.cookie,
      body: { type: "mysql", config: { ...PLACE, host: "127.0.0.2" } },
    });
    expect([200, 400]).toContain(answer.status);
    expect((await stored(id)).type === "mysql" && openConfig(await stored(id)).password).not.toBe(SECRET);
  });
});

describe("a web service's connection", () => {
  const resources = [{ name: "orders", path: "/orders" }];
  const service = (over: object = {}) => ({ baseUrl: "https://service.invalid/v1", resources, ...over });
  const auth = { kind: "bearer", token: SECRET };
  const headers = { "X-Tenant": `${SECRET}-header` };

  it.each([
    "http://169.254.169.254/latest",
    "http://metadata.google.internal/",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:169.254.169.254]/",
    "http://127.0.0.1:9/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://localhost:9/",
    "http://10.0.0.1/",
    "file:///etc/passwd",
    "gopher://service.invalid/",
    "http://user:password@service.invalid/",
    "http://service.invalid:6379/",
  ])("to %s is rejected on save and in a test (T30, T31, T36)", async (baseUrl) => {
    const before = await collections.connections().countDocuments();
    const saved = await create(service({ baseUrl }), "rest");
    expect([saved.status, ["address_refused", "invalid_request"].includes(saved.json.code)]).toEqual([400, true]);
    const tried = await tryOut(service({ baseUrl }), "rest");
    expect([tried.status, tried.json.data.ok]).toEqual([200, false]);
    expect(["address_refused", "invalid_request"]).toContain(tried.json.data.code);
    expect(await collections.connections().countDocuments()).toBe(before);
  });

  it("shows which secrets are set and none of them, and keeps values returned as shown (T44, T46)", async () => {
    const made = await create(service({ auth, headers }), "rest");
    expect([made.status, made.json.data.category]).toEqual([201, "source"]);
    const { id, config } = made.json.data;
    expect(config).toMatchObject({
      auth: { kind: "bearer", token: { set: true } },
      headers: { "X-Tenant": { set: true } },
      resources,
    });
    expect((await patch(id, { ...config, rateLimitPerMinute: 60 })).status).toBe(200);
    expect(openConfig(await stored(id))).toMatchObject({ auth, headers, rateLimitPerMinute: 60 });
    for (const path of [`${base}/connectors`, `${base}/connectors/${id}`]) {
      expect((await call("GET", path, { cookie: member.cookie })).text).not.toContain(SECRET);
    }
    const dump = await dumpDatabase();
    expect([dump.includes(SECRET), dump.includes(Buffer.from(SECRET).toString("base64"))]).toEqual([false, false]);
    const asked = await call("POST", `${base}/databases/${id}/execute`, {
      cookie: owner.cookie,
      body: { query: "select 1" },
    });
    expect([asked.status, asked.json.code]).toEqual([400, "invalid_request"]);
  });

  it("sends its secrets to no new target without re-entering them (T48)", async () => {
    const { id } = (await create(service({ auth, headers }), "rest")).json.data;
    const before = await stored(id);
    for (const change of [
      { baseUrl: "https://evil.invalid/v1" },
      { baseUrl: "https://evil.invalid/v1", auth: { kind: "bearer", token: { set: true } }, headers: null },
      { baseUrl: "https://evil.invalid/v1", auth: null },
      { baseUrl: "https://evil.invalid/v1", auth: null, headers: { "X-Tenant": { set: true } } },
      { baseUrl: "https://evil.invalid/v1", auth: null, headers: { "X-Other": { set: true } } },
      { resources: [{ name: "orders", path: "//evil.invalid/orders" }] },
      { resources: [{ name: "orders", path: "https://evil.invalid/orders" }] },
    ]) {
      const answer = await patch(id, change);
      expect([change, answer.status, answer.json.code]).toEqual([change, 400, "invalid_request"]);
      expect(await stored(id)).toEqual(before);
    }
    expect((await patch(id, { baseUrl: "https://evil.invalid/v1", auth: null, headers: null })).status).toBe(200);
    expect(await stored(id)).toMatchObject({ secrets: {} });
  });

  it("drops the secret of one authentication method when another is selected", async () => {
    const { id } = (await create(service({ auth }), "rest")).json.data;
    expect((await patch(id, { auth: { kind: "basic", user: "ana", password: "p" } })).status).toBe(200);
    expect(Object.keys((await stored(id)).secrets)).toEqual(["auth:password"]);
    expect((await patch(id, { auth: { kind: "bearer" } })).json.details).toEqual([
      { path: "config.auth.token", message: "Token is required." },
    ]);
  });
});
