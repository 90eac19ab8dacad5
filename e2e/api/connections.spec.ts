import { randomUUID } from "node:crypto";
import {
  expect,
  expectError,
  expectInvalid,
  expectOk,
  ID,
  ISO,
  join,
  NO_SUCH_ID,
  newConnection,
  newKey,
  type Person,
  sampleOf,
  test,
} from "./fixtures";

const MARKER = "hunter2-marker-secret";

/** A well-formed connection to nowhere: port 9 of this machine is closed. */
const POSTGRES = {
  host: "127.0.0.1",
  port: 9,
  database: "shop",
  user: "reader",
  password: MARKER,
  ssl: "require",
};

async function newPostgres(person: Person, config: object = POSTGRES): Promise<string> {
  const answer = await person.api.post(`${person.home}/connectors`, { name: "pg", type: "postgres", config });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.id;
}

test.describe("connections", () => {
  test("returns a new connection in full, untested and read-only by default", async ({ owner }) => {
    const answer = await owner.api.post(`${owner.home}/connectors`, {
      name: "Warehouse",
      type: "duckdb",
      config: { file: "warehouse.duckdb" },
    });
    expect(answer.status).toBe(201);
    expect(answer.json.data).toEqual({
      id: expect.stringMatching(ID),
      name: "Warehouse",
      type: "duckdb",
      category: "database",
      readOnly: true,
      tag: null,
      confirmWrites: "never",
      config: { file: "warehouse.duckdb" },
      status: "untested",
      lastTestedAt: null,
      lastError: null,
      serverVersion: null,
      latencyMs: null,
      latencies: [],
      createdBy: owner.id,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    });
    const { id } = answer.json.data;
    expect((await owner.api.get(`${owner.home}/connectors/${id}`)).json.data).toEqual(answer.json.data);
    expect((await owner.api.get(`${owner.home}/connectors`)).json.data).toContainEqual(answer.json.data);
  });

  test("lets a member create, change and delete their own connections, and admins all", async ({ owner }) => {
    const [admin, member] = [await join(owner, "admin"), await join(owner, "member")];
    const made = async (person: Person) => {
      const answer = await person.api.post(`${owner.home}/connectors`, {
        name: "x",
        type: "duckdb",
        config: { file: `${randomUUID()}.duckdb` },
        readOnly: false,
      });
      expect(answer.status).toBe(201);
      return answer.json.data.id as string;
    };
    const [theirs, mine] = [await made(owner), await made(member)];
    expectOk(await member.api.patch(`${owner.home}/connectors/${mine}`, { name: "renamed" }));
    expectError(await member.api.patch(`${owner.home}/connectors/${theirs}`, { name: "renamed" }), 403, "forbidden");
    expectError(await member.api.delete(`${owner.home}/connections/sources/${theirs}`), 403, "forbidden");
    expectOk(await member.api.delete(`${owner.home}/connections/sources/${mine}`));
    expectOk(await admin.api.patch(`${owner.home}/connectors/${theirs}`, { name: "by admin" }));
    expectOk(await admin.api.delete(`${owner.home}/connections/sources/${theirs}`));
    expectError(await owner.api.get(`${owner.home}/connectors/${theirs}`), 404, "not_found");
    expectError(await owner.api.delete(`${owner.home}/connections/sources/${theirs}`), 404, "not_found");
  });

  test("updates only the fields sent with PATCH", async ({ owner }) => {
    const id = await newConnection(owner);
    const before = (await owner.api.get(`${owner.home}/connectors/${id}`)).json.data;
    const { json } = await owner.api.patch(`${owner.home}/connectors/${id}`, { name: "Another name" });
    expect(json.data).toEqual({ ...before, name: "Another name", updatedAt: json.data.updatedAt });
    expectOk(await owner.api.patch(`${owner.home}/connectors/${id}`, {}));
  });

  test("returns 400 for an unknown type, a missing name or config, or wrong types", async ({ owner }) => {
    const good = { name: "x", type: "duckdb", config: { file: "x.duckdb" } };
    for (const json of [
      { ...good, type: "oracle" },
      { ...good, type: "__proto__" },
      { ...good, type: "constructor" },
      { ...good, type: "" },
      { ...good, name: "" },
      { ...good, name: "  " },
      { ...good, name: 5 },
      { ...good, readOnly: "no" },
      { ...good, config: null },
      { ...good, config: [] },
      { ...good, config: {} },
      { name: "x", type: "duckdb" },
      {},
    ]) {
      expectInvalid(await owner.api.post(`${owner.home}/connectors`, json), "invalid_request");
    }
    expect((await owner.api.get(`${owner.home}/connectors`)).json.data).toHaveLength(1);
  });

  test("T39 returns 400 for a file that is not a plain name: a path, dots, an absolute name, a URL or a NUL", async ({
    owner,
  }) => {
    for (const file of [
      "../x.duckdb",
      "..",
      ".",
      "a/b.duckdb",
      "a\\b.duckdb",
      "/etc/passwd",
      "C:\\x.duckdb",
      "file:x.duckdb?mode=rwc",
      "http://example.com/x.duckdb",
      "s3://bucket/x.duckdb",
      ":memory:",
      "x\u0000.duckdb",
      "x\n.duckdb",
      "",
      " ",
      ".hidden",
      "x".repeat(300),
      "%2e%2e%2fx",
      "~/x",
      "md:db",
      "\uff0e\uff0e/x",
      5,
      null,
    ]) {
      for (const readOnly of [true, false]) {
        const answer = await owner.api.post(`${owner.home}/connectors`, {
          name: "x",
          type: "duckdb",
          config: { file },
          readOnly,
        });
        expect([file, answer.status]).toEqual([file, 400]);
        expectError(answer, 400, "invalid_request");
      }
    }
    expect((await owner.api.get(`${owner.home}/files`)).json.data).toEqual([]);
  });

  test("creates a missing file only for a writable connection", async ({ owner }) => {
    const writing = await newConnection(owner, { config: { file: "made.duckdb" } });
    expectOk(await owner.api.post(`${owner.home}/databases/${writing}/execute`, { query: "create table t(a int)" }));
    expect((await owner.api.get(`${owner.home}/files`)).json.data).toEqual([
      expect.objectContaining({ file: "made.duckdb", bytes: expect.any(Number) }),
    ]);
    const reading = await newConnection(owner, { config: { file: "missing.duckdb" }, readOnly: true });
    const answer = await owner.api.post(`${owner.home}/databases/${reading}/execute`, { query: "select 1" });
    expect([400, 404, 502]).toContain(answer.status);
    const tested = await owner.api.post(`${owner.home}/connections/sources/${reading}/test`);
    expect(tested.json.data).toMatchObject({ ok: false, error: expect.any(String), code: expect.any(String) });
    expect((await owner.api.get(`${owner.home}/files`)).json.data).toHaveLength(1);
  });

  test("separates files of the same name in two workspaces", async ({ owner, stranger }) => {
    const ids = [];
    for (const person of [owner, stranger]) ids.push(await newConnection(person, { config: { file: "same.duckdb" } }));
    expectOk(
      await owner.api.post(`${owner.home}/databases/${ids[0]}/execute`, { query: "create table mine as select 1 a" }),
    );
    expectError(
      await stranger.api.post(`${stranger.home}/databases/${ids[1]}/execute`, { query: "select * from mine" }),
      400,
      "query_failed",
    );
  });
});

test.describe("connection types", () => {
  test("declare all form fields", async ({ reader }) => {
    const { json } = await reader.api.get("/api/connectors/types");
    expect(json.data.length).toBeGreaterThan(0);
    const kinds = ["text", "password", "number", "boolean", "select", "textarea", "file", "json"];
    for (const type of json.data) {
      expect(type).toMatchObject({ type: expect.stringMatching(/^[a-z]+$/), name: expect.any(String) });
      expect(["database", "source"]).toContain(type.category);
      for (const field of type.fields) {
        expect(field).toMatchObject({
          name: expect.any(String),
          label: expect.any(String),
          required: expect.any(Boolean),
          secret: expect.any(Boolean),
          help: expect.any(String),
        });
        expect(kinds).toContain(field.kind);
        expect([field.name, field.kind === "select", Array.isArray(field.options)]).toEqual([
          field.name,
          field.kind === "select",
          field.kind === "select",
        ]);
      }
    }
  });

  test("include every type of the API, by category", async ({ reader }) => {
    const { json } = await reader.api.get("/api/connectors/types");
    const categories = Object.fromEntries(
      json.data.map(({ type, category }: { type: string; category: string }) => [type, category]),
    );
    expect(categories).toMatchObject({
      postgres: "database",
      redshift: "database",
      mysql: "database",
      mongodb: "database",
      sqlite: "database",
      duckdb: "database",
      clickhouse: "database",
      trino: "database",
      rest: "source",
      graphql: "source",
      stripe: "source",
    });
  });

  test("are visible with any credentials, and not without", async ({ owner, anyone }) => {
    const { api } = await newKey(owner);
    expectOk(await api.get("/api/connectors/types"));
    expectError(await anyone.get("/api/connectors/types"), 401, "unauthenticated");
  });
});

test.describe("connection secrets", () => {
  test("T46 are never returned: on create, list, get, update, test, or in an error", async ({ owner }) => {
    const id = await newPostgres(owner);
    const answers = [
      await owner.api.get(`${owner.home}/connectors/${id}`),
      await owner.api.get(`${owner.home}/connectors`),
      await owner.api.patch(`${owner.home}/connectors/${id}`, { name: "renamed" }),
      await owner.api.post(`${owner.home}/connections/sources/${id}/test`),
      await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 1" }),
      await owner.api.get(`${owner.home}/connectors/${id}/entities`),
      await owner.api.get(`${owner.home}/connectors/${id}`),
      await owner.api.get(`${owner.home}/executions`),
      await owner.api.post(`${owner.home}/connectors/test`, { type: "postgres", config: POSTGRES }),
      await owner.api.post(`${owner.home}/connectors`, { name: "", type: "postgres", config: POSTGRES }),
    ];
    for (const answer of answers) expect(answer.text).not.toContain(MARKER);
    expect(answers[0]?.json.data.config).toMatchObject({ host: "127.0.0.1", user: "reader", password: { set: true } });
  });

  test("T48 are kept when omitted, but required again when the target changes", async ({ owner }) => {
    const id = await newPostgres(owner);
    const change = (config: object) => owner.api.patch(`${owner.home}/connectors/${id}`, { config });
    const { password: _, ...visible } = POSTGRES;
    for (const moved of [{ host: "localhost" }, { port: 5433 }, { user: "root" }, { ssl: "disable" }]) {
      expectInvalid(await change({ ...visible, ...moved }), "invalid_request");
      expectInvalid(await change({ ...visible, ...moved, password: { set: true } }), "invalid_request");
    }
    const kept = await change({ ...visible, database: "other" });
    expectOk(kept);
    expect(kept.json.data.config).toMatchObject({ database: "other", password: { set: true } });
    expectOk(await change({ ...visible, port: 10, password: "new" }));
  });

  test("T43 rejects an unknown option with 400", async ({ owner }) => {
    for (const extra of [
      { sslrootcert: "/etc/passwd" },
      { options: "-c x" },
      { service: "x" },
      { socketPath: "/run/x" },
    ]) {
      const config = { ...POSTGRES, ...extra };
      expectInvalid(await owner.api.post(`${owner.home}/connectors`, { name: "x", type: "postgres", config }));
    }
  });

  test("returns ok:false in a test of an unreachable database, and 502 elsewhere", async ({ owner }) => {
    const id = await newPostgres(owner);
    const tested = await owner.api.post(`${owner.home}/connections/sources/${id}/test`);
    expectOk(tested);
    expect(tested.json.data).toEqual({
      ok: false,
      error: expect.stringMatching(/\S/),
      code: "source_unreachable",
      failedStep: "reach",
      steps: [],
    });
    const seen = (await owner.api.get(`${owner.home}/connectors/${id}`)).json.data;
    expect(seen).toMatchObject({
      status: "failing",
      lastTestedAt: expect.stringMatching(ISO),
      lastError: expect.any(String),
    });
    expectError(await owner.api.get(`${owner.home}/connectors/${id}/entities?refresh=1`), 502, "source_unreachable");
    expectError(
      await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 1" }),
      502,
      "source_unreachable",
    );
  });

  test("T30 T38 rejects cloud metadata addresses in every spelling, and stores nothing", async ({ owner }) => {
    for (const host of [
      "169.254.169.254",
      "[fd00:ec2::254]",
      "fd00:ec2::254",
      "metadata.google.internal",
      "::ffff:169.254.169.254",
    ]) {
      const config = { ...POSTGRES, host };
      const saved = await owner.api.post(`${owner.home}/connectors`, { name: "x", type: "postgres", config });
      const tested = await owner.api.post(`${owner.home}/connectors/test`, { type: "postgres", config });
      expect([host, saved.status]).toEqual([host, 400]);
      // Brackets are not part of a host name.
      expect([host, saved.json.code]).toEqual([host, host.startsWith("[") ? "invalid_request" : "address_refused"]);
      expect([host, tested.status === 400 || tested.json.data.ok === false]).toEqual([host, true]);
    }
    expect((await owner.api.get(`${owner.home}/connectors`)).json.data).toHaveLength(1);
  });
});

test.describe("testing a connection", () => {
  test("succeeds for the sample", async ({ owner }) => {
    const id = await sampleOf(owner);
    const answer = await owner.api.post(`${owner.home}/connections/sources/${id}/test`);
    expectOk(answer);
    expect(answer.json.data).toMatchObject({ ok: true, latencyMs: expect.any(Number) });
  });

  test("returns ok and the latency, and stores both", async ({ owner }) => {
    const id = await newConnection(owner);
    const answer = await owner.api.post(`${owner.home}/connections/sources/${id}/test`);
    expectOk(answer);
    expect(answer.json.data.ok).toBe(true);
    expect(answer.json.data.latencyMs).toBeGreaterThanOrEqual(0);
    const { json } = await owner.api.get(`${owner.home}/connectors/${id}`);
    expect(json.data).toMatchObject({ status: "ok", lastError: null, lastTestedAt: expect.stringMatching(ISO) });
  });

  test("tests settings without saving them", async ({ owner }) => {
    const id = await newConnection(owner, { config: { file: "there.duckdb" } });
    expectOk(await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: "create table t(a int)" }));
    const good = await owner.api.post(`${owner.home}/connectors/test`, {
      type: "duckdb",
      config: { file: "there.duckdb" },
    });
    expectOk(good);
    expect(good.json.data).toMatchObject({ ok: true });
    const bad = await owner.api.post(`${owner.home}/connectors/test`, {
      type: "duckdb",
      config: { file: "no.duckdb" },
    });
    expectOk(bad);
    expect(bad.json.data).toMatchObject({ ok: false, error: expect.any(String), code: expect.any(String) });
    expectInvalid(await owner.api.post(`${owner.home}/connectors/test`, { type: "oracle", config: {} }));
    expect((await owner.api.get(`${owner.home}/connectors`)).json.data).toHaveLength(2);
    expect((await owner.api.get(`${owner.home}/files`)).json.data).toHaveLength(1);
  });
});

test.describe("entities", () => {
  test("returns tables and views with columns, types, keys and nullability", async ({ owner }) => {
    const id = await newConnection(owner);
    const execute = (query: string) => owner.api.post(`${owner.home}/databases/${id}/execute`, { query });
    expectOk(await execute("create table plants (id integer primary key, name varchar not null, height decimal(6,2))"));
    expectOk(await execute("create view tall as select * from plants where height > 2"));
    const { json } = await owner.api.get(`${owner.home}/connectors/${id}/entities?refresh=1`);
    const [plants, tall] = ["plants", "tall"].map((name) =>
      json.data.find((entity: { name: string }) => entity.name === name),
    );
    expect(plants.kind).toBe("table");
    expect(plants.columns).toEqual([
      expect.objectContaining({ name: "id", nullable: false, primaryKey: true }),
      expect.objectContaining({ name: "name", nullable: false, primaryKey: false }),
      expect.objectContaining({ name: "height", nullable: true, primaryKey: false }),
    ]);
    expect(tall.kind).toBe("view");
    expect(json.data).toHaveLength(2);
  });

  test("bypasses the cache with refresh=1", async ({ owner }) => {
    const id = await newConnection(owner);
    const execute = (query: string) => owner.api.post(`${owner.home}/databases/${id}/execute`, { query });
    const names = async (query: string) =>
      (await owner.api.get(`${owner.home}/connectors/${id}/entities${query}`)).json.data.map(
        ({ name }: { name: string }) => name,
      );
    expectOk(await execute("create table one(a int)"));
    expect(await names("?refresh=1")).toEqual(["one"]);
    expectOk(await execute("create table two(a int)"));
    expect((await names("?refresh=1")).toSorted()).toEqual(["one", "two"]);
  });
});

test.describe("deletion", () => {
  test("removes a connection from every path", async ({ owner }) => {
    const id = await newConnection(owner);
    expectOk(await owner.api.delete(`${owner.home}/connections/sources/${id}`));
    expectError(await owner.api.get(`${owner.home}/connectors/${id}`), 404, "not_found");
    expectError(await owner.api.get(`${owner.home}/connectors/${id}/entities`), 404, "not_found");
    expectError(await owner.api.post(`${owner.home}/connections/sources/${id}/test`), 404, "not_found");
    expectError(await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 1" }), 404, "not_found");
    expectError(
      await owner.api.post("/api/execute", { workspaceId: owner.workspaceId, connectionId: id, query: "select 1" }),
      404,
      "not_found",
    );
  });

  test("deletes once for two concurrent requests", async ({ owner }) => {
    const id = await newConnection(owner);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.api.delete(`${owner.home}/connections/sources/${id}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });

  test("accepts only a boolean for force", async ({ owner }) => {
    const id = await newConnection(owner);
    expectError(await owner.api.delete(`${owner.home}/connections/sources/${id}?force=maybe`), 400, "invalid_request");
    expectOk(await owner.api.delete(`${owner.home}/connections/sources/${id}?force=true`));
  });
});

test.describe("files", () => {
  /** Uploads bytes of any content: these tests check only their number, not a real DuckDB file. */
  const upload = (person: Person, name: string, body: string | Buffer, chunked = false) =>
    person.api.post(`${person.home}/files?name=${encodeURIComponent(name)}`, undefined, {
      body,
      chunked,
      headers: { "content-type": "application/octet-stream" },
    });

  test("are uploaded, listed and deleted", async ({ owner }) => {
    const made = await upload(owner, "plants.duckdb", Buffer.alloc(3_000_000, 7));
    expect(made.status, made.text).toBe(201);
    expect(made.json.data).toEqual({ file: "plants.duckdb", bytes: 3_000_000 });
    const listed = await owner.api.get(`${owner.home}/files`);
    expect(listed.json.data).toEqual([expect.objectContaining({ file: "plants.duckdb", bytes: 3_000_000 })]);
    expectOk(await owner.api.delete(`${owner.home}/files/plants.duckdb`));
    expect((await owner.api.get(`${owner.home}/files`)).json.data).toEqual([]);
    expectError(await owner.api.delete(`${owner.home}/files/plants.duckdb`), 404, "not_found");
  });

  test("accepts an upload of unknown length", async ({ owner }) => {
    const made = await upload(owner, "chunked.duckdb", Buffer.alloc(2_000_001, 1), true);
    expect(made.status, made.text).toBe(201);
    expect(made.json.data.bytes).toBe(2_000_001);
  });

  test("leaves no file after an interrupted upload", async ({ owner }) => {
    const cut = new AbortController();
    const sent = owner.api.post(`${owner.home}/files?name=cut.duckdb`, undefined, {
      body: Buffer.alloc(500_000),
      headers: { "content-type": "application/octet-stream", "content-length": 50_000_000 },
      signal: cut.signal,
    });
    setTimeout(() => cut.abort(), 400);
    await expect(sent).rejects.toThrow();
    await expect.poll(async () => (await owner.api.get(`${owner.home}/files`)).json.data).toEqual([]);
    const again = await upload(owner, "cut.duckdb", "whole");
    expect(again.status).toBe(201);
  });

  test("T39 rejects an invalid name with 400 and stores nothing", async ({ owner }) => {
    for (const name of ["../x", "a/b", "/etc/x", "..", ".", "", ".x", "x\u0000y", "x".repeat(400), "a\\b"]) {
      expectError(await upload(owner, name, "x"), 400, "invalid_request");
    }
    expectError(await owner.api.post(`${owner.home}/files`, undefined, { body: "x" }), 400, "invalid_request");
    for (const name of ["%2e%2e%2fx", "..%2f..%2fx", "%00"]) {
      expect([400, 404]).toContain((await owner.api.delete(`${owner.home}/files/${name}`)).status);
    }
    expect((await owner.api.get(`${owner.home}/files`)).json.data).toEqual([]);
  });

  test("hides another workspace's files", async ({ owner, stranger }) => {
    await upload(owner, "mine.duckdb", "x");
    expect((await stranger.api.get(`${stranger.home}/files`)).json.data).toEqual([]);
    expectError(await stranger.api.delete(`${stranger.home}/files/mine.duckdb`), 404, "not_found");
    expectError(await stranger.api.get(`${owner.home}/files`), 403, "forbidden");
  });

  test("queries an uploaded file, and reports one that is not a database", async ({ owner }) => {
    await upload(owner, "rubbish.duckdb", "this is no database, but it is long enough to be looked at");
    const id = await newConnection(owner, { config: { file: "rubbish.duckdb" }, readOnly: true });
    const tested = await owner.api.post(`${owner.home}/connections/sources/${id}/test`);
    expect(tested.json.data).toMatchObject({ ok: false, error: expect.stringMatching(/\S/) });
    expect(tested.text).not.toMatch(/\/(tmp|home|var|work|root)\//);
    const answer = await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 1" });
    expect([400, 502]).toContain(answer.status);
    expect(answer.text).not.toMatch(/\/(tmp|home|var|work|root)\//);
    // The server must still be healthy.
    expectOk(await owner.api.post(`${owner.home}/databases/${await sampleOf(owner)}/execute`, { query: "select 1" }));
  });

  test("returns 404 for an absent ID in the right workspace", async ({ owner }) => {
    expectError(await owner.api.get(`${owner.home}/connectors/${NO_SUCH_ID}`), 404, "not_found");
  });
});
