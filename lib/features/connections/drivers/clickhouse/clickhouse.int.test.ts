import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ALLOWED, NOT_ALLOWED, WRITES } from "@/test/conformance/drivers/corpus/clickhouse";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { startClickHouseStandIn } from "@/test/servers/clickhouse-stand-in";
import type { QueryableSource } from "../../data-source";
import { clickhouse } from ".";

const MIB = 1024 * 1024;
const ANY = new AbortController().signal;
let server: Awaited<ReturnType<typeof startClickHouseStandIn>>;
let source: QueryableSource;

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

test("signs in with headers, never the URL, and sends its format, database and limits", async () => {
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

test(`T50 tests at least a hundred and fifty statements: ${NOT_ALLOWED.length + WRITES.length}`, () => {
  expect(new Set([...NOT_ALLOWED, ...WRITES]).size).toBeGreaterThanOrEqual(150);
});

test.each(NOT_ALLOWED)("T50 %s is rejected before it is sent", async (statement) => {
  const before = server.requests.length;
  await expect(ask(source, statement)).rejects.toMatchObject({ kind: "not_allowed" });
  expect(server.requests).toHaveLength(before);
});

test.each(WRITES)("T50 %s is rejected as a write", async (statement) => {
  await expect(ask(source, statement)).rejects.toMatchObject({ kind: "read_only" });
});

test.each(ALLOWED)("%s is sent", async (statement) => {
  await ask(source, statement);
  expect(lastQuery()?.sql).toBe(statement);
});

test("T50 rejects a user-defined function by what the server reports about it", async () => {
  for (const call of ["newInThisVersion(1)", "runsAProgram(1)", "arrayMap(runsAProgram, [1])", "RUNSAPROGRAM(1)"]) {
    await expect(ask(source, `select ${call}`), call).rejects.toMatchObject({ kind: "not_allowed" });
  }
  for (const call of ["mine(1)", "unknownToTheServer(1)"]) await ask(source, `select ${call}`);
});

test("T50 checks an identifier parameter like one in the text", async () => {
  const statement = "select arrayMap({f:Identifier}, ['/etc/hostname'])";
  await expect(ask(source, statement, { params: { f: "file" } })).rejects.toMatchObject({ kind: "not_allowed" });
  await ask(source, statement, { params: { f: "upper" } });
});

test.each(["select 1; drop table a", "select 1;; drop table a;", "select ';'; system shutdown"])(
  "T50 rejects %s as two statements, sending neither",
  async (statement) => {
    const before = server.requests.length;
    await expect(ask(source, statement)).rejects.toMatchObject({ kind: "query_failed" });
    expect(server.requests).toHaveLength(before);
  },
);

test("T51 returns text verbatim from a parameter", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 100 }), async (value) => {
      expect((await ask(source, "select {v:String} as v", { params: { v: value } })).rows).toEqual([[value]]);
    }),
    { numRuns: 100, examples: [["'; drop table a; --"], ["\\N"], ["\t\n\r\\"], ["{v:String}"]] },
  );
});

test("reports the position of a syntax error in characters, although the server counts bytes", async () => {
  await expect(ask(source, "select 'ü',\n* frm a")).rejects.toMatchObject({
    kind: "query_failed",
    details: { code: 62, line: 2, column: 3, position: 15 },
  });
});

test("reports a failure in the middle of the rows as a failure, not a row", async () => {
  await expect(ask(source, "select throwIf(number > 3000) from numbers(100000)")).rejects.toMatchObject({
    kind: "query_failed",
    message: expect.stringContaining("throwIf"),
  });
});

test("T47 reports a wrong password without repeating it", async () => {
  const { port, user } = server;
  const other = await openWith(clickhouse, { host: "127.0.0.1", port, user, password: "marker-wrong" });
  const error = await other.test(ANY).catch((each: unknown) => each);
  await other.close();
  expect(error).toMatchObject({
    kind: "source_unreachable",
    message: expect.stringContaining("Authentication failed"),
  });
  expect(JSON.stringify(error instanceof AppError && [error.message, error.details])).not.toContain("marker-wrong");
});

test("T52 T53 an abort kills the query on the server by its ID and passes the reason on", async () => {
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

test("T54 reads an endless result only as far as its reader does, and kills it when the reader leaves", async () => {
  const before = process.memoryUsage().rss;
  const { rows } = await ask(source, "select number from numbers(1e12)", { rowsMax: 5000 });
  expect(rows.slice(0, 3)).toEqual([[0], [1], [2]]);
  const id = lastQuery()?.settings.get("query_id");
  await expect.poll(() => server.requests.at(-1)?.settings.get("param_id")).toBe(id);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
});

test("T54 ends the result before a row with a large cell", async () => {
  const cell = (bytes: number) => `select 1, repeat('x', ${bytes})`;
  const whole = await ask(source, cell(16 * MIB), { cellBytesMax: 16 * MIB });
  expect([whole.isCut, String(whole.rows[0]?.[1]).length]).toEqual([false, 16 * MIB]);
  expect(await ask(source, cell(16 * MIB + 1), { cellBytesMax: 16 * MIB })).toMatchObject({ isCut: true, rows: [] });
  expect(await ask(source, cell(100 * MIB), { cellBytesMax: 16 * MIB })).toMatchObject({ isCut: true, rows: [] });
});

test("returns its version", async () => {
  expect(await source.test(ANY)).toMatchObject({ serverVersion: "ClickHouse 26.9.2.1" });
});

/** Starts a server that closes each connection when its second request arrives, like one that was idle for too long. */
async function startImpatient() {
  let resets = 0;
  const proxy = createServer((client) => {
    let requests = 0;
    const upstream = connect(server.port, "127.0.0.1");
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.on("data", (chunk: Buffer) => {
      if (chunk.subarray(0, 5).toString() === "POST ") requests += 1;
      if (requests <= 1) upstream.write(chunk);
      else {
        resets += 1;
        client.resetAndDestroy();
      }
    });
    upstream.pipe(client);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { user, password } = server;
  const { port } = proxy.address() as AddressInfo;
  const through = await openWith(clickhouse, { host: "127.0.0.1", port, user, password, database: "shop" }, false);
  return {
    through,
    resets: () => resets,
    stop: async () => {
      await through.close();
      proxy.close();
    },
  };
}

test("T51 resends a read when the server has closed its idle connection", async () => {
  const { through, resets, stop } = await startImpatient();
  try {
    for (let round = 0; round < 5; round += 1) {
      const value = `round ${round}`;
      expect((await ask(through, "select {v:String} as v", { params: { v: value } })).rows).toEqual([[value]]);
    }
    // Several idle connections at once, each of them stale.
    await Promise.all(Array.from({ length: 4 }, () => ask(through, "select 1")));
    await Promise.all(Array.from({ length: 4 }, () => ask(through, "select 1")));
    expect(resets()).toBeGreaterThan(4);
  } finally {
    await stop();
  }
});

test("T51 sends a write once, on a separate connection", async () => {
  const { through, resets, stop } = await startImpatient();
  const writes = () => server.requests.filter(({ sql }) => sql.startsWith("insert into t")).length;
  try {
    await ask(through, "select 1");
    const [before, resetsBefore] = [writes(), resets()];
    for (let round = 0; round < 3; round += 1) await ask(through, "insert into t values (1)", { readOnly: false });
    expect([writes() - before, resets() - resetsBefore]).toEqual([3, 0]);
  } finally {
    await stop();
  }
});
