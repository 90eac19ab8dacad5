import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { dataSourcePool } from "@/lib/features/connections/pool";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { storedConnection } from "@/test/fixtures/query/stored-connection";
import type { ExecuteAnswer, ResultFormat } from "./schema";
import { executeQuery, runQuery } from "./service";

/* Results that MariaDB's and PostgreSQL's own clients show for these calls. */

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
  "create table calls (id int auto_increment primary key, name varchar(20))",
  // The first result is over 16 MiB, more than is held until the number of results is known.
  "create procedure huge() begin select seq, repeat('x', 10000) as cell from seq_1_to_1800; select 2 as two; insert into calls (name) values ('huge'); end",
  "create procedure huge_and_fails() begin select seq, repeat('x', 10000) as cell from seq_1_to_1800; select 2 as two; select * from nowhere; end",
  "create procedure many_results(count int) begin declare i int default 0; while i < count do select i as turn; set i = i + 1; end while; insert into calls (name) values ('many'); end",
  "create procedure large_cell() begin select 1 as n, 'a' as cell union all select 2, repeat('x', 17 * 1024 * 1024) union all select 3, 'c'; select 2 as two; insert into calls (name) values ('cell'); end",
  "create procedure large_row() begin select repeat('a', 15000000) a, repeat('b', 15000000) b, repeat('c', 15000000) c, repeat('d', 15000000) d, repeat('e', 15000000) e; insert into calls (name) values ('row'); end",
  "create procedure large() begin select repeat('x', 1000) as cell from many; select n from many order by n; end",
];

const ownDatabase = takeOwnDatabase();
const workspaceId = new ObjectId();
const caller = callerIn(workspaceId, { _id: new ObjectId(), role: "admin" });
let connection: ConnectionDoc;

type Asked = { params?: unknown[]; limit?: number; result?: number; of?: ConnectionDoc };

const requestOf = (query: string) => ({
  connection,
  origin: { kind: "adhoc" as const, id: null },
  statement: { query },
  signal: new AbortController().signal,
});

async function send(
  query: string,
  format: ResultFormat,
  { params, limit, result, of = connection }: Asked = {},
): Promise<Response> {
  const request = {
    connection: of,
    origin: { kind: "adhoc" as const, id: null },
    statement: { query, ...(params && { params }) },
    ...(limit !== undefined && { limit }),
    ...(result !== undefined && { result }),
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
    await closeServerMember("dataSources");
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
    // The session is clean after it.
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("C5 returns the second result with its fields and rows", async (context) => {
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

  test("C5 lists results after a truncated one, and applies the limit to all", async (context) => {
    if (!subject) return context.skip();
    const cut = await ask("call two_results()", { limit: 10 });
    expect([cut.rowCount, cut.truncated]).toEqual([10, true]);
    expect(cut.moreResults).toMatchObject([{ rows: [], rowCount: 0, truncated: true, fields: [{}, {}] }]);
    const exact = await ask("call two_results()", { limit: 2501 });
    expect([exact.truncated, exact.moreResults[0]?.rows]).toEqual([false, [{ name: "b", total: 7 }]]);
  });

  test("C5 returns ten results in order", async (context) => {
    if (!subject) return context.skip();
    const { rows, moreResults } = await ask("call ten_results()");
    expect([rows, ...moreResults.map((each) => each.rows)].map(([row]) => row?.turn)).toEqual([...Array(10).keys()]);
  });

  test("C5 keeps an empty first result, and the next one", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call no_rows()");
    expect(answer).toMatchObject({ rows: [], fields: [{ name: "n" }], moreResults: [{ rows: [{ total: 2500 }] }] });
  });

  test("C5 omits a procedure's changes between its results", async (context) => {
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

  test("C5 fails with the error of a later part of the procedure", async (context) => {
    if (!subject) return context.skip();
    for (const limit of [10, 50_000]) await expect(ask("call fails()", { limit })).rejects.toThrow("nowhere");
    await expect(send("call fails()", "ndjson")).rejects.toThrow("nowhere");
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("C5 reports the number of results that a stream omits", async (context) => {
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

  test.each([
    ["call ten_results()", 0, ['{"turn":0}'], "9"],
    ["call ten_results()", 1, ['{"turn":1}'], "8"],
    ["call ten_results()", 9, ['{"turn":9}'], null],
    ["call two_results()", 1, ['{"name":"b","total":7}'], null],
    ["call no_rows()", 0, [], "1"],
    ["call no_rows()", 1, ['{"total":2500}'], null],
    ["call many_results(150)", 149, ['{"turn":149}'], null],
    ["call huge()", 1, ['{"two":2}'], null],
    ["call changes()", 1, ['{"after_it":2}'], null],
    ["select 5 as five", 0, ['{"five":5}'], null],
  ] as const)("C5 streams one result of %s: %i", async (query, result, lines, more) => {
    if (!subject) return;
    const response = await send(query, "ndjson", { result });
    const text = await response.text();
    expect([text.split("\n").filter((line) => line !== ""), response.headers.get("X-More-Results")]).toEqual([
      lines,
      more,
    ]);
  });

  test("C5 streams every row of a later result, in every format", async (context) => {
    if (!subject) return context.skip();
    const lines = (await (await send("call large()", "csv", { result: 1 })).text()).trim().split("\r\n");
    expect(lines).toEqual(["n", ...upTo(2500).map(String)]);
    for (const format of ["arrow", "parquet", "xlsx"] as const) {
      expect((await (await send("call large()", format, { result: 1 })).arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
    const cut = await send("call large()", "ndjson", { result: 1, limit: 3 });
    expect((await cut.text()).trim().split("\n")).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });

  test("C5 lists results from the requested one", async (context) => {
    if (!subject) return context.skip();
    const { rows, moreResults, resultsOmitted } = await ask("call many_results(150)", { result: 100 });
    expect([rows, ...moreResults.map((each) => each.rows)].map(([row]) => row?.turn)).toEqual(
      Array.from({ length: 50 }, (_, index) => 100 + index),
    );
    expect(resultsOmitted).toBeUndefined();
  });

  test.each([
    ["call two_results()", 2, "The statement returns 2 results, numbered from 0. Result 2 does not exist."],
    ["call one_result()", 1, "The statement returns 1 result, numbered from 0. Result 1 does not exist."],
    ["call ten_results()", 1000, "The statement returns 10 results, numbered from 0. Result 1000 does not exist."],
    ["select 1", 1, "The statement returns 1 result, numbered from 0. Result 1 does not exist."],
    ["call fails()", 5, "nowhere"],
  ] as const)("C5 rejects a result that %s does not return: %i", async (query, result, message) => {
    if (!subject) return;
    for (const format of ["json", "csv"] as const) {
      await expect(send(query, format, { result })).rejects.toThrow(message);
    }
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(dataSourcePool().counts().leases).toBe(0);
  });

  test.each([
    ["call two_results()", {}, { rowCount: 1000, truncated: true, moreResults: 1 }],
    ["call two_results()", { limit: 2500 }, { rowCount: 2500, truncated: false, moreResults: 1 }],
    ["call ten_results()", {}, { rowCount: 1, truncated: false, moreResults: 9 }],
    ["call many_results(150)", {}, { rowCount: 1, truncated: false, moreResults: 149 }],
    ["call few_rows()", {}, { rowCount: 3, truncated: false, moreResults: 0 }],
    ["call ten_results()", { result: 1 }, null],
  ] as const)("C5 sends a watcher the first result only: %s %j", async (query, asked, expected) => {
    if (!subject) return;
    const ends: unknown[] = [];
    const watch = () => ({ take: () => {}, end: (outcome: unknown) => ends.push(outcome) });
    await executeQuery(caller, { ...requestOf(query), ...asked, watch }, "json");
    expect(ends).toEqual(expected ? [expect.objectContaining(expected)] : []);
  });

  const callsOf = async (name: string) => {
    const { rows } = await ask("select count(*) as total from calls where name = ?", { params: [name] });
    return rows[0]?.total;
  };

  // A connection has six sessions: one that leaks at each call shows within eight calls.
  test.each([
    ["ndjson", undefined],
    ["ndjson", 10],
    ["ndjson", 1],
    ["csv", undefined],
    ["csv", 10],
    ["arrow", undefined],
    ["arrow", 10],
    ["parquet", undefined],
    ["parquet", 10],
    ["xlsx", undefined],
    ["xlsx", 10],
  ] as const)("C5 runs the rest of a procedure after a large first result: %s, limit %s", async (format, limit) => {
    if (!subject) return;
    const before = Number(await callsOf("huge"));
    const response = await send("call huge()", format, limit === undefined ? {} : { limit });
    const bytes = await response.arrayBuffer();
    expect(bytes.byteLength).toBeGreaterThan(0);
    expect(response.headers.get("X-More-Results")).toBe("unknown");
    expect(await callsOf("huge")).toBe(before + 1);
    expect(dataSourcePool().counts().leases).toBe(0);
  });

  test("C5 breaks the stream of a large first result with a later part's error", async (context) => {
    if (!subject) return context.skip();
    for (const [format, limit] of [["ndjson"], ["csv"], ["arrow"], ["ndjson", 10]] as const) {
      const response = await send("call huge_and_fails()", format, limit === undefined ? {} : { limit });
      await expect(response.text()).rejects.toThrow("nowhere");
    }
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test.each([
    [1, 0, 0],
    [99, 98, 0],
    [100, 99, 0],
    [101, 99, 1],
    [150, 99, 50],
    [3000, 99, 2900],
  ])("C5 lists at most 100 of %i results and counts the others", async (count, listed, omitted) => {
    if (!subject) return;
    const before = Number(await callsOf("many"));
    const answer = await ask("call many_results(?)", { params: [count] });
    expect([answer.moreResults.length, answer.resultsOmitted ?? 0]).toEqual([listed, omitted]);
    expect([answer, ...answer.moreResults].map(({ rows }) => rows[0]?.turn)).toEqual([...Array(listed + 1).keys()]);
    expect(await callsOf("many")).toBe(before + 1);
  });

  test("C5 counts the fields of results in the size of a response", { tags: ["long"] }, async (context) => {
    if (!subject) return context.skip();
    const names = Array.from({ length: 4000 }, (_, index) => `1 as \`${"\u20ac".repeat(58)}${10_000 + index}\``).join(
      ", ",
    );
    await ask(
      `create procedure wide() begin declare i int default 0; while i < 90 do select ${names}; set i = i + 1; end while; end`,
    );
    const response = await send("call wide()", "json");
    expect(Number(response.headers.get("Content-Length"))).toBeLessThan(65 * 1024 * 1024);
    const { data } = (await response.json()) as { data: ExecuteAnswer };
    expect(1 + data.moreResults.length + (data.resultsOmitted ?? 0)).toBe(90);
    expect(data.resultsOmitted).toBeGreaterThan(10);
  });

  test("C44 keeps a write that returns more than a million rows", { tags: ["long"] }, async (context) => {
    if (!subject) return context.skip();
    await ask("create table written (id int primary key)");
    const answer = await ask("insert into written select seq from seq_1_to_1100000 returning id");
    expect(answer).toMatchObject({ rowCount: 1000, truncated: true, affectedRows: 1_100_000 });
    expect((await ask("select count(*) as total from written")).rows).toEqual([{ total: 1_100_000 }]);
  });

  test("C44 runs a procedure's writes after an oversized cell", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call large_cell()");
    expect(answer).toMatchObject({ rows: [{ n: 1 }], truncated: true, moreResults: [{ rows: [{ two: 2 }] }] });
    expect(await callsOf("cell")).toBe(1);
    await expect(runQuery(caller, requestOf("call large_cell()"))).resolves.toMatchObject({ truncated: true });
    expect(await callsOf("cell")).toBe(2);
  });

  test("C44 keeps a write that returns an oversized cell", async (context) => {
    if (!subject) return context.skip();
    await ask("create table cells (id int primary key, cell longtext)");
    const values = "(1, 'a'), (2, repeat('x', 17 * 1024 * 1024)), (3, 'c')";
    const answer = await ask(`insert into cells values ${values} returning id, cell`);
    expect(answer).toMatchObject({ rows: [{ id: 1 }], truncated: true, affectedRows: 3 });
    expect((await ask("select count(*) as total from cells")).rows).toEqual([{ total: 3 }]);
  });

  test("C44 fails a statement at a row above the limit", async (context) => {
    if (!subject) return context.skip();
    await expect(ask("call large_row()")).rejects.toThrow("larger than 64 MiB");
    expect((await ask("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("C5 gives internal callers the first result, and runs the rest", async (context) => {
    if (!subject) return context.skip();
    expect((await runQuery(caller, requestOf("call changes()"))).rows).toEqual([{ before_it: 1 }]);
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
    await closeServerMember("dataSources");
    await subject?.stop();
  });

  test("C5 returns OUT parameters of a procedure as its row", async (context) => {
    if (!subject) return context.skip();
    const answer = await ask("call gives(null, 21)", { of: postgres });
    expect(answer).toMatchObject({ rows: [{ total: 7, twice: 42 }], moreResults: [], affectedRows: null });
  });

  test("C5 rejects two statements in one text", async (context) => {
    if (!subject) return context.skip();
    await expect(ask("select 1; select 2", { of: postgres })).rejects.toThrow();
  });
});
