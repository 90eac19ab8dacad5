import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./client";
import {
  test as base,
  expect,
  expectError,
  expectInvalid,
  expectOk,
  ISO,
  join,
  NO_SUCH_ID,
  newConnection,
  newKey,
  type Person,
  sampleOf,
} from "./fixtures";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** A query that runs for minutes on any machine, in constant memory. */
const ENDLESS = "select sum(a.i * b.i) from range(100000000) a(i), range(100000) b(i)";

type Bench = {
  person: Person;
  id: string;
  /** Runs text on a writable file of this worker. */
  run: (query: unknown, more?: object, headers?: Record<string, string>) => Promise<Answer>;
};

const test = base.extend<object, { bench: Bench; sample: Bench }>({
  bench: [async ({ reader }, use) => use(benchOf(reader, await newConnection(reader))), { scope: "worker" }],
  sample: [async ({ reader }, use) => use(benchOf(reader, await sampleOf(reader))), { scope: "worker" }],
});

function benchOf(person: Person, id: string): Bench {
  return {
    person,
    id,
    run: (query, more = {}, headers = {}) =>
      person.api.post(`${person.home}/databases/${id}/execute`, { query, ...more }, { headers }),
  };
}

async function statusOf(person: Person, executionId: string): Promise<string | undefined> {
  const { json } = await person.api.get(`${person.home}/executions?limit=200`);
  return json.data.items.find((item: { executionId: string }) => item.executionId === executionId)?.status;
}

test.describe("a query", () => {
  test("returns its ID, fields, rows, row count and duration", async ({ bench }) => {
    const answer = await bench.run("select 1 as one, 'a' as letter");
    expectOk(answer);
    expect(answer.json.data).toMatchObject({
      executionId: expect.stringMatching(UUID),
      fields: [
        { name: "one", type: "int32" },
        { name: "letter", type: "string" },
      ],
      rows: [{ one: 1, letter: "a" }],
      rowCount: 1,
      truncated: false,
      durationMs: expect.any(Number),
    });
    expect(answer.headers["x-execution-id"]).toBe(answer.json.data.executionId);
  });

  test("runs through /api/execute, with connectionId or databaseId, by session and by key", async ({ bench }) => {
    const { person, id } = bench;
    const { workspaceId } = person;
    const key = await newKey(person);
    const answers = [
      await person.api.post("/api/execute", { workspaceId, connectionId: id, query: "select 2 as n" }),
      await person.api.post("/api/execute", { workspaceId, databaseId: id, query: "select 2 as n" }),
      await key.api.post("/api/execute", { workspaceId, connectionId: id, query: "select 2 as n" }),
      await key.api.post("/api/execute", { connectionId: id, query: "select 2 as n" }),
      await key.api.post(`${person.home}/databases/${id}/execute`, { query: "select 2 as n" }),
    ];
    for (const answer of answers) {
      expectOk(answer);
      expect(answer.json.data.rows).toEqual([{ n: 2 }]);
      expect(answer.headers["x-execution-id"]).toMatch(UUID);
    }
  });

  test("requires the workspace for a session in /api/execute, and accepts only the key's own", async ({
    bench,
    stranger,
  }) => {
    const { person, id } = bench;
    const key = await newKey(person);
    const query = "select 1";
    expectInvalid(await person.api.post("/api/execute", { connectionId: id, query }), "invalid_request");
    const foreign = await person.api.post("/api/execute", {
      workspaceId: stranger.workspaceId,
      connectionId: id,
      query,
    });
    const invented = await person.api.post("/api/execute", { workspaceId: NO_SUCH_ID, connectionId: id, query });
    expectError(foreign, 403, "forbidden");
    expect(invented.text).toBe(foreign.text);
    expectError(
      await key.api.post("/api/execute", { workspaceId: stranger.workspaceId, connectionId: id, query }),
      403,
      "forbidden",
    );
    const theirs = await newConnection(stranger);
    const [other, none] = [
      await person.api.post("/api/execute", { workspaceId: person.workspaceId, connectionId: theirs, query }),
      await person.api.post("/api/execute", { workspaceId: person.workspaceId, connectionId: NO_SUCH_ID, query }),
    ];
    expectError(other, 404, "not_found");
    expect(none.text).toBe(other.text);
    for (const json of [
      { workspaceId: "abc", connectionId: id, query },
      { workspaceId: person.workspaceId, connectionId: "abc", query },
      { workspaceId: person.workspaceId, query },
      { workspaceId: person.workspaceId, connectionId: id },
      { workspaceId: person.workspaceId, connectionId: id, query: 5 },
      { workspaceId: person.workspaceId, connectionId: id, query: "" },
      { workspaceId: { $ne: null }, connectionId: id, query },
    ]) {
      expectInvalid(await person.api.post("/api/execute", json), "invalid_request");
    }
  });

  test("can be run by a member", async ({ owner }) => {
    const member = await join(owner, "member");
    const id = await sampleOf(owner);
    expectOk(await member.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 1" }));
  });

  test("renames duplicate columns, in fields and rows", async ({ bench }) => {
    const { json } = await bench.run("select 1 as id, 2 as id, 3 as id_2, 4 as id");
    const names = json.data.fields.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(4);
    expect(names.slice(0, 1)).toEqual(["id"]);
    expect(Object.keys(json.data.rows[0]).toSorted()).toEqual(names.toSorted());
    expect(Object.values(json.data.rows[0]).toSorted()).toEqual([1, 2, 3, 4]);
    const two = (await bench.run("select 1 as id, 2 as id")).json.data;
    expect(two.rows).toEqual([{ id: 1, id_2: 2 }]);
    expect(two.fields.map(({ name }: { name: string }) => name)).toEqual(["id", "id_2"]);
  });

  test("treats columns named like object properties as any other", async ({ bench }) => {
    const { text, json } = await bench.run('select 1 as "__proto__", 2 as "constructor", 3 as "toString", 4 as "a b"');
    expect(json.data.fields).toHaveLength(4);
    expect(text).toContain('"__proto__":1');
    expect(text).toContain('"constructor":2');
  });

  test("keeps every digit of big integers, decimals, times and bytes", async ({ bench }) => {
    const { json } = await bench.run(`select
      9007199254740991::bigint as safe, 9007199254740992::bigint as past, (-9007199254740993)::bigint as below,
      12345678901234567.8901::decimal(30,4) as money, 0.1::double as d, true as b, null as nothing,
      date '2024-02-29' as day, time '03:04:05.123456' as at_time,
      timestamp '2024-02-29 03:04:05.123456' as at, timestamptz '2024-02-29 03:04:05.5+02:00' as zoned,
      '\\x00\\xFF\\x10'::blob as bytes, [1, 2] as list, '{"a":1}'::json as doc, 'ÄÖ 漢 🌾' as text`);
    const [row] = json.data.rows;
    const types = Object.fromEntries(
      json.data.fields.map(({ name, type }: { name: string; type: string }) => [name, type]),
    );
    expect(row).toMatchObject({
      safe: 9007199254740991,
      past: "9007199254740992",
      below: "-9007199254740993",
      money: "12345678901234567.8901",
      d: 0.1,
      b: true,
      nothing: null,
      day: "2024-02-29",
      at_time: "03:04:05.123456",
      bytes: "AP8Q",
      list: [1, 2],
      text: "ÄÖ 漢 🌾",
    });
    expect(row.at).toMatch(/^2024-02-29T03:04:05\.123456$/);
    expect(row.zoned).toMatch(/^2024-02-29T01:04:05\.5(0{0,5})?(Z|\+00:?(00)?)$/);
    expect(types).toMatchObject({
      safe: "int64",
      money: "decimal",
      d: "float64",
      b: "boolean",
      day: "date",
      at_time: "time",
      at: "timestamp",
      zoned: "timestamptz",
      bytes: "binary",
      list: "array",
      doc: "json",
      text: "string",
    });
  });

  test("writes values alike in JSON and NDJSON", async ({ bench }) => {
    const query = `select 9007199254740993::bigint as a, 1.50::decimal(9,2) as b, '\\xFF'::blob as c, timestamp '2024-01-02 03:04:05.000001' as d,
      'nan'::double as e, [1, null] as f, null as g, {'x': 1, 'y': 'z'} as h, interval '1 month' as i, 1 as id, 2 as id`;
    const plain = (await bench.run(query)).json.data.rows;
    const lines = (await bench.run(query, {}, { accept: "application/x-ndjson" })).text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(plain);
  });

  test("returns no rows for a statement without rows", async ({ bench }) => {
    const table = `t${randomUUID().replaceAll("-", "")}`;
    const made = await bench.run(`create table ${table}(a int)`);
    expectOk(made);
    expect(made.json.data).toMatchObject({ rows: [], rowCount: 0, truncated: false });
    const empty = await bench.run(`select * from ${table}`);
    expect(empty.json.data).toMatchObject({ fields: [{ name: "a", type: "int32" }], rows: [], rowCount: 0 });
  });
});

test.describe("statements", () => {
  test("return the rows that the fields name, also for counts and empty results", async ({ bench }) => {
    const table = `t${randomUUID().replaceAll("-", "")}`;
    for (const query of [
      `create table ${table} as select i from range(5) t(i)`,
      `insert into ${table} values (6)`,
      `update ${table} set i = 7 where i = 6`,
      `delete from ${table} where i = 7`,
      `create view ${table}_view as select 1 as one`,
      `drop table ${table}`,
    ]) {
      const answer = await bench.run(query);
      expectOk(answer);
      const { fields, rows, rowCount } = answer.json.data;
      expect([query, rowCount]).toEqual([query, rows.length]);
      const names = fields.map(({ name }: { name: string }) => name);
      for (const row of rows) expect([query, Object.keys(row)]).toEqual([query, names]);
      expect([query, fields.length === 0 && rows.length > 0]).toEqual([query, false]);
    }
  });

  test("run on a read-only connection if they only read", async ({ sample }) => {
    for (const query of [
      "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select sum(n) from t",
      "values (1), (2)",
      "table orders limit 1",
      "from orders limit 1",
      "show tables",
      "describe orders",
      "summarize select 1 as a",
      "explain select 1",
      "explain analyze select 1",
      "pivot (select 1 as a, 2 as b) on a using sum(b)",
      "(select 1) union (select 2)",
      "-- a note\nselect 1 /* delete from orders */",
      "select 'drop table orders; --' as text",
    ]) {
      const answer = await sample.run(query);
      expect([query, answer.status, answer.json.error]).toEqual([query, 200, undefined]);
    }
  });

  test("fail alone if they need too much memory", async ({ owner }) => {
    const id = await newConnection(owner);
    const run = (query: string, timeoutMs?: number) =>
      owner.api.post(`${owner.home}/databases/${id}/execute`, { query, timeoutMs });
    const greedy = await run("select list(i) from range(2000000000) t(i)", 20_000);
    expect([400, 504]).toContain(greedy.status);
    expectOk(await run("select 1"));
    for (const query of [`select ${"1+".repeat(50_000)}1`, `select ${"[".repeat(3000)}1${"]".repeat(3000)}`]) {
      expect([200, 400]).toContain((await run(query)).status);
    }
    expectOk(await run("select 1"));
  });
});

test.describe("parameters", () => {
  test("are bound from a list or by name, in the engine's syntax", async ({ bench }) => {
    expect((await bench.run("select ?::int + ?::int as n", { params: [40, 2] })).json.data.rows).toEqual([{ n: 42 }]);
    expect((await bench.run("select $b as v, $a as w", { params: { a: "x", b: "y" } })).json.data.rows).toEqual([
      { v: "y", w: "x" },
    ]);
  });

  test("T51 are values, whatever they contain", async ({ bench }) => {
    for (const value of ["'; drop table x; --", "$1 ? :a", "\\", '"', "漢字🌾", "", "a\nb\tc", "null", "\u2028"]) {
      const answer = await bench.run("select ? as v", { params: [value] });
      expect(answer.json.data?.rows, answer.text).toEqual([{ v: value }]);
    }
    for (const [value, back] of [
      [null, null],
      [true, true],
      [1.5, 1.5],
    ]) {
      expect((await bench.run("select ? as v", { params: [value] })).json.data.rows).toEqual([{ v: back }]);
    }
  });

  test("return a message for too few, too many or missing values", async ({ bench }) => {
    for (const params of [[], [1, 2], { a: 1 }]) {
      const answer = await bench.run("select ? as v", { params });
      expectError(answer, 400, answer.json.code);
    }
    for (const params of ["x", 5, true]) expectInvalid(await bench.run("select 1", { params }), "invalid_request");
  });
});

test.describe("limits of a result", () => {
  test("default to a thousand rows, at most 50,000, with truncated", async ({ bench }) => {
    const rows = "select i from range(60000) t(i)";
    for (const [more, count] of [
      [{}, 1000],
      [{ limit: 10 }, 10],
      [{ limit: 50_000 }, 50_000],
      [{ limit: 1e9 }, 50_000],
    ] as const) {
      const { json } = await bench.run(rows, more);
      expect(json.data.rowCount).toBe(count);
      expect(json.data.rows).toHaveLength(count);
      expect(json.data.truncated).toBe(true);
    }
    const whole = (await bench.run("select i from range(1000) t(i)")).json.data;
    expect([whole.rowCount, whole.truncated]).toEqual([1000, false]);
    for (const limit of ["10", 1.5, null, {}]) {
      expectInvalid(await bench.run("select 1", { limit }), "invalid_request");
    }
  });

  test("T54 stop a result over 64 MiB, truncated", async ({ bench }) => {
    const { json, bytes } = await bench.run("select repeat('x', 1000000) as wide from range(200)", { limit: 200 });
    expect(json.data.truncated).toBe(true);
    expect(json.data.rows.length).toBeGreaterThan(30);
    expect(bytes.length).toBeLessThanOrEqual(70 * 1024 * 1024);
    expect(json.data.rowCount).toBe(json.data.rows.length);
  });

  test("T54 stop at a cell over 16 MiB, truncated, and the server keeps running", async ({ bench }) => {
    const answer = await bench.run("select repeat('x', 40000000) as wide");
    expectOk(answer);
    expect(answer.json.data.truncated).toBe(true);
    expect(answer.bytes.length).toBeLessThan(20 * 1024 * 1024);
    expectOk(await bench.run("select 1"));
  });
});

test.describe("a failed query", () => {
  test("returns 400 query_failed with the database's message and position", async ({ bench }) => {
    const answer = await bench.run("select 1,\n  nope from range(3)");
    expectError(answer, 400, "query_failed");
    expect(answer.json.error).toContain("nope");
    expect(answer.json.details).toMatchObject({ position: 13, line: 2, column: 3 });
    expect(answer.headers["x-execution-id"]).toMatch(UUID);
    expectError(await bench.run("selec 1"), 400, "query_failed");
    expectError(await bench.run("select 1/0 as a, error('own words')"), 400, "query_failed");
  });

  test("counts the position in characters, not bytes", async ({ bench }) => {
    const answer = await bench.run("select 'äöü🌾', nope");
    expect(answer.json.details).toMatchObject({ line: 1 });
    expect([16, 17]).toContain(answer.json.details.column);
  });

  test("runs neither of two statements in one text", async ({ bench }) => {
    const table = `t${randomUUID().replaceAll("-", "")}`;
    expectError(await bench.run(`create table ${table}(a int); select 1`), 400);
    expectError(await bench.run(`select * from ${table}`), 400, "query_failed");
    expectOk(await bench.run("select 1;"));
    expectOk(await bench.run("select ';' as v -- ; select 2"));
  });

  test("answers text with a NUL, a lone surrogate or deep nesting without a failure", async ({ bench }) => {
    for (const query of ["select '\u0000'", "select '\ud800' as a", `select ${"(".repeat(5000)}1${")".repeat(5000)}`]) {
      expect([200, 400]).toContain((await bench.run(query)).status);
    }
    expectOk(await bench.run("select 1"));
  });
});

test.describe("time limits", () => {
  test("T52 return 504 for a query over its limit, and stop its statement", async ({ bench }) => {
    const answer = await bench.run(ENDLESS, { timeoutMs: 700 });
    expectError(answer, 504, "timeout");
    expect(answer.headers["x-execution-id"]).toMatch(UUID);
    expectOk(await bench.run("select 1", { timeoutMs: 5000 }));
  });

  test("require a positive number of milliseconds in timeoutMs", async ({ bench }) => {
    for (const timeoutMs of ["100", -1, 0, null, {}]) {
      expect([timeoutMs, (await bench.run("select 1", { timeoutMs })).status]).toEqual([timeoutMs, 400]);
    }
  });

  test("cap or reject a limit above the maximum", async ({ bench }) => {
    expect([200, 400]).toContain((await bench.run("select 1", { timeoutMs: 1e12 })).status);
  });

  test("T53 stop the query of a client that leaves", async ({ bench }) => {
    const executionId = randomUUID();
    const leaving = new AbortController();
    const asked = bench.person.api.post(
      `${bench.person.home}/databases/${bench.id}/execute`,
      { query: ENDLESS, executionId },
      { signal: leaving.signal },
    );
    const gone = expect(asked).rejects.toThrow();
    await sleep(600);
    leaving.abort();
    await gone;
    await expect.poll(() => statusOf(bench.person, executionId), { timeout: 5000 }).toBe("cancelled");
  });
});

test.describe("cancellation", () => {
  test("ends the query with 409 cancelled, within moments", async ({ bench }) => {
    const executionId = randomUUID();
    const asked = bench.run(ENDLESS, { executionId });
    const cancel = () => bench.person.api.post(`${bench.person.home}/executions/${executionId}/cancel`);
    await expect.poll(async () => (await cancel()).status, { timeout: 5000 }).toBe(200);
    const answer = await asked;
    expectError(answer, 409, "cancelled");
    expect(answer.headers["x-execution-id"]).toBe(executionId);
    expectError(await cancel(), 404, "not_found");
    expect(await statusOf(bench.person, executionId)).toBe("cancelled");
  });

  test("returns 404 for unknown, finished and foreign executions, and 400 for an invalid UUID", async ({
    bench,
    stranger,
  }) => {
    const { api, home } = bench.person;
    const done = (await bench.run("select 1")).json.data.executionId;
    for (const id of [randomUUID(), done])
      expectError(await api.post(`${home}/executions/${id}/cancel`), 404, "not_found");
    expectError(await api.post(`${home}/executions/abc/cancel`), 400, "invalid_request");
    const executionId = randomUUID();
    const asked = bench.run(ENDLESS, { executionId, timeoutMs: 20_000 });
    await expect.poll(() => statusOf(bench.person, executionId), { timeout: 5000 }).toBe("running");
    const foreign = await stranger.api.post(`${stranger.home}/executions/${executionId}/cancel`);
    expectError(foreign, 404, "not_found");
    expectError(await stranger.api.post(`${home}/executions/${executionId}/cancel`), 403, "forbidden");
    expectOk(await api.post(`${home}/executions/${executionId}/cancel`));
    expectError(await asked, 409, "cancelled");
  });

  test("uses the given executionId, and returns 400 for an invalid UUID", async ({ bench }) => {
    const executionId = randomUUID();
    const answer = await bench.run("select 1", { executionId });
    expect(answer.json.data.executionId).toBe(executionId);
    for (const bad of ["abc", 5, "", "{}", `${executionId}0`]) {
      expectInvalid(await bench.run("select 1", { executionId: bad }), "invalid_request");
    }
  });

  test("rejects an ID that another query uses", async ({ bench, stranger }) => {
    const executionId = randomUUID();
    const asked = bench.run(ENDLESS, { executionId, timeoutMs: 20_000 });
    await expect.poll(() => statusOf(bench.person, executionId), { timeout: 5000 }).toBe("running");
    const id = await sampleOf(stranger);
    const again = await stranger.api.post(`${stranger.home}/databases/${id}/execute`, {
      query: "select 1",
      executionId,
    });
    expect([200, 409]).toContain(again.status);
    expectError(await stranger.api.post(`${stranger.home}/executions/${executionId}/cancel`), 404, "not_found");
    expect(await statusOf(bench.person, executionId)).toBe("running");
    expectOk(await bench.person.api.post(`${bench.person.home}/executions/${executionId}/cancel`));
    expectError(await asked, 409, "cancelled");
  });
});

test.describe("the list of executions", () => {
  test("has each query with its outcome, newest first, for its workspace only", async ({ owner, stranger }) => {
    const id = await sampleOf(owner);
    const run = (query: string) => owner.api.post(`${owner.home}/databases/${id}/execute`, { query });
    await run("select 1 as first");
    await run("select nope");
    const { json } = await owner.api.get(`${owner.home}/executions`);
    expect(json.data.items).toHaveLength(2);
    const [failed, done] = json.data.items;
    expect(done).toMatchObject({ connectionId: id, query: "select 1 as first", status: "success", rowCount: 1 });
    expect(failed).toMatchObject({ query: "select nope", error: expect.stringContaining("nope") });
    expect(done.startedAt).toMatch(ISO);
    expect((await stranger.api.get(`${stranger.home}/executions`)).json.data.items).toEqual([]);
  });
});

test.describe("one execution", () => {
  test("is available at once to its caller and to admins", async ({ owner, stranger }) => {
    const id = await sampleOf(owner);
    const [member, other] = [await join(owner, "member"), await join(owner, "member")];
    const asked = await member.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 1 as first" });
    const { executionId } = asked.json.data;
    const url = `${owner.home}/executions/${executionId}`;
    const answer = await member.api.get(url);
    expectOk(answer);
    expect(answer.json.data).toMatchObject({
      executionId,
      connectionId: id,
      userId: member.id,
      query: "select 1 as first",
      status: "success",
      rowCount: 1,
      error: null,
    });
    expect((await owner.api.get(url)).json.data).toEqual(answer.json.data);
    expectError(await other.api.get(url), 404, "not_found");
    expect((await other.api.get(`${owner.home}/executions`)).json.data.items).toEqual([]);
    expectError(await stranger.api.get(`${stranger.home}/executions/${executionId}`), 404, "not_found");
    expectError(await owner.api.get(`${owner.home}/executions/${randomUUID()}`), 404, "not_found");
    expectError(await owner.api.get(`${owner.home}/executions/abc`), 400, "invalid_request");
  });

  test("of a private console shows its text to no one else", async ({ owner }) => {
    const member = await join(owner, "member");
    const connectionId = await sampleOf(owner);
    const run = async (access: "private" | "workspace") => {
      const body = { name: `mine-${access}`, content: "select nope_of_mine", connectionId, access };
      const { id } = (await member.api.post(`${owner.home}/consoles`, body)).json.data;
      const answer = await member.api.post(`${owner.home}/consoles/${id}/execute`, {});
      return `${owner.home}/executions/${answer.headers["x-execution-id"]}`;
    };
    const url = await run("private");
    expect((await member.api.get(url)).json.data.query).toBe("select nope_of_mine");
    const seen = await owner.api.get(url);
    expect(seen.json.data).toMatchObject({ userId: member.id, status: "failure", query: null, error: null });
    expect((await owner.api.get(`${owner.home}/executions`)).text).not.toContain("nope_of_mine");
    expect((await owner.api.get(await run("workspace"))).json.data.query).toBe("select nope_of_mine");
  });

  test("of a member can be cancelled by them and by admins", async ({ owner }) => {
    const id = await sampleOf(owner);
    const [member, other] = [await join(owner, "member"), await join(owner, "member")];
    const executionId = randomUUID();
    const asked = member.api.post(`${owner.home}/databases/${id}/execute`, { query: ENDLESS, executionId });
    await expect.poll(() => statusOf({ ...member, home: owner.home }, executionId), { timeout: 5000 }).toBe("running");
    const url = `${owner.home}/executions/${executionId}/cancel`;
    expectError(await other.api.post(url), 404, "not_found");
    expectOk(await owner.api.post(url));
    expectError(await asked, 409, "cancelled");
    for (const person of [member, owner, other]) expectError(await person.api.post(url), 404, "not_found");
  });
});

test.describe("read-only connections", () => {
  const WRITES = [
    "create table t(a int)",
    "create temp table t(a int)",
    "insert into orders select * from orders",
    "delete from orders",
    "update orders set id = 1",
    "drop table orders",
    "truncate orders",
    "alter table orders add column x int",
    "create view v as select 1",
    "create or replace macro m() as 1",
    "create sequence s",
    "create type mood as enum ('a')",
    "create schema s",
    "with a as (select 1) insert into orders select * from orders",
    "/* hello */ delete from orders",
    "explain analyze delete from orders",
    "begin transaction read write",
    "checkpoint",
    "vacuum",
    "analyze",
    "comment on table orders is 'x'",
  ];

  test("T50 run no statement that writes: read_only or not_allowed, and the data is unchanged", async ({ sample }) => {
    const digest = "select count(*) as n, sum(hash(o)) as h from orders o";
    const before = (await sample.run(digest)).json.data.rows;
    const passed: string[] = [];
    for (const query of WRITES) {
      const answer = await sample.run(query);
      if (answer.status !== 400 || !["read_only", "not_allowed"].includes(answer.json.code)) {
        passed.push(`${query}: ${answer.status} ${answer.json.code} ${answer.json.error}`);
      }
    }
    expect(passed).toEqual([]);
    expect((await sample.run(digest)).json.data.rows).toEqual(before);
  });

  test("T50 report a plain write as read_only", async ({ sample }) => {
    for (const query of ["create table t(a int)", "delete from orders", "insert into orders select * from orders"]) {
      expectError(await sample.run(query), 400, "read_only");
    }
  });

  test("reject writes after they are set to read-only", async ({ owner }) => {
    const id = await newConnection(owner);
    const run = (query: string) => owner.api.post(`${owner.home}/databases/${id}/execute`, { query });
    expectOk(await run("create table t(a int)"));
    expectOk(await owner.api.patch(`${owner.home}/connectors/${id}`, { readOnly: true }));
    expectError(await run("insert into t values (1)"), 400, "read_only");
    expect((await run("select count(*) as n from t")).json.data.rows).toEqual([{ n: 0 }]);
  });
});

test.describe("local files", () => {
  const REACHING = [
    "attach 'other.duckdb' as o",
    "attach '/etc/passwd' as o (type sqlite)",
    "detach memory",
    "copy (select 1) to 'out.csv'",
    "copy (select 1) to '/tmp/out.csv'",
    "export database 'x'",
    "import database 'x'",
    "install httpfs",
    "load httpfs",
    "force install json",
    "select * from read_csv('/etc/passwd')",
    "select * from read_csv_auto('/etc/passwd')",
    "select * from read_text('/etc/hostname')",
    "select * from read_blob('/etc/hostname')",
    "select * from read_json('/etc/hostname')",
    "select * from read_parquet('/etc/hostname')",
    "select * from glob('/etc/*')",
    "select * from sniff_csv('/etc/passwd')",
    "select getenv('PATH')",
    "select * from query('select * from read_text(''/etc/hostname'')')",
    "select * from (select * from read_text('/etc/hostname'))",
    "with a as (select * from read_text('/etc/hostname')) select * from a",
    "set enable_external_access = true",
    "set memory_limit = '100GB'",
    "set global threads = 100",
    "reset lock_configuration",
    "pragma enable_external_access",
    "call enable_logging()",
    "use other",
    "create secret s (type s3, key_id 'a', secret 'b')",
    "prepare p as select * from read_text('/etc/hostname')",
  ];

  for (const readOnly of [true, false]) {
    test(`T40 can't be read on a connection that is ${readOnly ? "read-only" : "not read-only"}`, async ({
      bench,
      sample,
    }) => {
      const passed: string[] = [];
      for (const query of REACHING) {
        const answer = await (readOnly ? sample : bench).run(query);
        if (answer.status !== 400 || !["not_allowed", "read_only"].includes(answer.json.code)) {
          passed.push(`${query}: ${answer.status} ${answer.text.slice(0, 160)}`);
        }
        expect(answer.text).not.toContain("root:x:0");
      }
      expect(passed).toEqual([]);
    });
  }

  test("T40 can't be read through a table name", async ({ bench }) => {
    for (const query of [
      "select * from '/etc/passwd'",
      "from '/etc/passwd'",
      'select * from "/etc/passwd"',
      "select * from '/etc/*.csv'",
    ]) {
      const answer = await bench.run(query);
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain("root:");
    }
  });

  test("are not revealed by path in any response", async ({ bench, sample }) => {
    for (const { run } of [bench, sample]) {
      for (const query of [
        "pragma database_list",
        "select * from duckdb_databases()",
        "select * from pragma_database_list()",
        "show databases",
        "select current_setting('temp_directory') as t, current_setting('home_directory') as h",
        "select * from duckdb_settings()",
        "select * from duckdb_extensions()",
        "select * from duckdb_temporary_files()",
        "select * from pragma_database_size()",
      ]) {
        const answer = await run(query, { limit: 5000 });
        expect([query, /"\/(tmp|home|root|var|work|usr|data)\/[^"]*/.exec(answer.text)?.[0]]).toEqual([
          query,
          undefined,
        ]);
      }
    }
  });
});

test.describe("fairness", () => {
  test("answers a small query during a heavy one of the same connection", async ({ bench }) => {
    const executionId = randomUUID();
    const heavy = bench.run(ENDLESS, { executionId, timeoutMs: 20_000 });
    await expect.poll(() => statusOf(bench.person, executionId), { timeout: 5000 }).toBe("running");
    expectOk(await bench.run("select 1"));
    expect(await statusOf(bench.person, executionId)).toBe("running");
    await bench.person.api.post(`${bench.person.home}/executions/${executionId}/cancel`);
    expectError(await heavy, 409, "cancelled");
  });

  test("keeps all concurrent writes to one file", async ({ owner }) => {
    const id = await newConnection(owner);
    const run = (query: string) => owner.api.post(`${owner.home}/databases/${id}/execute`, { query });
    expectOk(await run("create table t(a int)"));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => run(`insert into t values (${n})`)));
    for (const answer of answers) expectOk(answer);
    expect((await run("select count(distinct a) as n from t")).json.data.rows).toEqual([{ n: 20 }]);
  });
});
