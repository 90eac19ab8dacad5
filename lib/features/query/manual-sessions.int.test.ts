import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "@/lib/platform/env";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { type Person, removeMember, seedKey, seedMember, seedPerson } from "@/test/seed";
import { collections } from "./collections";
import { writeNow } from "./history-writer";
import { look } from "./manual-sessions";
import { estimateLimits } from "./row-estimate";

const ownDatabase = takeOwnDatabase();
let ana: Person;

beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  estimateLimits.timeoutMs = 60_000;
  ana = await seedPerson("Ana");
});
afterAll(async () => {
  await closeServerMember("manualSessions");
  await closeServerMember("dataSources");
  await writeNow();
  await ownDatabase.drop();
});

/** The sessions of one person on one connection. */
class Desk {
  readonly who: Person;
  readonly home: string;
  readonly connectionId: string;

  constructor(who: Person, workspaceId: string, connectionId: string) {
    this.who = who;
    this.home = `/api/workspaces/${workspaceId}`;
    this.connectionId = connectionId;
  }

  get path() {
    return `${this.home}/databases/${this.connectionId}`;
  }
  opening(body: unknown = {}) {
    return call("POST", `${this.path}/sessions`, { ...this.who, body });
  }
  async open(body: unknown = {}): Promise<string> {
    const answer = await this.opening(body);
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining("sessionId")]);
    return answer.json.data.sessionId;
  }
  run(query: string, sessionId?: string, more: object = {}, headers = {}) {
    const body = { query, ...(sessionId && { sessionId }), ...more };
    return call("POST", `${this.path}/execute`, { ...this.who, body, headers });
  }
  async rows(query: string, sessionId?: string) {
    const answer = await this.run(query, sessionId);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json.data.rows;
  }
  async code(query: string, sessionId?: string, more: object = {}): Promise<string> {
    return (await this.run(query, sessionId, more)).json.code;
  }
  async list() {
    return (await call("GET", `${this.path}/sessions`, this.who)).json.data;
  }
  async state(sessionId: string) {
    const found = (await this.list()).find((each: { sessionId: string }) => each.sessionId === sessionId);
    return found && [found.state, found.statements];
  }
  close(sessionId: string) {
    return call("DELETE", `${this.home}/sessions/${sessionId}`, this.who);
  }
}

async function connect(subject: Subject, more: object = {}): Promise<Desk> {
  const home = `/api/workspaces/${ana.workspaceId}`;
  const body = {
    name: subject.driver.type,
    type: subject.driver.type,
    config: subject.config,
    readOnly: false,
    ...more,
  };
  const made = await call("POST", `${home}/connectors`, { ...ana, body });
  expect(made.status).toBe(201);
  return new Desk(ana, ana.workspaceId, made.json.data.id);
}

const COUNT = "select count(*) as n from t";
/** Differences between the databases. */
const KINDS = {
  postgres: {
    endless: "select pg_sleep(600)",
    afterCancel: "failed",
    isolation: "serializable",
    shown: ["show transaction_isolation", [{ transaction_isolation: "serializable" }]],
    failsOnError: true,
    savepoints: true,
    escapes: [
      "set transaction read write",
      "set session characteristics as transaction read write",
      "begin read write",
      "select set_config('transaction_read_only', 'off', false)",
      "commit and chain",
    ],
  },
  mariadb: {
    endless: "select sleep(600)",
    afterCancel: "in_transaction",
    isolation: "read_uncommitted",
    shown: ["select @@tx_isolation as level", [{ level: "READ-UNCOMMITTED" }]],
    failsOnError: false,
    savepoints: true,
    escapes: [
      "set session transaction read write",
      "set autocommit = 0",
      "start transaction read write",
      "begin not atomic insert into t values (9); end",
      "commit and chain",
      "alter table t add column a int",
    ],
  },
  sqlite: {
    endless: "with recursive r (a) as (select 1 union all select a + 1 from r) select count(*) from r",
    afterCancel: undefined,
    isolation: "serializable",
    shown: null,
    failsOnError: false,
    savepoints: true,
    escapes: ["pragma query_only = 0", "attach 'x' as x", "drop table t"],
  },
  duckdb: {
    endless: "select count(*) from range(1000000000) a, range(1000000000) b",
    afterCancel: "failed",
    isolation: "snapshot",
    shown: null,
    failsOnError: true,
    savepoints: false,
    escapes: ["begin transaction read write", "set access_mode = 'read_write'", "attach 'x' as x", "drop table t"],
  },
} as const;

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])("on %s", (name) => {
  /** Of lesser tests: other databases are in every run. */
  const lesser = name === "sqlite" ? ["long"] : [];
  const kind = KINDS[name];
  let subject: Subject | null = null;
  let desk: Desk;

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    desk = await connect(subject);
    await desk.rows("create table t (id int primary key)");
  });
  afterAll(async () => {
    await closeServerMember("manualSessions");
    await closeServerMember("dataSources");
    await subject?.stop();
  });
  beforeEach(async (context) => {
    if (!subject) return context.skip();
    for (const { sessionId } of await desk.list()) await desk.close(sessionId);
    await desk.rows("delete from t where id = id");
  });

  it("keeps changes to itself until COMMIT, and reports the database's state", async () => {
    const sessionId = await desk.open();
    expect(await desk.state(sessionId)).toEqual(["idle", 0]);
    await desk.rows("begin", sessionId);
    expect(await desk.state(sessionId)).toEqual(["in_transaction", 0]);
    expect((await desk.run("insert into t values (1), (2)", sessionId)).json.data.affectedRows).toBe(2);
    expect(Number((await desk.rows(COUNT, sessionId))[0].n)).toBe(2);
    expect(await desk.state(sessionId)).toEqual(["in_transaction", 2]);
    expect(Number((await desk.rows(COUNT))[0].n)).toBe(0);
    await desk.rows("commit", sessionId);
    expect(await desk.state(sessionId)).toEqual(["idle", 0]);
    expect(Number((await desk.rows(COUNT))[0].n)).toBe(2);
  });

  it("rolls back by ROLLBACK, by closing, and by the idle limit", async () => {
    const byStatement = await desk.open();
    await desk.rows("begin", byStatement);
    await desk.rows("insert into t values (1)", byStatement);
    await desk.rows("rollback", byStatement);
    const byClosing = await desk.open();
    await desk.rows("begin", byClosing);
    await desk.rows("insert into t values (2)", byClosing);
    expect((await desk.close(byClosing)).status).toBe(200);
    expect((await desk.close(byClosing)).status).toBe(404);
    await desk.rows("begin", byStatement);
    await desk.rows("insert into t values (3)", byStatement);
    await look(undefined, new Date(Date.now() + 14 * 60_000));
    expect(await desk.state(byStatement)).toEqual(["in_transaction", 1]);
    // The server's own check may be running, which leaves out this one.
    const later = async () => {
      await look(undefined, new Date(Date.now() + 16 * 60_000));
      return desk.list();
    };
    await expect.poll(later).toEqual([]);
    const late = await desk.run(COUNT, byStatement);
    expect([late.status, late.json.error]).toEqual([404, expect.stringContaining("rolled back")]);
    expect(Number((await desk.rows(COUNT))[0].n)).toBe(0);
  });

  const ask = async (query: string, sessionId: string) => {
    const { status, json } = await desk.run(query, sessionId, { confirmWrites: "always" });
    expect([status, json.code]).toEqual([409, "confirmation_required"]);
    return json.details.estimatedRows;
  };

  it("estimates a write within the transaction, and leaves it as it was", { tags: lesser }, async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("insert into t values (1), (2), (3)", sessionId);
    const hasEstimate = subject?.driver.rowEstimator?.inSession === true;
    expect(await ask("delete from t where id <= 2", sessionId)).toEqual(hasEstimate ? expect.any(Number) : null);
    expect(await ask("delete from t where missing = 1", sessionId)).toBeNull();
    expect(await desk.state(sessionId)).toEqual(["in_transaction", 1]);
    const confirmed = await desk.run("delete from t where id <= 2", sessionId, { confirm: true });
    expect(confirmed.json.data?.affectedRows).toBe(2);
    expect(await desk.state(sessionId)).toEqual(["in_transaction", 2]);
    await desk.rows("commit", sessionId);
    expect(await desk.rows("select id from t")).toEqual([{ id: 3 }]);
    expect(await ask("delete from t where id = 3", sessionId)).toEqual(hasEstimate ? expect.any(Number) : null);
    expect(await ask("delete from t where id = 3", await desk.open())).toEqual(expect.any(Number));
  });

  it("keeps the settings, the snapshot and the variables of a session", async (context) => {
    if (name !== "postgres" && name !== "mariadb") return context.skip();
    const sessionId = await desk.open();
    if (name === "postgres") {
      await desk.rows("create schema other");
      await desk.rows("create table other.t as select i as id from generate_series(1, 700) i");
      await desk.rows("analyze other.t");
      await desk.rows("begin", sessionId);
      await ask("delete from t where id > 0", sessionId);
      await desk.rows("set transaction isolation level serializable", sessionId);
      await desk.rows("rollback", sessionId);
      await desk.rows("set search_path to other", sessionId);
      expect(await ask("delete from t where id > 0", sessionId)).toBe(700);
      expect(await desk.state(sessionId)).toEqual(["idle", 1]);
      await desk.rows("begin", sessionId);
      expect(await ask("delete from t where id > 0", sessionId)).toBeNull();
      await desk.rows("set transaction isolation level serializable", sessionId);
      expect(await ask("delete from t where id > 0", sessionId)).toBe(700);
      expect(await desk.rows("show search_path", sessionId)).toEqual([{ search_path: "other" }]);
      return;
    }
    await desk.rows("select last_insert_id(7)", sessionId);
    await desk.rows("set @x = 1", sessionId);
    await desk.rows("begin", sessionId);
    await ask("delete from t where id = (@x := last_insert_id(99))", sessionId);
    expect(await desk.rows("select @x as x, last_insert_id() as last", sessionId)).toEqual([{ x: 1, last: 7 }]);
  });

  it("lets the next statement wait for the end of an estimate", async (context) => {
    if (name !== "postgres") return context.skip();
    const [holder, sessionId] = [await desk.open(), await desk.open()];
    await desk.rows("begin", holder);
    await desk.rows("lock table t in access exclusive mode", holder);
    await desk.rows("select 1", sessionId);
    const { timeoutMs } = estimateLimits;
    estimateLimits.timeoutMs = 200;
    try {
      expect(await ask("delete from t where id = 1", sessionId)).toBeNull();
    } finally {
      estimateLimits.timeoutMs = timeoutMs;
    }
    expect(await desk.rows("select 2 as n", sessionId)).toEqual([{ n: 2 }]);
  });

  it("commits with a DROP where its driver says so", { tags: lesser }, async () => {
    await desk.rows("create table gone (id int)");
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("insert into t values (1)", sessionId);
    await desk.rows("drop table gone", sessionId);
    await desk.run("rollback", sessionId);
    const commits = Number((await desk.rows(COUNT))[0].n) === 1;
    expect(commits).toBe(subject?.driver.ddlCommits === true);
    if (!commits) await desk.rows("drop table gone");
  });

  it("runs savepoints where the database has them", { tags: lesser }, async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("insert into t values (1)", sessionId);
    const answer = await desk.run("savepoint one", sessionId);
    expect(answer.status).toBe(kind.savepoints ? 200 : 400);
    if (!kind.savepoints) return;
    await desk.rows("insert into t values (2)", sessionId);
    await desk.rows("rollback to savepoint one", sessionId);
    await desk.rows("release savepoint one", sessionId);
    await desk.rows("commit", sessionId);
    expect(await desk.rows("select id from t")).toEqual([{ id: 1 }]);
  });

  it("reads the state after a failed statement from the database", { tags: lesser }, async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("insert into t values (1)", sessionId);
    expect(await desk.code("insert into t values (1)", sessionId)).toBe("query_failed");
    expect((await desk.state(sessionId))?.[0]).toBe(kind.failsOnError ? "failed" : "in_transaction");
    expect((await desk.run(COUNT, sessionId)).status).toBe(kind.failsOnError ? 400 : 200);
    await desk.rows("rollback", sessionId);
    expect(await desk.state(sessionId)).toEqual(["idle", 0]);
    expect(await desk.rows(COUNT, sessionId)).toHaveLength(1);
  });

  it("has the state that the database reports when its statement is cancelled", { tags: ["long"] }, async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("insert into t values (1)", sessionId);
    const executionId = crypto.randomUUID();
    const running = desk.run(kind.endless, sessionId, { executionId });
    await vi.waitFor(async () => {
      expect((await call("POST", `${desk.home}/executions/${executionId}/cancel`, ana)).status).toBe(200);
    });
    expect((await running).json.code).toBe("cancelled");
    expect((await desk.state(sessionId))?.[0]).toBe(kind.afterCancel);
    if (kind.afterCancel !== undefined) {
      await desk.rows("rollback", sessionId);
      expect(await desk.rows(COUNT, sessionId)).toEqual([{ n: 0 }]);
    }
    expect(Number((await desk.rows(COUNT))[0].n)).toBe(0);
  });

  it("uses the isolation level, and rejects one that the database does not have", { tags: lesser }, async () => {
    const sessionId = await desk.open({ isolation: kind.isolation });
    expect((await desk.list())[0].isolation).toBe(kind.isolation);
    if (kind.shown) {
      await desk.rows("begin", sessionId);
      expect(await desk.rows(kind.shown[0], sessionId)).toEqual(kind.shown[1]);
    }
    for (const isolation of ["read committed", "chaos", "serializable; drop table t"]) {
      expect([(await desk.opening({ isolation })).status, isolation]).toEqual([400, isolation]);
    }
  });

  it("runs one statement at a time: a second one gets 409", { tags: lesser }, async () => {
    const sessionId = await desk.open();
    const ids = [crypto.randomUUID(), crypto.randomUUID()];
    const runs = ids.map(async (executionId) => ({
      executionId,
      ...(await desk.run(kind.endless, sessionId, { executionId })),
    }));
    const refused = await Promise.race(runs);
    expect(refused.status).toBe(409);
    const running = ids.find((id) => id !== refused.executionId);
    await vi.waitFor(async () => {
      expect((await call("POST", `${desk.home}/executions/${running}/cancel`, ana)).status).toBe(200);
    });
    expect((await Promise.all(runs)).map(({ json }) => json.code)).toContain("cancelled");
  });

  it("keeps a read-only connection read-only: no statement of the session changes that", async () => {
    if (!subject) return;
    const reading = await connect(subject, { readOnly: true });
    const sessionId = await reading.open();
    for (const isOpen of [false, true]) {
      if (isOpen) await reading.rows("begin", sessionId);
      for (const attempt of kind.escapes) {
        const answer = await reading.run(attempt, sessionId);
        expect([answer.status, attempt]).toEqual([400, attempt]);
        const written = await reading.run("insert into t values (9)", sessionId);
        expect([written.status, attempt]).toEqual([400, attempt]);
      }
      expect((await reading.state(sessionId))?.[0]).toBe(isOpen ? "in_transaction" : "idle");
      expect(await reading.rows("select id from t where id > 0", sessionId)).toEqual([]);
    }
    await reading.rows("commit", sessionId);
    expect(await reading.state(sessionId)).toEqual(["idle", 0]);
    expect(await desk.rows(COUNT)).toEqual([{ n: expect.anything() }]);
    await reading.close(sessionId);
  });

  it("leaves nothing of a session to other queries", { tags: ["long"] }, async () => {
    const sessionId = await desk.open();
    await desk.run("create temporary table only_here (a int)", sessionId);
    expect((await desk.run("select * from only_here", sessionId)).status).toBe(200);
    await desk.close(sessionId);
    expect(await desk.code("select * from only_here")).toBe("query_failed");
  });

  it("streams within the transaction, and survives a reader who wants fewer rows", { tags: lesser }, async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("insert into t values (1), (2), (3)", sessionId);
    const limited = await desk.run("select a.id from t a, t b, t c, t d, t e, t f, t g, t h, t i, t j", sessionId, {
      limit: 1,
    });
    expect([limited.json.data.rowCount, limited.json.data.truncated]).toEqual([1, true]);
    expect((await desk.state(sessionId))?.[0]).toBe("in_transaction");
    const csv = await desk.run("select id from t order by id", sessionId, {}, { accept: "text/csv" });
    expect(csv.text.trim().split(/\r?\n/)).toEqual(["id", "1", "2", "3"]);
  });
});

describe("sessions", () => {
  let subject: Subject | null = null;
  let desk: Desk;
  beforeAll(async () => {
    subject = await startSubject("postgres");
    if (subject) desk = await connect(subject);
  });
  afterAll(async () => {
    await closeServerMember("manualSessions");
    await closeServerMember("dataSources");
    await subject?.stop();
  });
  beforeEach(async (context) => {
    if (!subject) return context.skip();
    for (const { sessionId } of await desk.list()) await desk.close(sessionId);
  });

  /** Waits for the end of a session whose reason another request gave. */
  const waitForEnd = (of: Desk) =>
    vi.waitFor(
      async () =>
        expect(await collections.manualSessions().countDocuments({ connectionId: new ObjectId(of.connectionId) })).toBe(
          0,
        ),
      {
        timeout: 10_000,
      },
    );

  it("takes settings, cursors and prepared statements, but none that outlives it", async () => {
    const sessionId = await desk.open();
    await desk.rows("set application_name to 'mine'", sessionId);
    expect(await desk.rows("show application_name", sessionId)).toEqual([{ application_name: "mine" }]);
    await desk.rows("set datestyle to 'German'", sessionId);
    expect(await desk.rows("select date '2026-11-28' as d", sessionId)).toEqual([{ d: "2026-11-28" }]);
    await desk.rows("begin", sessionId);
    await desk.rows("set transaction isolation level serializable", sessionId);
    await desk.rows("declare c cursor for select 7 as n", sessionId);
    expect(await desk.rows("fetch 1 from c", sessionId)).toEqual([{ n: 7 }]);
    expect(await desk.code("prepare transaction 'later'", sessionId)).toBe("not_allowed");
    expect(await desk.code("begin")).toBe("not_allowed");
  });

  it("asks for confirmation as the connection says, also for a prepared write", async () => {
    if (!subject) return;
    const asking = await connect(subject, { confirmWrites: "always" });
    const sessionId = await asking.open();
    await asking.rows("begin", sessionId);
    for (const query of ["create table x (a int)", "prepare p as delete from x"]) {
      expect(await asking.code(query, sessionId)).toBe("confirmation_required");
    }
    expect((await asking.run("create table x (a int)", sessionId, { confirm: true })).status).toBe(200);
    await asking.close(sessionId);
  });

  it("runs a saved console, whose rows stay the user's alone", async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    await desk.rows("create table c (a int)", sessionId);
    const body = { name: "c", content: "select count(*) as n from c", connectionId: desk.connectionId };
    const { id } = (await call("POST", `${desk.home}/consoles`, { ...ana, body })).json.data;
    const run = (more: object) => call("POST", `${desk.home}/consoles/${id}/execute`, { ...ana, body: more });
    expect((await run({ sessionId })).json.data.rows).toEqual([{ n: 0 }]);
    expect((await run({})).json.code).toBe("query_failed");
    expect((await call("GET", `${desk.home}/consoles/${id}/result`, ana)).json.data).toBeNull();
  });

  it("is invisible to everyone else, and 404 for them", async () => {
    const sessionId = await desk.open();
    const bob = await seedMember(ana.workspaceId, "admin");
    const other = new Desk(bob, ana.workspaceId, desk.connectionId);
    expect(await other.list()).toEqual([]);
    const answers = [await other.run("select 1", sessionId), await other.close(sessionId)];
    const absent = [await other.run("select 1", "f".repeat(24)), await other.close("f".repeat(24))];
    expect(answers.map(({ status, text }) => [status, text])).toEqual(absent.map(({ text }) => [404, text]));
    if (!subject) return;
    const elsewhere = await connect(subject);
    expect((await elsewhere.run("select 1", sessionId)).status).toBe(404);
    const reader = await seedKey(ana.workspaceId, ana, "read");
    const byKey = await call("POST", `${desk.path}/execute`, { key: reader, body: { query: "select 1", sessionId } });
    expect(byKey.status).toBe(403);
    expect((await desk.run("select 1", sessionId, { readOnly: true })).status).toBe(400);
  });

  it("stops at 5 a person, also when opened at once", async () => {
    const answers = await Promise.all(Array.from({ length: 7 }, () => desk.opening()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 409, 409]);
    await desk.close((await desk.list())[0].sessionId);
    expect((await desk.opening()).status).toBe(201);
  });

  it.each(["a changed connection", "a deleted connection", "a removed member", "a sign-out", "a revoked key"])(
    "ends and rolls back with %s",
    async (reason) => {
      if (!subject) return;
      const owned = await connect(subject);
      const bob = await seedMember(ana.workspaceId, "member");
      const key = await seedKey(ana.workspaceId, ana);
      const who = reason === "a revoked key" ? { ...ana, cookie: "", key } : bob;
      const theirs = new Desk(who, ana.workspaceId, owned.connectionId);
      const sessionId = await theirs.open();
      await theirs.rows("begin", sessionId);
      await theirs.rows("select 1 as one", sessionId);
      const connector = `${desk.home}/connectors/${owned.connectionId}`;
      if (reason === "a changed connection") {
        await call("PATCH", connector, { ...ana, body: { name: "renamed" } });
        await look();
        expect((await theirs.run("select 1", sessionId)).status).toBe(200);
        await call("PATCH", connector, { ...ana, body: { readOnly: true } });
        expect((await theirs.run("select 1", sessionId)).status).toBe(404);
      }
      if (reason === "a deleted connection") {
        await call("DELETE", `${desk.home}/connections/sources/${owned.connectionId}`, ana);
      }
      if (reason === "a removed member") await removeMember(ana.workspaceId, bob);
      if (reason === "a sign-out") await call("POST", "/api/auth/logout", bob);
      if (reason === "a revoked key") {
        const keys = (await call("GET", `${desk.home}/api-keys`, ana)).json.data;
        for (const { id } of keys) await call("DELETE", `${desk.home}/api-keys/${id}`, ana);
      }
      await waitForEnd(theirs);
      const left = await desk.rows(
        "select count(*) as n from pg_stat_activity where state like 'idle in transaction%'",
      );
      expect(Number(left[0].n)).toBe(0);
    },
  );

  it("ends with its database, and says so", async () => {
    const sessionId = await desk.open();
    await desk.rows("begin", sessionId);
    const [{ pid }] = await desk.rows("select pg_backend_pid() as pid", sessionId);
    await desk.rows(`select pg_terminate_backend(${pid})`);
    await vi.waitFor(async () => expect((await desk.run("select 1", sessionId)).status).toBe(404));
    expect(await desk.list()).toEqual([]);
  });

  describe("that another server holds", () => {
    const insert = async (serverUrl: string, seenAt = new Date()) => {
      const _id = new ObjectId();
      const now = new Date();
      await collections.manualSessions().insertOne({
        ...{ _id, workspaceId: new ObjectId(ana.workspaceId), connectionId: new ObjectId(desk.connectionId) },
        ...{
          userId: new ObjectId(ana.id),
          personSlot: `p${_id}`,
          connectionSlot: `c${_id}`,
          serverId: "other",
          serverUrl,
        },
        ...{ isolation: null, state: "in_transaction", since: now, statements: 3, expiresAt: now, seenAt },
      });
      return _id.toHexString();
    };

    it("are listed, run there, and close there", async () => {
      let heard = {};
      const other = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request
          .on("data", (chunk) => chunks.push(chunk))
          .on("end", () => {
            const body = JSON.parse(Buffer.concat(chunks).toString());
            heard = { url: request.url, cookie: request.headers.cookie, query: body.query };
            response.writeHead(409, { "content-type": "application/json", "x-execution-id": "there" });
            response.end('{"success":false,"error":"x","code":"conflict"}');
          });
      });
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const sessionId = await insert(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      expect(await desk.state(sessionId)).toEqual(["in_transaction", 3]);
      const answer = await desk.run("select 1", sessionId);
      expect([answer.status, answer.headers.get("x-execution-id"), answer.json.code]).toEqual([
        409,
        "there",
        "conflict",
      ]);
      expect(heard).toEqual({ url: `${desk.path}/execute`, cookie: ana.cookie, query: "select 1" });
      // It is not sent on twice.
      expect((await desk.run("select 1", sessionId, {}, { "x-millrace-forwarded": "1" })).status).toBe(404);
      await new Promise((resolve) => other.close(resolve));
      expect((await desk.run("select 1", sessionId)).status).toBe(503);
      const closing = desk.close(sessionId);
      await vi.waitFor(async () => {
        expect(
          (await collections.manualSessions().deleteOne({ _id: new ObjectId(sessionId), isClosing: true }))
            .deletedCount,
        ).toBe(1);
      });
      expect((await closing).status).toBe(200);
    });

    it("end with that server", async () => {
      const sessionId = await insert("http://127.0.0.1:1", new Date(Date.now() - 60_000));
      expect(await desk.list()).toEqual([]);
      expect((await desk.run("select 1", sessionId)).status).toBe(404);
      expect((await desk.close(sessionId)).status).toBe(404);
    });
  });

  it("are unsupported where the database has none", async () => {
    const [sample] = (await call("GET", `${desk.home}/connectors`, ana)).json.data.filter(
      ({ name }: { name: string }) => name === "Sample shop",
    );
    const answer = await new Desk(ana, ana.workspaceId, sample.id).opening();
    expect([answer.status, answer.json.code]).toEqual([400, "unsupported"]);
  });
});
