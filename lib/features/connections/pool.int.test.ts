import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { splitCases } from "@/test/cases";
import { batchOf, begin, field } from "@/test/conformance/drivers/flow-steps";
import { ask, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import { storedConnection } from "@/test/fixtures/query/stored-connection";
import { startClickHouseStandIn } from "@/test/servers/clickhouse-stand-in";
import { startTrinoStandIn } from "@/test/servers/trino-stand-in";
import type { ConnectionDoc } from "./model";
import { dataSourcePool, leaseDataSource, retireDataSource, withDataSource } from "./pool";
import { requireQueryable } from "./queryable";

const DAY_MS = 86_400_000;
const { openMax } = dataSourcePool().limits;
afterEach(() => {
  dataSourcePool().limits.openMax = openMax;
});
afterAll(() => closeServerMember("dataSources"), 10_000);

const WORKSPACE_ID = new ObjectId("a".repeat(24));
const recordOf = (type: string, config: Record<string, unknown>) => storedConnection(WORKSPACE_ID, { type, config });

const changed = (record: ConnectionDoc, by: Partial<ConnectionDoc>): ConnectionDoc => ({
  ...record,
  ...by,
  updatedAt: new Date(record.updatedAt.getTime() + 1),
});

/** An unused connection, to evict others. */
const other = () => recordOf("rest", { baseUrl: "https://example.com", resources: [], auth: { kind: "none" } });

/** Events that close the source of a connection, each for another reason; its users must not notice. */
const EVENTS: Record<string, (record: ConnectionDoc) => Promise<unknown>> = {
  "idle close": async () => dataSourcePool().sweep(Date.now() + DAY_MS),
  eviction: async () => {
    dataSourcePool().limits.openMax = 1;
    for (const each of [other(), other(), other()]) await withDataSource(each, async () => {});
  },
  "a new name": (record) => withDataSource(changed(record, { name: "renamed" }), async () => {}),
  "a new tag": (record) => withDataSource(changed(record, { tag: { name: "live", colour: "rose" } }), async () => {}),
  "a config that does not open": (record) =>
    withDataSource(changed(record, { config: { unknown: true } }), async () => {}).catch(() => {}),
  "a turn to read-only": (record) => withDataSource(changed(record, { readOnly: true }), async () => {}),
  deletion: async (record) => retireDataSource(record._id.toHexString()),
  "the end of the server": async () => void closeServerMember("dataSources"),
};

const LOADED: SubjectName[] = ["postgres", "mariadb", "sqlite", "duckdb", "mongodb"];

describe.each(LOADED)("%s", (name) => {
  let subject: Awaited<ReturnType<typeof startSubject>> = null;
  beforeAll(async () => {
    subject = await startSubject(name);
  }, 120_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
  }, 20_000);

  // Every run has each event on PostgreSQL, and some on the others.
  for (const { tags, cases } of splitCases(Object.entries(EVENTS), name === "postgres" ? 1 : 4))
    test.each(cases)("C4 a load and a stream outlive %s", { tags }, async (event, happen) => {
      const pool = dataSourcePool();
      if (!subject) return;
      const record = recordOf(subject.driver.type, subject.config);
      const table = `c4_${Object.keys(EVENTS).indexOf(event)}`;
      await withDataSource(record, async (opened) => {
        const source = requireQueryable(opened);
        const load = await begin(source, { table: { name: table }, columns: [field("id", "int64")] });
        const rows = (from: number) => batchOf(Array.from({ length: 500 }, (_, index) => [from + index]));
        await load.write(rows(0), { position: null, rejectsMax: 0 });
        await happen(record);
        await load.write(rows(500), { position: null, rejectsMax: 0 });
        await load.finish();
        if (!source.extract) throw new Error("Every database here is a flow's source.");
        const request = {
          cursorField: null,
          primaryKey: [],
          from: null,
          batchRows: 100,
          signal: new AbortController().signal,
        };
        const { batches } = await source.extract({ entity: { name: table }, ...request });
        let read = 0;
        for await (const { rowCount } of batches) {
          read += rowCount;
          await happen(record);
        }
        expect(read).toBe(1000);
        const statement = name === "mongodb" ? `db.${table}.countDocuments()` : `select count(*) as n from ${table}`;
        expect((await ask(source, statement, { readOnly: false })).rows.flat().map(Number)).toEqual([1000]);
      });
      expect(pool.counts().leases).toBe(0);
    });

  test("C4 a use after a change opens the changed connection, while the old one continues", async () => {
    if (!subject) return;
    const record = recordOf(subject.driver.type, subject.config);
    const before = leaseDataSource(record);
    const after = leaseDataSource(changed(record, { name: "renamed" }));
    expect(await after.source).not.toBe(await before.source);
    const statement = name === "mongodb" ? "db.nothing.countDocuments()" : "select 1";
    for (const { source } of [before, after]) await ask(requireQueryable(await source), statement);
    for (const { release } of [before, after]) release();
  });

  test("C4 leaves no lease after 1,000 uses that end, fail or are aborted", {
    tags: name === "postgres" || name === "duckdb" ? [] : ["long"],
  }, async () => {
    if (!subject) return;
    const record = recordOf(subject.driver.type, subject.config);
    const statement = name === "mongodb" ? "db.nothing.countDocuments()" : "select 1";
    const uses = Array.from({ length: 1000 }, (_, index) =>
      withDataSource(index % 100 === 99 ? changed(record, { name: `${index}` }) : record, async (source) => {
        if (index % 3 === 1) throw new Error("failed");
        const signal = index % 3 === 2 ? AbortSignal.abort(new Error("aborted")) : undefined;
        if (index % 5 === 0) await ask(requireQueryable(source), statement, signal && { signal });
      }),
    );
    await Promise.allSettled(uses);
    const pool = dataSourcePool();
    expect(pool.counts().leases).toBe(0);
    await closeServerMember("dataSources");
    expect(pool.counts()).toEqual({ open: 0, leases: 0 });
  });
});

describe("stand-ins", () => {
  const STARTS = {
    clickhouse: async () => {
      const server = await startClickHouseStandIn();
      const config = { host: "127.0.0.1", port: server.port, user: server.user, password: server.password };
      return { ...server, config, statement: "select 1", rows: 1 };
    },
    trino: async () => {
      const server = await startTrinoStandIn();
      const config = { host: "127.0.0.1", port: server.port, catalog: "lake", schema: "shop", user: "reader" };
      return { ...server, config, statement: "select * from lied", rows: 3 };
    },
  };
  const CASES = Object.keys(STARTS).flatMap((type) => Object.keys(EVENTS).map((event) => [type, event] as const));

  for (const { tags, cases } of splitCases(CASES, 2))
    test.each(cases)("C4 a holder of %s outlives %s", { tags }, async (type, event) => {
      const server = await STARTS[type as keyof typeof STARTS]();
      const record = recordOf(type, server.config);
      await withDataSource(record, async (source) => {
        for (let turn = 0; turn < 3; turn += 1) {
          expect((await ask(requireQueryable(source), server.statement)).rows).toHaveLength(server.rows);
          await EVENTS[event]?.(record);
        }
      });
      await closeServerMember("dataSources");
      await server.stop();
    });
});

test("C4 keeps more sources open than the limit while all are in use, and no more afterwards", async () => {
  const pool = dataSourcePool();
  pool.limits.openMax = 2;
  const leases = [other(), other(), other(), other()].map((record) => leaseDataSource(record));
  await Promise.all(leases.map(({ source }) => source));
  expect(pool.counts()).toEqual({ open: 4, leases: 4 });
  for (const { release } of leases) release();
  await closeServerMember("dataSources");
  expect(pool.counts()).toEqual({ open: 0, leases: 0 });
});

test("C4 retries a source that failed to open", async () => {
  const record = recordOf("duckdb", { file: "../outside.duckdb" });
  for (let turn = 0; turn < 2; turn += 1) await expect(withDataSource(record, async () => {})).rejects.toThrow();
  expect(dataSourcePool().counts()).toEqual({ open: 0, leases: 0 });
});
