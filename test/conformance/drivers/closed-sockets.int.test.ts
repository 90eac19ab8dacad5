import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { SOCKET_ENDS, watchSockets } from "@/test/fixtures/net/ending-sockets";
import { startClickHouseStandIn } from "@/test/servers/clickhouse-stand-in";
import { startJsonService } from "@/test/servers/json-service";
import { startLyingProxy } from "@/test/servers/lying-proxy";
import { startRedshiftStandIn } from "@/test/servers/redshift-stand-in";
import { startTrinoStandIn } from "@/test/servers/trino-stand-in";
import type { DataSource, Driver, Load, QueryableSource } from "../../../lib/features/connections/data-source";
import { SERVER_QUERIES_DEFAULT, sessionsMaxFor } from "../../../lib/features/connections/drivers/shared/limits";
import { batchOf, begin, type FlowSource, field, read } from "./flow-steps";
import { ask, startSubject } from "./subjects";

const SESSIONS_MAX = sessionsMaxFor(SERVER_QUERIES_DEFAULT);

/*
 * A socket may close at any moment, and a server may fall silent. An operation whose socket closes succeeds on another
 * one or fails with a message; it never waits for the closed one. An operation of a silent server ends when its caller
 * leaves, and keeps no connection of the pool.
 */

/** A busy machine may take long, but not for ever. */
const SETTLED_MS = 60_000;
/** Longer than a socket's buffer, so that writes wait for the server. */
const LONG_TEXT = "x".repeat(200_000);
const COLUMNS = [field("id", "int32"), field("v", "string")];
const ANY = new AbortController().signal;

type Work = (signal: AbortSignal) => Promise<unknown>;
type Target = {
  /** @param port of a proxy; default: the server's */
  open(port?: number): Promise<DataSource>;
  /** Absent for engines in child processes. */
  port?: number;
  queries: readonly string[];
  /** A stand-in without tables cannot be written to. */
  canLoad?: false;
  /** Entity that a flow can read; null for none. */
  entity: string | null;
  stop(): Promise<void>;
};

process.env.ALLOW_PRIVATE_NETWORK = "all";
const dataDir = takeOwnDataDir();
const sockets = watchSockets();
afterAll(() => {
  sockets.restore();
  dataDir.remove();
});

const openerOf = (driver: Driver, configAt: (port: number | undefined) => Record<string, unknown>) => (port?: number) =>
  driver.open({
    workspaceId: "a".repeat(24),
    connectionId: "b".repeat(24),
    config: configAt(port),
    readOnly: false,
  });

async function startDatabase(name: string): Promise<Target | null> {
  const subject = await startSubject(name as "mongodb");
  if (!subject) return null;
  const { driver, config, server } = subject;
  const isMongo = name === "mongodb";
  const open = openerOf(driver, (port) => {
    if (port === undefined) return config;
    if (!isMongo) return { ...config, port };
    return { ...config, connectionString: String(config.connectionString).replace(/:\d+\//, `:${port}/`) };
  });
  const writer = await open();
  const load = await begin(writer, { table: { name: "kept" }, columns: COLUMNS, primaryKey: ["id"] });
  await load.write(batchOf([1, 2, 3].map((id) => [id, LONG_TEXT])), { position: null, rejectsMax: 0 });
  await load.finish();
  await writer.close();
  return {
    open,
    ...(server && { port: server.port }),
    queries: isMongo
      ? ["db.kept.find({}).sort({id: 1})", `db.kept.countDocuments({v: {$ne: '${LONG_TEXT}'}})`]
      : ["select * from kept order by id", `select count(*) from kept where v <> '${LONG_TEXT}'`],
    entity: "kept",
    stop: () => subject.stop(),
  };
}

async function startRedshift(): Promise<Target | null> {
  const { redshift } = await import("@/lib/features/connections/drivers/redshift");
  const server = await startRedshiftStandIn();
  if (!server) return null;
  await server.admin(
    "create table kept (id int primary key, v varchar(40)); insert into kept values (1, 'a'), (2, 'b')",
  );
  const { host, user, password, database } = server;
  const config = { host, user, password, database, ssl: "disable" };
  return {
    open: openerOf(redshift, (port = server.port) => ({ ...config, port })),
    port: server.port,
    queries: ["select * from kept order by id"],
    entity: "kept",
    stop: () => server.stop(),
  };
}

async function startClickHouse(): Promise<Target> {
  const { clickhouse } = await import("@/lib/features/connections/drivers/clickhouse");
  const server = await startClickHouseStandIn();
  const { user, password } = server;
  return {
    open: openerOf(clickhouse, (port = server.port) => ({ host: "127.0.0.1", port, user, password })),
    port: server.port,
    queries: ["select 1", "select repeat('x', 2000)"],
    canLoad: false,
    entity: null,
    stop: () => server.stop(),
  };
}

async function startTrino(): Promise<Target> {
  const { trino } = await import("@/lib/features/connections/drivers/trino");
  const server = await startTrinoStandIn();
  const config = { host: "127.0.0.1", catalog: "lake", schema: "shop", user: "reader" };
  return {
    // The server's own addresses of pages keep its port, so a silent proxy withholds only the first response.
    open: openerOf(trino, (port = server.port) => ({ ...config, port })),
    port: server.port,
    queries: ["select * from lied"],
    entity: "lied",
    stop: () => server.stop(),
  };
}

async function startRest(): Promise<Target> {
  const { rest } = await import("@/lib/features/connections/drivers/rest");
  const service = await startJsonService(() => ({ json: [{ id: 1 }, { id: 2 }] }));
  const resources = [{ name: "orders", path: "/orders" }];
  return {
    open: openerOf(rest, (port = service.port) => ({ baseUrl: `http://127.0.0.1:${port}/v1`, resources })),
    port: service.port,
    queries: [],
    entity: "orders",
    stop: () => service.stop(),
  };
}

async function startGraphQl(): Promise<Target> {
  const { graphql } = await import("@/lib/features/connections/drivers/graphql");
  const service = await startJsonService(() => ({ json: { data: { orders: [{ id: 1 }] } } }));
  const resources = [{ name: "orders", query: "{ orders { id } }", path: "orders" }];
  return {
    open: openerOf(graphql, (port = service.port) => ({ endpoint: `http://127.0.0.1:${port}/graphql`, resources })),
    port: service.port,
    queries: [],
    entity: "orders",
    stop: () => service.stop(),
  };
}

const STARTS: Readonly<Record<string, () => Promise<Target | null>>> = {
  mongodb: () => startDatabase("mongodb"),
  postgres: () => startDatabase("postgres"),
  mariadb: () => startDatabase("mariadb"),
  redshift: startRedshift,
  clickhouse: startClickHouse,
  trino: startTrino,
  rest: startRest,
  graphql: startGraphQl,
  duckdb: () => startDatabase("duckdb"),
  sqlite: () => startDatabase("sqlite"),
};

let loads = 0;
/** @param between called between two steps of the load */
async function write(source: DataSource, signal: AbortSignal, between: () => void): Promise<void> {
  loads += 1;
  const table = { name: `written_${loads}` };
  const load: Load = await begin(source, { table, columns: COLUMNS, primaryKey: ["id"], signal });
  for (const id of [1, 2]) {
    between();
    await load.write(batchOf([[id, LONG_TEXT]]), { position: id, rejectsMax: 0 });
  }
  between();
  await load.finish();
}

/** Returns the operations that a source has, by name. */
function operationsOf({ queries, entity, canLoad }: Target, source: DataSource, between: () => void): [string, Work][] {
  const { query, schemas, load } = source;
  const all: [string, Work | undefined | false | null][] = [
    ["connection test", (signal) => source.test(signal)],
    ["schema listing", (signal) => source.entities(signal)],
    ["schema choices", schemas && ((signal) => schemas.call(source, signal))],
    ...queries.map((text): [string, Work | undefined] => [
      `query ${text.slice(0, 40)}`,
      query && ((signal) => ask(source as QueryableSource, text, { signal })),
    ]),
    ["flow read", entity !== null && ((signal) => read(source as FlowSource, { entity: { name: entity }, signal }))],
    ["flow write", canLoad !== false && load && ((signal) => write(source, signal, between))],
  ];
  return all.filter((each): each is [string, Work] => typeof each[1] === "function");
}

/** Returns "ok" for a success or a readable failure, else the fault. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  const ended = work.then(
    () => "ok",
    (error: unknown) => {
      if (!(error instanceof AppError)) return `strange: ${error instanceof Error ? error.stack : error}`;
      const isReadable = ["source_unreachable", "timeout", "unavailable"].includes(error.kind);
      return isReadable ? "ok" : `${error.kind}: ${error.message}`;
    },
  );
  return Promise.race([ended, sleep(SETTLED_MS, "hangs", { ref: false })]);
}

/**
 * Tests the connection, which leaves an idle session. A pool may still have closed ones, each of which fails one test.
 */
async function leaveIdleSession(source: DataSource): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await source.test(ANY);
      return;
    } catch (error) {
      if (tries >= SESSIONS_MAX) throw error;
    }
  }
}

/** The end that every run of the tests covers for all drivers: no event of an error announces it. */
const COMMON_END = "closes without an error";

describe.each(Object.keys(STARTS))("the driver of %s", (name) => {
  let target: Target | null = null;
  beforeAll(async () => {
    target = (await STARTS[name]?.()) ?? null;
  });
  afterAll(() => target?.stop());

  for (const [how, end] of Object.entries(SOCKET_ENDS)) {
    const tags = name === "mongodb" || how === COMMON_END ? [] : ["long"];
    test(`ends every operation when its socket ${how} before a write`, { tags }, async (context) => {
      if (!target) return context.skip();
      const source = await target.open();
      const doom = () => sockets.doom(end);
      const faults: Record<string, string> = {};
      for (const [operation, work] of operationsOf(target, source, doom)) {
        let ended = 0;
        // A session that is being cleaned is not used again yet, so an operation may open another one.
        for (let tries = 0; tries < SESSIONS_MAX && ended === 0; tries += 1) {
          await leaveIdleSession(source);
          doom();
          const outcome = await outcomeOf(work(ANY));
          ended = sockets.spare();
          if (outcome !== "ok") faults[operation] = outcome;
        }
        if (ended === 0) faults[operation] ??= "no socket has ended";
      }
      expect(faults).toEqual({});
      await leaveIdleSession(source);
      await source.close();
    });
  }

  test("ends every operation on a silent connection when its caller leaves, and frees its session", {
    tags: name === "mongodb" ? [] : ["long"],
  }, async (context) => {
    if (target?.port === undefined) return context.skip();
    const proxy = await startLyingProxy({ port: target.port });
    const source = await target.open(proxy.port);
    const faults: Record<string, string> = {};
    for (const [operation, work] of operationsOf(target, source, () => {})) {
      // Writes more often than there are sessions, since the library gives them no signal.
      for (let turn = operation === "flow write" ? 0 : SESSIONS_MAX; turn <= SESSIONS_MAX; turn += 1) {
        await leaveIdleSession(source);
        const asked = proxy.silence();
        const leaving = new AbortController();
        const reason = new AppError("timeout", "The caller has left.");
        let isOver = false;
        const outcome = outcomeOf(work(leaving.signal)).finally(() => {
          isOver = true;
        });
        // An operation that opens a connection succeeds.
        await expect.poll(() => asked() > 0 || isOver).toBe(true);
        leaving.abort(reason);
        const told = await outcome;
        if (told !== "ok") faults[operation] = told;
      }
    }
    expect(faults).toEqual({});
    await source.close();
    await proxy.stop();
  });
});
