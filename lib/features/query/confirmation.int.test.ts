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
import { estimateLimits } from "./row-estimate";
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

/** Rows of the table `n`, whose primary key is 1 to 900. */
const NUMBERED = [
  "create table n (id int primary key, v int)",
  "insert into n with recursive s(i) as (select 1 as i union all select i + 1 from s where i < 900) select i, i from s",
];
/** Statements on `n`, with the range of their estimate; null for none. DuckDB expects a fifth of a table. */
const ABOUT = { 90: [80, 100], 180: [90, 450], 45: [44, 46], 1: [1, 1], some: [1, 899], none: null } as const;
type Estimated = readonly [query: string, about: keyof typeof ABOUT, params?: unknown[] | Record<string, unknown>];
const ESTIMATES: Record<"postgres" | "mariadb" | "sqlite" | "duckdb", { prepare: string[]; cases: Estimated[] }> = {
  postgres: {
    prepare: [
      "analyze n",
      "create table log (a int)",
      "create sequence s",
      "create function writes() returns int language sql as 'insert into log values (1) returning a'",
      "create function counts() returns int stable language sql as 'select nextval(''s'')::int'",
    ],
    cases: [
      ["update n set v = $1 where id <= $2", 90, [7, 90]],
      ["update n set v = m.v from n m where m.id = n.id and m.id <= 90", 90],
      ["delete from n using n m where m.id = n.id and m.id <= 90", 90],
      ["insert into n select id + 900, v from n where id <= 90 on conflict do nothing", 90],
      ["with m as (select * from n where id <= 90) merge into n using m on n.id = m.id when matched then delete", 90],
      [
        "merge into n using (select id + 810 as id from n) m on n.id = m.id when not matched then insert values (m.id, $1)",
        "some",
        [7],
      ],
      ["delete from n where id = 1 and v = writes()", 1],
      ["delete from n where id = counts()", "none"],
    ],
  },
  mariadb: {
    prepare: ["analyze table n"],
    cases: [
      ["update n set v = ? where id <= ?", 90, [7, 90]],
      // Without statistics about a column, its planner expects all rows of the table.
      ["delete from n where v <= 90", "none"],
      ["delete from n where id <= 90 limit 5", "none"],
      ["insert into n select id + 900, v from n where id <= 90", "none"],
    ],
  },
  sqlite: {
    prepare: [],
    cases: [
      ["update n set v = :v where id <= :id", 90, { v: 7, id: 90 }],
      ["delete from n where v % 20 = 0", 45],
      ["delete from n where random() > 0", "none"],
    ],
  },
  duckdb: {
    prepare: ["create sequence s"],
    cases: [
      ["update n set v = $1 where v <= $2", 180, [7, 90]],
      ["insert into n select id + 900, v from n where v <= 90", 180],
      ["delete from n where id = nextval('s')", "none"],
    ],
  },
};

beforeAll(() => {
  estimateLimits.timeoutMs = 60_000;
  return databaseReady();
});
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

  test("estimates the rows of a write with a condition, without running it", async (context) => {
    if (!subject || name === "mongodb") return context.skip();
    const { prepare, cases } = ESTIMATES[name];
    for (const statement of [...NUMBERED, ...prepare]) await run(statement, "never");
    const always: Estimated[] = [
      [
        name === "duckdb" ? "delete from n where v <= 90" : "delete from n where id <= 90;",
        name === "duckdb" ? 180 : 90,
      ],
      ["delete from n where missing = 1", "none"],
      ["insert into n values (901, 1)", "none"],
    ];
    for (const [query, about, params] of [...always, ...cases]) {
      const asked = run(query, "always", { statement: { query, ...(params && { params }) } });
      const error: unknown = await asked.catch((thrown: unknown) => thrown);
      if (!(error instanceof AppError)) throw error;
      const rows = (error.details as { estimatedRows: number | null }).estimatedRows;
      const [least, most] = ABOUT[about] ?? [null, null];
      const isAbout = rows === null || least === null ? rows === least : rows >= least && rows <= most;
      expect([query, error.kind, rows, isAbout]).toEqual([query, "confirmation_required", rows, true]);
      expect(error.message.includes(`, about ${rows} row`)).toBe(rows !== null);
    }
    const left = async (query: string) => (await run(query, "never")).rows[0];
    expect(Number((await left("select count(*) as n from n where v = id"))?.n)).toBe(900);
    if (name === "postgres") {
      expect(await left("select is_called, (select count(*) from log) as n from s")).toEqual({
        is_called: false,
        n: 0,
      });
    }
    if (name === "duckdb") expect(Number((await left("select nextval('s') as n"))?.n)).toBe(1);
  });

  test("runs a confirmed write", async (context) => {
    if (!subject) return context.skip();
    const [first] = CASES[name];
    const { affectedRows } = await run(first[0], "always", { confirm: true });
    expect([affectedRows, await countRows()]).toEqual([2, 0]);
  });
});
