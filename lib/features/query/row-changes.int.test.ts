import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env } from "@/lib/platform/env";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedPerson } from "@/test/seed";
import { admitLargeAnswer } from "./admission";
import { writeNow } from "./history-writer";
import { LARGE_ANSWERS_MAX, ROW_CHANGES_MAX } from "./limits";

const ownDatabase = takeOwnDatabase();
let ana: Person;

beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  ana = await seedPerson("Ana");
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await ownDatabase.drop();
});

const HOSTILE = `it's "x"; drop table goods; -- \\' $1 ? % _ !`;
const MIB = 1024 * 1024;
type Values = Record<string, string | null>;
type Typed = [type: string, stored: (string | null)[]];

/** Types of each database, with values as pages show them. */
const TYPES: Record<string, Record<string, Typed>> = {
  postgres: {
    big: ["int8", ["9223372036854775807", "-9223372036854775808", null]],
    exact: ["numeric", ["12345678901234567890.123456789012345678901234567890", "0.10"]],
    price: ["numeric(12,2)", ["6000.00"]],
    real8: ["double precision", ["0.1", "NaN", "-Infinity"]],
    flag: ["boolean", ["true", "false", null]],
    title: ["varchar(200)", [HOSTILE, "", "null", null]],
    made: ["timestamptz", ["2026-10-23T18:00:00.123456Z", "0043-03-15T12:00:00Z"]],
    plain: ["timestamp", ["2026-10-23T18:00:00.123456"]],
    day: ["date", ["2026-05-31"]],
    doc: ["jsonb", ['{"a":[1,"two",null]}', '"text"', "12", null]],
    raw: ["json", ['{"a":1}']],
    bytes: ["bytea", ["AAH/", ""]],
    list: ["int4[]", ["[1,null,3]", "[]"]],
    code: ["uuid", ["6d7c2a52-7b1e-4f3c-9d8e-0a1b2c3d4e5f"]],
    fixed: ["char(3)", ["abc"]],
    bits: ["bit(4)", ["1010"]],
  },
  mariadb: {
    big: ["bigint unsigned", ["18446744073709551615", "0", null]],
    exact: ["decimal(65,30)", ["12345678901234567890.123456789012345678901234567890"]],
    real8: ["double", ["0.1", "1e+300"]],
    flag: ["tinyint(1)", ["1", "0"]],
    title: ["varchar(200)", [HOSTILE, "", "null", null]],
    made: ["datetime(6)", ["2026-10-23T18:00:00.123456"]],
    stamp: ["timestamp(6) null", ["2026-10-23T18:00:00.123456Z", null]],
    day: ["date", ["2026-05-31"]],
    span: ["time(3)", ["-12:00:00.5"]],
    doc: ["json", ['{"a":[1,"two",null]}', "12", null]],
    bytes: ["varbinary(20)", ["AAH/", ""]],
    large: ["longblob", ["AAH/"]],
    kind: ["enum('a','b')", ["b", null]],
    bits: ["bit(4)", ["1010"]],
    code: ["char(3)", ["abc"]],
  },
  sqlite: {
    big: ["integer", ["9223372036854775807", "-9223372036854775808", null]],
    real8: ["real", ["0.1"]],
    exact: ["numeric", ["12.5"]],
    title: ["text", [HOSTILE, "", "null", "007", null]],
    bytes: ["blob", ["AAH/"]],
    made: ["datetime", ["2026-10-23 18:00:00.123456"]],
    loose: ["", ["12", "text"]],
  },
  duckdb: {
    big: ["bigint", ["9223372036854775807", "-9223372036854775808", null]],
    huge: ["hugeint", ["170141183460469231731687303715884105727"]],
    exact: ["decimal(38,18)", ["12345678901234567890.123456789012345678"]],
    real8: ["double", ["0.1", "NaN"]],
    flag: ["boolean", ["true", "false", null]],
    title: ["varchar", [HOSTILE, "", "null", null]],
    made: ["timestamptz", ["2026-10-23T18:00:00.123456Z"]],
    plain: ["timestamp", ["2026-10-23T18:00:00.123456"]],
    day: ["date", ["2026-05-31"]],
    doc: ["json", ['{"a":[1,"two",null]}', "12", null]],
    bytes: ["blob", ["AAH/"]],
    list: ["integer[]", ["[1,null,3]"]],
    kind: ["enum('a','b')", ["b"]],
  },
};
/** Values that a column must refuse. */
const REFUSED: Record<string, [column: string, value: string][]> = {
  postgres: [["big", "1.5"], ["big", "9223372036854775808"], ["price", "x"], ["fixed", "abcd"], ["doc", "{a"], ["bytes", "?"]],
  mariadb: [["big", "1.5"], ["big", "-1"], ["code", "abcd"], ["doc", "{a"], ["kind", "c"], ["day", "x"]],
  sqlite: [["big", "12abc"], ["bytes", "?"]],
  duckdb: [["big", "1.5"], ["big", "9223372036854775808"], ["kind", "c"], ["doc", "{a"], ["flag", "perhaps"]],
}; // biome-ignore format: one line a database

describe.each(Object.keys(TYPES) as ("postgres" | "mariadb" | "sqlite" | "duckdb")[])("row changes on %s", (name) => {
  /** Of lesser tests: other databases are in every run. */
  const lesser = ["sqlite", "duckdb"].includes(name) ? ["long"] : [];
  const types = Object.entries(TYPES[name] ?? {});
  let subject: Subject | null = null;
  let path = "";
  let connectionId = "";

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    const { driver, config } = subject;
    const body = { name: `edit ${name}`, type: driver.type, config, readOnly: false };
    const made = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, { ...ana, body });
    connectionId = made.json.data.id;
    path = `/api/workspaces/${ana.workspaceId}/databases/${connectionId}`;
    const columns = types.map(([column, [type]]) => `${column} ${type}`);
    await run(`create table kinds (id bigint primary key, ${columns.join(", ")})`);
    await run("create table goods (id bigint primary key, v varchar(100) default 'new', n integer)");
    await run("create table pairs (a integer, b varchar(20), v integer, primary key (a, b))");
    await run("create table loose (id integer, v integer)");
    await run("create view seen as select * from goods");
  });
  afterAll(async () => subject?.stop());

  const run = async (query: string) => {
    const answer = await call("POST", `${path}/execute`, { ...ana, body: { query } });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json.data.rows;
  };
  const reset = async () => {
    await run("delete from goods");
    await run("insert into goods values (1, 'one', 1), (2, 'two', 2), (3, 'three', 3)");
  };
  const goods = () => run("select id, v, n from goods order by id");
  const change = (changes: object[], more: object = {}, who: object = ana) =>
    call("POST", `${path}/rows/changes`, { ...who, body: { table: { name: "goods" }, changes, ...more } });
  const shown = (value: unknown): string | null =>
    typeof value === "string" || value === null ? value : JSON.stringify(value);
  const update = (id: string, old: Values, set: Values) => ({ op: "update", key: { id }, old, set });

  it("writes all changes in one transaction and records them once", async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const answer = await change([
      update("1", { v: "one" }, { v: "ONE" }),
      { op: "delete", key: { id: "2" }, old: { v: "two", n: "2" } },
      { op: "insert", set: { id: "4", n: "4" } },
      { op: "update", key: { id: "3" }, old: { v: "three", n: "3" }, set: { n: null, v: "" } },
    ]);
    expect([answer.status, answer.json.data]).toMatchObject([200, { affectedRows: 4, statements: [] }]);
    expect(await goods()).toEqual([
      { id: 1, v: "ONE", n: 1 },
      { id: 3, v: "", n: null },
      { id: 4, v: "new", n: 4 },
    ]);
    const executions = await call(
      "GET",
      `/api/workspaces/${ana.workspaceId}/executions/${answer.json.data.executionId}`,
      ana,
    );
    expect(executions.json.data).toMatchObject({ status: "success", affectedRows: 4 });
    expect(executions.json.data.query).toMatch(/update .*;\ndelete from .*;\ninsert into /is);
  });

  it("returns the SQL of a dry run, which has the same effect", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const changes = [
      update("1", { v: "one" }, { v: HOSTILE }),
      { op: "delete", key: { id: "2" }, old: { v: "two" } },
      { op: "insert", set: { id: "9", v: null, n: "7" } },
    ];
    const answer = await change(changes, { dryRun: true });
    expect(answer.json.data).toMatchObject({ executionId: null, affectedRows: null });
    expect(await goods()).toHaveLength(3);
    for (const statement of answer.json.data.statements) await run(statement);
    const byHand = await goods();
    await reset();
    await change(changes);
    expect(byHand).toEqual(await goods());
    expect(byHand).toEqual([
      { id: 1, v: HOSTILE, n: 1 },
      { id: 3, v: "three", n: 3 },
      { id: 9, v: null, n: 7 },
    ]);
  });

  it("writes nothing when rows were changed or deleted since, and returns their values", async ({ skip }) => {
    if (!subject) skip();
    await reset();
    await run("update goods set v = 'theirs' where id = 1");
    await run("delete from goods where id = 2");
    // Short values do not wait for a place of a large response.
    const places = Array.from({ length: LARGE_ANSWERS_MAX }, () => {
      return admitLargeAnswer(ana.workspaceId, new AbortController().signal);
    });
    const leave = await Promise.all(places);
    const answer = await change([
      { op: "insert", set: { id: "5" } },
      update("1", { v: "one" }, { v: "mine" }),
      update("3", { v: "three" }, { v: "THREE" }),
      { op: "delete", key: { id: "2" }, old: { v: "two" } },
    ]);
    for (const each of leave) each();
    expect([answer.status, answer.json.code]).toEqual([409, "conflict"]);
    expect(answer.json.details.conflicts).toEqual([
      { change: 1, current: { id: 1, v: "theirs" } },
      { change: 3, current: null },
    ]);
    expect((await goods()).map(({ v }: { v: string }) => v)).toEqual(["theirs", "three"]);
    const again = await change([update("1", { v: "theirs" }, { v: "mine" })]);
    expect([again.status, (await goods())[0].v]).toEqual([200, "mine"]);
  });

  it("shows the present values of a row beside one that is too long", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    const type = name === "mariadb" ? "longtext" : "text";
    await run(`create table longs (id bigint primary key, v ${type}, n integer, m integer)`);
    const long = (chars: number) =>
      name === "sqlite" ? `replace(hex(zeroblob(${chars / 2})), '0', 'x')` : `repeat('x', ${chars})`;
    // Too long to show, and too long to read. MariaDB limits a value to the size of a packet, 16 MiB by default.
    const sizes = { postgres: [300_000, 17 * MIB], mariadb: [300_000], sqlite: [17 * MIB], duckdb: [17 * MIB] };
    for (const chars of sizes[name]) {
      await run("delete from longs");
      await run(`insert into longs values (1, ${long(chars)}, 2, 3)`);
      const stale = update("1", { v: "one", n: "1", m: "3" }, { v: "mine" });
      const answer = await change([stale, { ...stale, key: { id: "2" } }], { table: { name: "longs" } });
      expect([answer.status, answer.json.details?.conflicts]).toEqual([
        409,
        [
          { change: 0, current: { id: 1, v: "(value too long to show)", n: 2, m: 3 } },
          { change: 1, current: null },
        ],
      ]);
    }
    await run("drop table longs");
  });

  it("writes nothing when the database refuses a change, and names it", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const answer = await change([update("1", { v: "one" }, { v: "mine" }), { op: "insert", set: { id: "3" } }]);
    expect([answer.status, answer.json.code, answer.json.details]).toEqual([400, "query_failed", { change: 1 }]);
    expect((await goods())[0].v).toBe("one");
  });

  it("accepts a value that the row already has", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const answer = await change([update("1", { v: "one" }, { v: "one" })]);
    expect([answer.status, answer.json.data?.affectedRows]).toEqual([200, 1]);
  });

  it("lets one of several changes to a row win", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const values = ["a", "b", "c"];
    const answers = await Promise.all(values.map((v) => change([update("1", { v: "one" }, { v })])));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const won = answers.findIndex(({ status }) => status === 200);
    expect((await goods())[0].v).toBe(values[won]);
  });

  it("uses every column of a key, and can change it", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    await run("insert into pairs values (1, 'x', 1), (1, 'y', 2)");
    const key = { a: "1", b: "x" };
    const table = { name: "pairs" };
    const moved = await change([{ op: "update", key, old: {}, set: { b: "z", a: "2" } }], { table });
    expect([moved.status, await run("select * from pairs order by a")]).toEqual([
      200,
      [
        { a: 1, b: "y", v: 2 },
        { a: 2, b: "z", v: 1 },
      ],
    ]);
    const partial = await change([{ op: "delete", key: { a: "1" } }], { table });
    expect([partial.status, partial.json.details]).toEqual([400, [expect.objectContaining({ path: "changes.0.key" })]]);
  });

  it("sets a column to its default", async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const answer = await change([{ op: "update", key: { id: "1" }, old: { v: "one" }, defaults: ["v"] }]);
    if (name === "sqlite") return expect(answer.json.details).toMatchObject([{ path: "changes.0.defaults" }]);
    expect([answer.status, (await goods())[0].v]).toEqual([200, "new"]);
  });

  it("keeps every digit of each type, and finds a row by the old values that a page shows", async ({ skip }) => {
    if (!subject) skip();
    const table = { name: "kinds" };
    await run("insert into kinds (id) values (1)");
    let old: Values = Object.fromEntries(types.map(([column]) => [column, null]));
    const rounds = Math.max(...types.map(([, [, values]]) => values.length));
    for (let round = 0; round < rounds; round += 1) {
      const set = Object.fromEntries(
        types.map(([column, [, values]]) => [column, values[round % values.length] ?? null]),
      );
      const answer = await change([update("1", old, set)], { table });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      const page = await call("POST", `${path}/rows`, { ...ana, body: { table } });
      const [row] = page.json.data.rows;
      old = Object.fromEntries(types.map(([column]) => [column, shown(row[column])]));
      // A page shows a JSON string as its text.
      const texts = Object.entries(set).map(([column, value]) => {
        return [column, column === "doc" && value?.startsWith('"') ? JSON.parse(value) : value];
      });
      expect(old).toEqual(Object.fromEntries(texts));
    }
  });

  it.each(REFUSED[name] ?? [])("refuses a value that does not fit: %s = %s", async (column, value) => {
    if (!subject) return;
    const answer = await change([{ op: "insert", set: { id: "50", [column]: value } }], { table: { name: "kinds" } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/query_failed|invalid_request/)]);
    expect(await run("select count(*) as n from kinds where id = 50")).toEqual([{ n: 0 }]);
  });

  it("refuses tables, columns and values that cannot be edited", async ({ skip }) => {
    if (!subject) skip();
    const code = async (changes: object[], more: object = {}) => {
      const { status, json } = await change(changes, more);
      return [status, json.details?.[0]?.path];
    };
    const insert = { op: "insert", set: { id: "9" } };
    expect(await code([{ op: "insert", set: { nope: "1" } }])).toEqual([400, "changes.0.set"]);
    expect(await code([{ ...insert, exact: ["id"] }])).toEqual([400, "changes.0.exact"]);
    expect(await code([{ op: "insert", set: { constructor: "1" } }])).toEqual([400, "changes.0.set"]);
    expect(await code([insert, update("1", {}, { v: "x" })])).toEqual([400, "changes.1.old"]);
    expect(await code([{ op: "delete", key: { v: "one" } }])).toEqual([400, "changes.0.key"]);
    expect(await code([{ op: "update", key: { id: "1" } }])).toEqual([400, "changes.0.set"]);
    expect(await code([{ op: "delete", key: { id: "1" } }], { table: { name: "loose" } })).toEqual([
      400,
      "changes.0.key",
    ]);
    expect(await code([insert], { table: { name: "seen" } })).toEqual([400, "table"]);
    expect((await change([insert], { table: { name: "nothing" } })).status).toBe(404);
    expect((await change([])).status).toBe(400);
    expect((await change(Array(ROW_CHANGES_MAX + 1).fill(insert))).status).toBe(400);
  });

  it("takes as many changes as the limit", { tags: ["long"], timeout: 600_000 }, async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const ids = Array.from({ length: ROW_CHANGES_MAX }, (_, index) => String(index + 10));
    const answer = await change(
      ids.map((id) => ({ op: "insert", set: { id } })),
      { timeoutMs: 600_000 },
    );
    expect([answer.status, answer.json.data?.affectedRows]).toEqual([200, ROW_CHANGES_MAX]);
    expect(await goods()).toHaveLength(3 + ROW_CHANGES_MAX);
  });

  it("says that the changes may have been written when the connection is lost during the commit", async ({ skip }) => {
    if (!subject || name !== "postgres") skip();
    await reset();
    await run(`create function die() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`);
    await run(`create constraint trigger dies after insert or update on goods deferrable initially deferred
      for each row execute function die()`);
    const insert = { op: "insert", set: { id: "9" } };
    for (const changes of [[insert], [update("1", { v: "one" }, { v: "mine" }), insert]]) {
      const answer = await change(changes);
      expect(answer.status).not.toBe(200);
      expect(answer.json.error).toContain("The changes may have been written.");
      expect(answer.json.details).toEqual({ isUnknown: true });
    }
    await run("drop trigger dies on goods");
    expect(await goods()).toHaveLength(3);
  });

  it("asks for a confirmation, and refuses read-only connections and keys", { tags: lesser }, async ({ skip }) => {
    if (!subject) skip();
    await reset();
    const changes = [update("1", { v: "one" }, { v: "mine" })];
    const asked = await change(changes, { confirmWrites: "always" });
    expect([asked.status, asked.json.code, asked.json.details]).toMatchObject([
      409,
      "confirmation_required",
      { reason: "write", table: { name: "goods" }, statement: expect.stringContaining("update") },
    ]);
    const key = await seedKey(ana.workspaceId, ana, "read");
    expect((await change(changes, {}, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(403);
    const connector = `/api/workspaces/${ana.workspaceId}/connectors/${connectionId}`;
    await call("PATCH", connector, { ...ana, body: { readOnly: true } });
    expect((await change(changes)).json.code).toBe("read_only");
    await call("PATCH", connector, { ...ana, body: { readOnly: false, confirmWrites: "always" } });
    expect((await change(changes)).json.code).toBe("confirmation_required");
    expect((await goods())[0].v).toBe("one");
    expect((await change(changes, { confirm: true })).status).toBe(200);
    await call("PATCH", connector, { ...ana, body: { confirmWrites: "never" } });
  });
});
