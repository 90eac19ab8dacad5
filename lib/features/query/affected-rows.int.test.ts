import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { storedConnection } from "@/test/fixtures/query/stored-connection";
import { getExecution, listExecutions } from "./executions";
import type { ExecuteAnswer } from "./schema";
import { executeQuery, runQuery } from "./service";

/*
 * Counts that psql ("UPDATE 2"), mariadb ("Query OK, 2 rows affected"), duckdb ("Count"), sqlite3 (".changes on") and
 * mongosh ("modifiedCount") print for these statements.
 */

const ownDatabase = takeOwnDatabase();
const workspaceId = new ObjectId();
const caller = callerIn(workspaceId, { _id: new ObjectId(), role: "admin" });
const NOBODY = async () => new Set<string>();
const VISIBILITY = { console: NOBODY, dashboard: NOBODY, app: NOBODY };

async function ask(connection: ConnectionDoc, query: string, limit?: number): Promise<ExecuteAnswer> {
  const request = {
    connection,
    origin: { kind: "adhoc" as const, id: null },
    statement: { query },
    ...(limit !== undefined && { limit }),
    signal: new AbortController().signal,
  };
  const response = await executeQuery(caller, request, "json");
  return ((await response.json()) as { data: ExecuteAnswer }).data;
}

type Case = [query: string, affectedRows: number | null, rowCount?: number];

/** In this order, on a table `t` with the ids 1 to 5, where v is 0. */
const COMMON: Case[] = [
  ["select * from t", null, 5],
  ["insert into t values (6, 0)", 1],
  ["insert into t values (7, 0), (8, 0), (9, 0)", 3],
  ["insert into t select id + 100, v from t where id <= 2", 2],
  ["update t set v = 1 where id in (1, 2)", 2],
  ["update t set v = 1 where id = 12345", 0],
  ["delete from t where id = 12345", 0],
  ["/* two */ delete from t where id > 100", 2],
  ["create table other (id int)", null],
  ["drop table other", null],
];

const CASES: Record<Exclude<SubjectName, "trino">, Case[]> = {
  postgres: [
    ...COMMON,
    ["update t set v = v", 9],
    ["insert into t values (1, 5), (10, 5) on conflict (id) do nothing", 1],
    ["insert into t values (1, 5), (10, 5) on conflict (id) do update set v = excluded.v", 2],
    ["delete from t where id >= 9 returning id", 2, 2],
    ["with gone as (delete from t where id = 8 returning *) select * from gone", null, 1],
    ["with two as (select 2 as id) update t set v = 9 from two where two.id = t.id", 1],
    [
      "merge into t using (values (1), (50)) s(id) on s.id = t.id when matched then update set v = 7 when not matched then insert values (s.id, 7)",
      2,
    ],
    ["create table copied as select * from t", null],
    ["truncate copied", null],
    ["explain delete from t", null],
    ["explain analyze delete from t where id = 50", null],
  ],
  mariadb: [
    ...COMMON,
    // Rows that already have the value do not count as changed.
    ["update t set v = v", 0],
    ["update t set v = 1 where id in (1, 2, 3)", 1],
    ["insert ignore into t values (1, 5), (10, 5)", 1],
    // A row that an INSERT updates counts twice.
    ["insert into t values (1, 6), (11, 6) on duplicate key update v = values(v)", 3],
    // A replaced row is deleted and inserted.
    ["replace into t values (1, 7), (12, 7)", 3],
    ["delete from t where id >= 10 returning id", 3, 3],
    ["insert into t values (20, 0), (21, 0) returning id, v", 2, 2],
    ["delete t from t join (select 20 as id) s on s.id = t.id", 1],
    ["create table copied as select * from t", null],
    ["truncate table copied", null],
    ["explain delete from t", null],
    ["show tables", null],
  ],
  sqlite: [
    ...COMMON,
    ["update t set v = v", 9],
    ["insert or ignore into t values (1, 5), (10, 5)", 1],
    ["insert into t values (1, 5), (10, 5) on conflict (id) do update set v = excluded.v", 2],
    ["replace into t values (1, 7), (12, 7)", 2],
    ["delete from t where id >= 10 returning id", 2, 2],
    ["with two as (select 2 as id) update t set v = 9 where id in (select id from two)", 1],
    ["create table copied as select * from t", null],
    ["delete from copied", 9],
    ["explain query plan delete from t", null],
  ],
  duckdb: [
    ...COMMON,
    ["update t set v = v", 9],
    ["insert or ignore into t values (1, 5), (10, 5)", 1],
    ["delete from t where id >= 10 returning id", 1, 1],
    ["with two as (select 2 as id) update t set v = 9 where id in (select id from two)", 1],
    ["merge into t using (select 2 as id) s on s.id = t.id when matched then update set v = 7", 1],
    ["create table copied as select * from t", null],
    ["explain delete from t", null],
  ],
  mongodb: [
    ["db.t.find({})", null, 5],
    ["db.t.insertOne({_id: 6, v: 0})", 1],
    ["db.t.insertMany([{_id: 7, v: 0}, {_id: 8, v: 0}])", 2],
    ["db.t.updateMany({}, {$set: {v: 0}})", 0],
    ["db.t.updateMany({_id: {$lte: 2}}, {$set: {v: 1}})", 2],
    ["db.t.updateOne({_id: 99}, {$set: {v: 1}}, {upsert: true})", 1],
    ["db.t.replaceOne({_id: 1}, {v: 4})", 1],
    ["db.t.updateOne({_id: 12345}, {$set: {v: 1}})", 0],
    ["db.t.deleteOne({_id: 12345})", 0],
    ["db.t.deleteMany({_id: {$gte: 6}})", 4],
    ["db.t.countDocuments({})", null, 1],
  ],
};

const SEED = {
  sql: ["create table t (id int primary key, v int)", "insert into t values (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)"],
  mongodb: ["db.t.insertMany([{_id: 1, v: 0}, {_id: 2, v: 0}, {_id: 3, v: 0}, {_id: 4, v: 0}, {_id: 5, v: 0}])"],
};

/** A text of 17 MiB or more, over the limit of a cell in a JSON response. */
const LARGE_CELL = {
  postgres: "repeat('x', 17 * 1024 * 1024)",
  mariadb: "repeat('x', 17 * 1024 * 1024)",
  duckdb: "repeat('x', 17 * 1024 * 1024)",
  sqlite: "hex(zeroblob(9 * 1024 * 1024))",
};
const LONG_TEXT = { postgres: "text", mariadb: "longtext", duckdb: "text", sqlite: "text" };

beforeAll(() => databaseReady());
afterAll(() => ownDatabase.drop());

describe.each(Object.keys(CASES) as (keyof typeof CASES)[])("%s", (name) => {
  let subject: Subject | null = null;
  let connection: ConnectionDoc;
  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    connection = storedConnection(workspaceId, { type: subject.driver.type, config: subject.config });
    for (const statement of SEED[name === "mongodb" ? "mongodb" : "sql"]) await ask(connection, statement);
  }, 120_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
  });

  test("C44 counts the rows that a statement changed", async (context) => {
    if (!subject) return context.skip();
    const counted: Case[] = [];
    for (const [query, , rowCount] of CASES[name]) {
      const answer = await ask(connection, query);
      counted.push([query, answer.affectedRows, ...(rowCount === undefined ? [] : [answer.rowCount])] as Case);
    }
    expect(counted).toEqual(CASES[name]);
  });

  test("C44 keeps the count in the query history, and for internal callers", async (context) => {
    if (!subject) return context.skip();
    const query = name === "mongodb" ? "db.t.deleteMany({_id: {$lte: 3}})" : "delete from t where id <= 3";
    const { executionId, affectedRows } = await ask(connection, query);
    expect(affectedRows).toBe(3);
    expect(await getExecution(caller, executionId, VISIBILITY)).toMatchObject({ affectedRows: 3, status: "success" });
    const { items } = await listExecutions(caller, { limit: 1 }, VISIBILITY);
    expect(items).toMatchObject([{ executionId, affectedRows: 3 }]);
    const request = {
      connection,
      origin: { kind: "adhoc" as const, id: null },
      statement: { query: query.replace("3", "4") },
      signal: new AbortController().signal,
    };
    expect((await runQuery(caller, request)).affectedRows).toBe(1);
  });

  test("C44 keeps a write that returns a cell above 16 MiB, and counts its rows", {
    tags: ["long"],
  }, async (context) => {
    if (!subject || name === "mongodb") return context.skip();
    await ask(connection, "create table cells (id int primary key, cell text)".replace("text", LONG_TEXT[name]));
    await ask(connection, "create table sources (id int primary key)");
    const values = Array.from({ length: 5000 }, (_, index) => `(${index})`).join(", ");
    await ask(connection, `insert into sources values ${values}`);
    const cell = `case when id = 100 then ${LARGE_CELL[name]} else 'a' end`;
    const answer = await ask(
      connection,
      `insert into cells select id, ${cell} from sources order by id returning id, cell`,
      50_000,
    );
    expect([answer.truncated, answer.affectedRows]).toEqual([true, 5000]);
    expect(answer.rowCount).toBeLessThanOrEqual(100);
    const [row = {}] = (await ask(connection, "select count(*) from cells")).rows;
    expect(Object.values(row).map(Number)).toEqual([5000]);
  });

  test("C44 fails a write that returns a row above 64 MiB, which ends its connection", {
    tags: ["long"],
  }, async (context) => {
    if (!subject || (name !== "postgres" && name !== "mariadb")) return context.skip();
    await ask(connection, `create table wide (id int primary key, a ${LONG_TEXT[name]})`);
    const insert = "insert into wide values (1, repeat('x', 15000000)) returning a, a as b, a as c, a as d, a as e";
    await expect(ask(connection, insert)).rejects.toThrow("larger than 64 MiB");
    expect((await ask(connection, "select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("C44 counts all rows of a RETURNING beyond the limit", async (context) => {
    if (!subject || name === "mongodb") return context.skip();
    await ask(connection, "create table large (id int primary key)");
    const values = Array.from({ length: 2500 }, (_, index) => `(${index})`).join(", ");
    await ask(connection, `insert into large values ${values}`);
    const answer = await ask(connection, "delete from large where id < 2400 returning id", 10);
    expect([answer.rowCount, answer.truncated, answer.affectedRows]).toEqual([10, true, 2400]);
    expect(Object.values((await ask(connection, "select count(*) from large")).rows[0] ?? {}).map(Number)).toEqual([
      100,
    ]);
  });
});
