import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "@/lib/http/errors";
import { startClickHouseStandIn } from "@/test/servers/clickhouse-stand-in";
import type { DataSource } from "../../data-source";
import { ask, openWith } from "../conformance/subjects";
import { clickhouse } from ".";

const MIB = 1024 * 1024;
const ANY = new AbortController().signal;
let server: Awaited<ReturnType<typeof startClickHouseStandIn>>;
let source: DataSource;

beforeAll(async () => {
  server = await startClickHouseStandIn();
  const { port, user, password } = server;
  source = await openWith(clickhouse, { host: "127.0.0.1", port, user, password, database: "shop" });
});
afterAll(async () => {
  await source.close();
  await server.stop();
});

const lastQuery = () => server.requests.filter(({ sql }) => !sql.startsWith("KILL")).at(-1);

test("signs in by headers, never by the address, and names its format, database and limits", async () => {
  await ask(source, "select 1", { timeoutMs: 1500 });
  const { settings, user, password } = lastQuery() ?? {};
  expect([user, password]).toEqual([server.user, server.password]);
  expect([settings?.has("user"), settings?.has("password")]).toEqual([false, false]);
  expect(settings?.get("database")).toBe("shop");
  expect(settings?.get("default_format")).toBe("JSONCompactEachRowWithNamesAndTypes");
  expect(settings?.get("max_execution_time")).toBe("2");
});

test("T50 a read-only statement runs with readonly=1, a writing one without", async () => {
  await ask(source, "select 1");
  expect(lastQuery()?.settings.get("readonly")).toBe("1");
  expect(await ask(source, "insert into t values (1)", { readOnly: false })).toEqual({
    fields: [],
    rows: [],
    isCut: false,
  });
  expect(lastQuery()?.settings.has("readonly")).toBe(false);
  await expect(ask(source, "insert into t values (1)")).rejects.toMatchObject({ kind: "read_only" });
});

/** What readonly=1 would let through, or what would change how the answer travels. */
const NOT_ALLOWED = [
  ...[
    ...["file('/etc/hostname')", "url('http://a', CSV)", "`remote`('a', b.c)", "\"remote\"('a', b.c)"],
    ...["remoteSecure('a', b.c)", "s3('a')", "s3Cluster('a', 'b')", "gcs('a')", "oss('a')", "cosn('a')", "hdfs('a')"],
    ...["hdfsCluster('a', 'b')", "azureBlobStorage('a')", "azureBlobStorageCluster('a', 'b')", "urlCluster('a', 'b')"],
    ...["fileCluster('a', 'b')", "cluster('a', b.c)", "clusterAllReplicas('a', b.c)", "hive('a', 'b', 'c', 'd', 'e')"],
    ...[
      "mysql('a', 'b', 'c', 'd', 'e')",
      "postgresql('a', 'b', 'c', 'd', 'e')",
      "mongodb('a', 'b', 'c', 'd', 'e', 'f')",
    ],
    ...["redis('a', 'b', 'c')", "sqlite('/a', 'b')", "odbc('a', 'b', 'c')", "jdbc('a', 'b', 'c')", "input('a Int8')"],
    ...[
      "executable('a', TSV, 'b Int8')",
      "iceberg('a')",
      "icebergS3('a')",
      "deltaLake('a')",
      "hudi('a')",
      "ytsaurus('a')",
    ],
    ...["paimon('a')", "arrowFlight('a', 'b')", "icebergCluster('a', 'b')", "deltaLakeCluster('a', 'b')"],
    ...["FILE('/etc/hostname')", "file /* a */ ('/etc/hostname')", "file\n('/etc/hostname')"],
  ].map((source) => `select * from ${source}`),
  "select file('/etc/hostname')",
  "select catboostEvaluate('/a', 1)",
  "select filesystemAvailable()",
  "select filesystemCapacity()",
  "with a as (select * from file('/etc/hostname')) select * from a",
  "select (select count() from url('http://a', CSV))",
  "select 1 where 1 in (select * from remote('a', b.c))",
  "select 1 union all select * from s3('a')",
  "explain select * from file('/etc/hostname')",
  "describe table url('http://a', CSV)",
  "(select * from file('/etc/hostname'))",
  "/* harmless */ select * from file('/etc/hostname')",
  "-- harmless\nselect * from file('/etc/hostname')",
  "system shutdown",
  "system reload config",
  "system drop dns cache",
  "system flush logs",
  "kill query where 1",
  "kill mutation where 1",
  "set readonly = 0",
  "set role admin",
  "set default role admin to evil",
  "use system",
  "begin transaction",
  "commit",
  "rollback",
  "backup table a to disk('b')",
  "restore table a from disk('b')",
  "select 1 into outfile 'x'",
  "select 1 into outfile 'x' truncate",
  "select 1 format Native",
  "select 1 format Null settings max_threads = 1",
  "attach table a",
  "attach database a",
  "detach table a",
  "detach permanently table a",
  "check table a",
  "move user a to b",
  "watch a",
  "execute as admin select 1",
  "parallel with select 1",
];
const WRITES = [
  "insert into t values (1)",
  "insert into t select 1",
  "insert into function file('/tmp/evil') select 1",
  "INSERT INTO t FORMAT JSONEachRow {}",
  "create table a (b Int8)",
  "create table a engine = Memory as select 1",
  "create database a",
  "create view a as select 1",
  "create function a as (x) -> x",
  "create user evil",
  "create dictionary a (b Int8) primary key b",
  "drop table a",
  "drop database a",
  "alter table a delete where 1",
  "alter table a update b = 1 where 1",
  "alter user default settings readonly = 0",
  "optimize table a",
  "truncate a",
  "rename table a to b",
  "exchange tables a and b",
  "undrop table a",
  "delete from a where 1",
  "update a set b = 1 where 1",
  "grant all on *.* to evil",
  "revoke all on *.* from evil",
];

test(`T50 the ${NOT_ALLOWED.length + WRITES.length} statements that are tried are at least eighty`, () => {
  expect(new Set([...NOT_ALLOWED, ...WRITES]).size).toBeGreaterThanOrEqual(80);
});

test.each(NOT_ALLOWED)("T50 %s is refused before it is sent", async (statement) => {
  const before = server.requests.length;
  await expect(ask(source, statement)).rejects.toMatchObject({ kind: "not_allowed" });
  expect(server.requests).toHaveLength(before);
});

test.each(WRITES)("T50 %s is refused as a write", async (statement) => {
  await expect(ask(source, statement)).rejects.toMatchObject({ kind: "read_only" });
});

test.each(["select 1; drop table a", "select 1;; drop table a;", "select ';'; system shutdown"])(
  "T50 %s is two statements, and neither is sent",
  async (statement) => {
    const before = server.requests.length;
    await expect(ask(source, statement)).rejects.toMatchObject({ kind: "query_failed" });
    expect(server.requests).toHaveLength(before);
  },
);

test("T51 a text comes back verbatim from a parameter", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 100 }), async (value) => {
      expect((await ask(source, "select {v:String} as v", { params: { v: value } })).rows).toEqual([[value]]);
    }),
    { numRuns: 100, examples: [["'; drop table a; --"], ["\\N"], ["\t\n\r\\"], ["{v:String}"]] },
  );
});

test("a mistake is told with its place, in characters although the server counts bytes", async () => {
  await expect(ask(source, "select 'ü',\n* frm a")).rejects.toMatchObject({
    kind: "query_failed",
    details: { code: 62, line: 2, column: 3, position: 15 },
  });
});

test("a failure in the middle of the rows is a failure, not a row", async () => {
  await expect(ask(source, "select throwIf(number > 3000) from numbers(100000)")).rejects.toMatchObject({
    kind: "query_failed",
    message: expect.stringContaining("throwIf"),
  });
});

test("T47 a wrong password is told, and not what it was", async () => {
  const { port, user } = server;
  const other = await openWith(clickhouse, { host: "127.0.0.1", port, user, password: "marker-wrong" });
  const error = await other.test(ANY).catch((each: unknown) => each);
  await other.close();
  expect(error).toMatchObject({ kind: "source_unreachable", message: expect.stringContaining("refused the sign-in") });
  expect(JSON.stringify(error instanceof AppError && [error.message, error.details])).not.toContain("marker-wrong");
});

test("T52 T53 an abort kills the query on the server by its id and gives the reason", async () => {
  const stop = new AbortController();
  const reason = new Error("nobody waits any more");
  const answer = ask(source, "select sleep(3) from numbers_mt(1)".replace("numbers_mt(1)", "t"), {
    signal: stop.signal,
  });
  await sleep(200);
  const id = lastQuery()?.settings.get("query_id");
  stop.abort(reason);
  await expect(answer).rejects.toBe(reason);
  const kill = server.requests.at(-1);
  expect([kill?.sql, kill?.settings.get("param_id")]).toEqual(["KILL QUERY WHERE query_id = {id:String} ASYNC", id]);
});

test("T54 an endless result is read only as far as somebody reads, and its leaving kills it", async () => {
  const before = process.memoryUsage().rss;
  const { rows } = await ask(source, "select number from numbers(1e12)", { rowsMax: 5000 });
  expect(rows.slice(0, 3)).toEqual([[0], [1], [2]]);
  const id = lastQuery()?.settings.get("query_id");
  await expect.poll(() => server.requests.at(-1)?.settings.get("param_id")).toBe(id);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
});

test("T54 a large cell ends the result before its row", async () => {
  const cell = (bytes: number) => `select 1, repeat('x', ${bytes})`;
  const whole = await ask(source, cell(16 * MIB), { cellBytesMax: 16 * MIB });
  expect([whole.isCut, String(whole.rows[0]?.[1]).length]).toEqual([false, 16 * MIB]);
  expect(await ask(source, cell(16 * MIB + 1), { cellBytesMax: 16 * MIB })).toMatchObject({ isCut: true, rows: [] });
  expect(await ask(source, cell(100 * MIB), { cellBytesMax: 16 * MIB })).toMatchObject({ isCut: true, rows: [] });
});

test("tells its version", async () => {
  expect(await source.test(ANY)).toEqual({ serverVersion: "ClickHouse 26.9.2.1" });
});
