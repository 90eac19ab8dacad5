import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collections } from "@/lib/features/connections/collections";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { ConfirmWrites } from "@/lib/features/connections/schema";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { storedConnection } from "@/test/fixtures/query/stored-connection";
import { type QueryRequest, runQuery } from "./service";

const ownDatabase = takeOwnDatabase();
const workspaceId = new ObjectId();
const caller = callerIn(workspaceId, { _id: new ObjectId(), role: "member" });

const SQL_WRITES = [
  ["delete from t", "delete_without_where"],
  ["/* where true */ update t set v = 1", "update_without_where"],
  ["drop table t", "drop"],
  ["delete from t where id = 1", "write"],
  ["insert into t values (9, 9)", "write"],
] as const;
const CASES = {
  postgres: [
    ...SQL_WRITES,
    ["truncate t", "truncate"],
    ["with x as (delete from t returning 1) select * from x where true", "delete_without_where"],
    ["explain analyze delete from t", "delete_without_where"],
  ],
  mariadb: [...SQL_WRITES, ["/*!50000 truncate t */", "truncate"], ["analyze delete from t", "delete_without_where"]],
  sqlite: SQL_WRITES,
  duckdb: [...SQL_WRITES, ["truncate t", "truncate"], ["explain analyze delete from t", "delete_without_where"]],
  mongodb: [
    ["db.t.deleteMany({})", "delete_without_where"],
    ["db.t.updateMany({}, {$set: {v: 1}})", "update_without_where"],
    ["db.t.deleteMany({_id: 1})", "write"],
    ["db.t.insertOne({_id: 9})", "write"],
  ],
} as const;
const READS = {
  sql: ["select count(*) from t", "select 'delete from t' as text", "explain select * from t"],
  mongodb: ["db.t.find({})", "db.t.countDocuments({})"],
};
const SEED = {
  sql: ["create table t (id int primary key, v int)", "insert into t values (1, 0), (2, 0)"],
  mongodb: ["db.t.insertMany([{_id: 1, v: 0}, {_id: 2, v: 0}])"],
};

beforeAll(() => databaseReady());
afterAll(() => ownDatabase.drop());

describe.each(Object.keys(CASES) as (keyof typeof CASES)[])("%s", (name) => {
  let subject: Subject | null = null;
  let connection: ConnectionDoc;
  const form = name === "mongodb" ? "mongodb" : "sql";

  const run = (query: string, confirmWrites: ConfirmWrites, more: Partial<QueryRequest> = {}) =>
    runQuery(caller, {
      connection: { ...connection, confirmWrites },
      origin: { kind: "adhoc", id: null },
      statement: { query },
      signal: new AbortController().signal,
      ...more,
    });
  /** Returns the reason of a confirmation, the kind of another error, or null for a statement that ran. */
  const reasonOf = async (work: Promise<unknown>) => {
    try {
      await work;
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.kind !== "confirmation_required") return error.kind;
      return (error.details as { reason: string }).reason;
    }
  };
  const countRows = async () => {
    const [row = {}] = (await run(READS[form].at(form === "sql" ? 0 : 1) ?? "", "never")).rows;
    return Number(Object.values(row)[0]);
  };

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    connection = storedConnection(workspaceId, { type: subject.driver.type, config: subject.config });
    await collections.connections().insertOne(connection);
    for (const statement of SEED[form]) await run(statement, "never");
  }, 120_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
  });

  test("asks for risky writes or for all, and runs none of them", async (context) => {
    if (!subject) return context.skip();
    for (const [query, reason] of CASES[name]) {
      expect([query, await reasonOf(run(query, "always"))]).toEqual([query, reason]);
      if (reason === "write") continue;
      expect([query, await reasonOf(run(query, "risky"))]).toEqual([query, reason]);
      // The request can raise the connection's setting, but never lower it.
      expect([query, await reasonOf(run(query, "never", { confirmWrites: "risky" }))]).toEqual([query, reason]);
      expect([query, await reasonOf(run(query, "always", { confirmWrites: "never" }))]).toEqual([query, reason]);
    }
    expect(await countRows()).toBe(2);
  });

  test("asks for no reading, and for nothing on a read-only request", async (context) => {
    if (!subject) return context.skip();
    for (const query of READS[form]) expect([query, await reasonOf(run(query, "always"))]).toEqual([query, null]);
    const [first] = CASES[name];
    expect(await reasonOf(run(first[0], "always", { readOnly: true }))).toBe("read_only");
  });

  test("runs a confirmed write", async (context) => {
    if (!subject) return context.skip();
    const [first] = CASES[name];
    const { affectedRows } = await run(first[0], "always", { confirm: true });
    expect([affectedRows, await countRows()]).toEqual([2, 0]);
  });
});
