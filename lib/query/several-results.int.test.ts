import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerIn } from "@/lib/access/testing/caller";
import { type Subject, startSubject } from "@/lib/connections/drivers/conformance/subjects";
import type { ConnectionDoc } from "@/lib/connections/model";
import { closeDataSources, dataSourcePool } from "@/lib/connections/pool";
import { databaseReady } from "@/lib/db/ready";
import { takeOwnDatabase } from "@/test/database";
import type { ExecuteAnswer, ResultFormat } from "./schema";
import { executeQuery, runQuery } from "./service";
import { storedConnection } from "./testing/stored-connection";

/* What MariaDB's and PostgreSQL's own clients show of these calls. */

const PROCEDURES = [
  "create table many (n int primary key)",
  "insert into many select seq from seq_1_to_2500",
  "create procedure one_result() select n from many order by n",
  "create procedure few_rows() select n from many where n <= 3 order by n",
  "create procedure two_results() begin select n from many order by n; select 'b' as name, 7 as total; end",
  "create procedure ten_results() begin declare i int default 0; while i < 10 do select i as turn; set i = i + 1; end while; end",
  "create procedure no_rows() begin select n from many where n < 0; select count(*) as total from many; end",
  "create procedure changes() begin select 1 as before_it; update many set n = n where n = 0; insert into many values (9001), (9002); select 2 as after_it; delete from many where n > 9000; end",
  "create procedure only_changes() insert into many values (9101), (9102)",
  "create procedure fails() begin select n from many order by n; select * from nowhere; end",
  "create procedure gives(out total int, inout twice int) begin select count(*) into total from many; set twice = twice * 2; select n from many where n <= 2; end",
  "create procedure large() begin select repeat('x', 1000) as cell from many; select n from many order by n; end",
];

const ownDatabase = takeOwnDatabase();
const workspaceId = new ObjectId();
const caller = callerIn(workspaceId, { _id: new ObjectId(), role: "admin" });
let connection: ConnectionDoc;

type Asked = { params?: unknown[]; limit?: number; of?: ConnectionDoc };

async function send(
  query: string,
  format: ResultFormat,
  { params, limit, of = connection }: Asked = {},
): Promise<Response> {
  const request = {
    connection: of,
    origin: { kind: "adhoc" as const, id: null },
    statement: { query, ...(params && { params }) },
    ...(limit !== undefined && { limit }),
    signal: new AbortController().signal,
  };
  return executeQuery(caller, request, format);
}

async function ask(query: string, asked: Asked = {}): Promise<ExecuteAnswer> {
  return ((await (await send(query, "json", asked)).json()) as { data: ExecuteAnswer }).data;
}

const column = (rows: readonly Record<string, unknown>[], name: string) => rows.map((row) => row[name]);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

beforeAll(() => databaseReady());
afterAll(() => ownDatabase.drop());

describe("MariaDB", () => {
  let subject: Subject | null = null;
  beforeAll(async () => {
    subject = await startSubject("mariadb");
    if (!subject) return;
    connection = storedConnection(workspaceId, { type: "mysql", config: subject.config });
    for (const statement of PROCEDURES) await ask(statement);
  }, 120_000);
  afterAll(async () => {
    await closeDataSources();
    await subject?.stop();
  });

  test("C5 returns every row of a procedure", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call one_result()", { limit: 50_000 });
    expect(column(answer.rows, "n")).toEqual(upTo(2500));
    expect(answer).toMatchObject({ rowCount: 2500, truncated: false, moreResults: [] });
  });

  test("C5 returns a procedure's few rows", async (context) => {
    if (!subject) return context.skip();
    expect(await ask("call few_rows()")).toMatchObject({ rows: [{ n: 1 }, { n: 2 }, { n: 3 }], moreResults: [] });
    // The session is as good as new behind it.
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("C5 returns the second result with fields and rows of its own", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("/* both */ call two_results()", { limit: 50_000 });
    expect([answer.rowCount, answer.moreResults]).toEqual([
      2500,
      [
        {
          fields: [
            expect.objectContaining({ name: "name" }),
            expect.objectContaining({ name: "total", type: "int32" }),
          ],
          rows: [{ name: "b", total: 7 }],
          rowCount: 1,
          truncated: false,
          affectedRows: null,
        },
      ],
    ]);
  });

  test("C5 lists results behind one that the limit cut, and counts the limit over all of them", async (context) => {
    if (!subject) return context.skip();
    const cut = await ask("call two_results()", { limit: 10 });
    expect([cut.rowCount, cut.truncated]).toEqual([10, true]);
    expect(cut.moreResults).toMatchObject([{ rows: [], rowCount: 0, truncated: true, fields: [{}, {}] }]);
    const exact = await ask("call two_results()", { limit: 2501 });
    expect([exact.truncated, exact.moreResults[0]?.rows]).toEqual([false, [{ name: "b", total: 7 }]]);
  });

  test("C5 returns ten results in their order", async (context) => {
    if (!subject) return context.skip();
    const { rows, moreResults } = await ask("call ten_results()");
    expect([rows, ...moreResults.map((each) => each.rows)].map(([row]) => row?.turn)).toEqual([...Array(10).keys()]);
  });

  test("C5 keeps an empty first result, and the one behind it", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call no_rows()");
    expect(answer).toMatchObject({ rows: [], fields: [{ name: "n" }], moreResults: [{ rows: [{ total: 2500 }] }] });
  });

  test("C5 leaves out what a procedure changes between its results", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call changes()");
    expect([answer.rows, answer.moreResults.map(({ rows }) => rows)]).toEqual([
      [{ before_it: 1 }],
      [[{ after_it: 2 }]],
    ]);
  });

  test("C5 counts the changes of a procedure without results", async (context) => {
    if (!subject) return context.skip();
    expect(await ask("call only_changes()")).toMatchObject({ fields: [], rows: [], affectedRows: 2, moreResults: [] });
    expect(await ask("delete from many where n > 9100")).toMatchObject({ affectedRows: 2 });
  });

  test("C5 returns OUT parameters as a result", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call gives(?, ?)", { params: [0, 21] });
    const results = [answer, ...answer.moreResults].map(({ rows }) => rows);
    expect(results[0]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(
      results
        .flat()
        .map((row) => Object.values(row))
        .at(-1),
    ).toEqual([2500, 42]);
  });

  test("C5 fails by what a later part of the procedure fails by", async (context) => {
    if (!subject) return context.skip();
    for (const limit of [10, 50_000]) await expect(ask("call fails()", { limit })).rejects.toThrow("nowhere");
    await expect(send("call fails()", "ndjson")).rejects.toThrow("nowhere");
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("C5 names the number of results that a stream leaves out", async (context) => {
    if (!subject) return context.skip();
    for (const [query, rows, more] of [
      ["call two_results()", 2500, "1"],
      ["call ten_results()", 1, "9"],
      ["call one_result()", 2500, null],
      ["select n from many", 2500, null],
    ] as const) {
      const response = await send(query, "ndjson");
      const text = await response.text();
      expect([query, text.trim().split("\n").length, response.headers.get("X-More-Results")]).toEqual([
        query,
        rows,
        more,
      ]);
    }
    const csv = await send("call large()", "csv");
    expect([(await csv.text()).split("\r\n").length, csv.headers.get("X-More-Results")]).toEqual([2502, "1"]);
  });

  test("C5 gives callers inside of the product the first result, and runs the rest", async (context) => {
    if (!subject) return context.skip();
    const request = {
      connection,
      origin: { kind: "adhoc" as const, id: null },
      statement: { query: "call changes()" },
      signal: new AbortController().signal,
    };
    expect((await runQuery(caller, request)).rows).toEqual([{ before_it: 1 }]);
    expect((await ask("select count(*) as total from many")).rows).toEqual([{ total: 2500 }]);
    expect(dataSourcePool().counts().leases).toBe(0);
  });

  test("C5 frees the session of a reader that leaves in the middle of the first result", async (context) => {
    if (!subject) return context.skip();
    for (let turn = 0; turn < 12; turn += 1) {
      const response = await send("call large()", "ndjson");
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(dataSourcePool().counts().leases).toBe(0);
  });
});

describe("PostgreSQL", () => {
  let subject: Subject | null = null;
  let postgres: ConnectionDoc;
  beforeAll(async () => {
    subject = await startSubject("postgres");
    if (!subject) return;
    postgres = storedConnection(workspaceId, { type: "postgres", config: subject.config });
    const body = "language plpgsql as $$ begin total := 7; twice := twice * 2; end $$";
    await ask(`create procedure gives(out total int, inout twice int) ${body}`, { of: postgres });
  }, 120_000);
  afterAll(async () => {
    await closeDataSources();
    await subject?.stop();
  });

  test("C5 returns OUT parameters of a procedure as its row", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call gives(null, 21)", { of: postgres });
    expect(answer).toMatchObject({ rows: [{ total: 7, twice: 42 }], moreResults: [], affectedRows: null });
  });

  test("C5 refuses two statements in one text", async (context) => {
    if (!subject) return context.skip();
    await expect(ask("select 1; select 2", { of: postgres })).rejects.toThrow();
  });
});
