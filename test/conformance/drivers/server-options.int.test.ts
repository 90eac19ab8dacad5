import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clickhouse } from "@/lib/features/connections/drivers/clickhouse";
import { mongodb } from "@/lib/features/connections/drivers/mongodb";
import { mysql } from "@/lib/features/connections/drivers/mysql";
import { postgres } from "@/lib/features/connections/drivers/postgres";
import { trino } from "@/lib/features/connections/drivers/trino";
import { startChDb } from "@/test/servers/chdb";
import { startDocumentStore } from "@/test/servers/document-store";
import { freePort } from "@/test/servers/free-port";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres } from "@/test/servers/postgres";
import type {
  Driver,
  ExtractStream,
  QueryableSource,
  TestProgress,
} from "../../../lib/features/connections/data-source";
import { ask, change, openWith } from "./subjects";

/* The statement timeout of a connection and the schemas that it shows, on each database that supports them. */

const ANY = new AbortController().signal;
const LIMIT_MS = 1000;
const SOME_KEY = `SHA256:${"A".repeat(43)}`;
/** Covers the limit, the guard behind it, and a busy machine. */
const _SOON_MS = 20_000;
const TOLD = {
  kind: "timeout",
  message: expect.stringContaining("timed out after 1 s"),
  details: { reason: "connection_limit", limitMs: LIMIT_MS },
};

const ENDLESS_JOIN =
  "select count(*) as a from billing.many a, billing.many b, billing.many c, billing.many d where a.x + b.x + c.x + d.x < 0";

/** Returns the reported progress of a test. */
async function progressOf(test: (onProgress: (progress: TestProgress) => void) => Promise<unknown>) {
  let progress: TestProgress | null = null;
  await test((told) => {
    expect(progress).toBeNull();
    progress = told;
  });
  if (progress === null) throw new Error("It has told nothing of its steps");
  return progress as TestProgress;
}

type Dialect = {
  driver: Driver;
  config: Record<string, unknown>;
  /** Creates `books` in two schemas, and objects that take long. */
  setUp: (string | Record<string, unknown>)[];
  endless: string;
  /** A table that takes long to read; null where there is none. */
  slow: { name: string; schema?: string } | null;
  one: string;
  /** The names to show, and the expected entities. */
  shown: { names: string[]; entities: string[]; all: string[] };
  stop(): Promise<void>;
};

const SQL = {
  slow: { name: "slow", schema: "billing" },
  one: "select 1",
  shown: { names: ["billing"], entities: ["billing.books", "billing.slow"], all: ["billing.books", "books"] },
};

const START: Record<string, () => Promise<Dialect | null>> = {
  postgres: async () => {
    const server = await startPostgres();
    if (!server) return null;
    const { host, port, user, password, database, stop } = server;
    return {
      ...SQL,
      driver: postgres,
      config: { host, port, user, password, database },
      setUp: [
        "create schema billing",
        "create table billing.books (id int)",
        "create table books (id int)",
        "create view billing.slow as select pg_sleep(600)::text as a",
      ],
      endless: "select pg_sleep(600)",
      stop,
    };
  },
  mariadb: async () => {
    const server = await startMariaDb();
    if (!server) return null;
    const { host, port, user, password, database, stop } = server;
    return {
      ...SQL,
      driver: mysql,
      config: { host, port, user, password, database },
      setUp: [
        "create database billing",
        "create table billing.books (id int)",
        "create table books (id int)",
        // Sleeping and counting functions return when they are stopped, as if that were their result; a join does not.
        "create table billing.many (x int)",
        `insert into billing.many values ${Array(1000).fill("(1)").join(", ")}`,
        `create sql security invoker view billing.slow as ${ENDLESS_JOIN}`,
      ],
      endless: ENDLESS_JOIN,
      shown: { ...SQL.shown, entities: ["billing.books", "billing.many", "billing.slow"] },
      stop,
    };
  },
  mongodb: async () => {
    const { uri, stop } = await startDocumentStore();
    return {
      driver: mongodb,
      config: { connectionString: uri, database: "shop" },
      setUp: ["db.books.insertOne({a: 1})", "db.invoices.insertOne({a: 1})"],
      endless: "",
      slow: null,
      one: "db.books.countDocuments({})",
      shown: { names: ["invoices", "gone"], entities: ["invoices"], all: ["books", "invoices"] },
      stop,
    };
  },
  clickhouse: async () => {
    const server = await startChDb();
    if (!server) return null;
    return {
      ...SQL,
      driver: clickhouse,
      config: { host: "127.0.0.1", port: server.port, user: "default", password: "" },
      setUp: [
        "create database billing",
        "create table billing.books (id Int32) engine = MergeTree order by id",
        "create table books (id Int32) engine = MergeTree order by id",
        "create view billing.slow as select count() as a from numbers(100000000000000)",
      ],
      // The stand-in for its server runs one statement at a time.
      endless: "",
      slow: null,
      stop: server.stop,
    };
  },
};

describe.each(Object.keys(START))("%s", (name) => {
  let dialect: Dialect | null = null;
  const sources: QueryableSource[] = [];
  beforeAll(async () => {
    dialect = (await START[name]?.()) ?? null;
    if (!dialect) {
      process.stderr.write(`\nNOT TESTED: ${name} is not installed, so its limits were not checked.\n\n`);
      return;
    }
    const writer = await openWith(dialect.driver, dialect.config, false);
    await change(writer, ...dialect.setUp);
    await writer.close();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(sources.map((source) => source.close()));
    await dialect?.stop();
  });
  const open = async (more: object) => {
    const { driver, config } = dialect as Dialect;
    const source = await openWith(driver, { ...config, ...more }, false);
    sources.push(source);
    return source;
  };

  test("T52 stops a statement at the connection's limit, and names that limit", async ({ skip }) => {
    if (!dialect?.endless) return skip();
    const source = await open({ statementTimeoutMs: LIMIT_MS });
    const { endless, one } = dialect;
    for (const readOnly of [true, false]) {
      await expect(ask(source, endless, { readOnly, timeoutMs: 600_000 })).rejects.toMatchObject(TOLD);
    }
    expect((await ask(source, one)).rows).toHaveLength(1);
  });

  test("applies a caller's smaller limit first, without naming the connection's", async ({ skip }) => {
    if (!dialect?.endless) return skip();
    const source = await open({ statementTimeoutMs: 600_000 });
    const failure = await ask(source, dialect.endless, { timeoutMs: 500 }).catch((error) => error);
    expect(failure).toMatchObject({ kind: "timeout", details: { reason: "time_limit" } });
  });

  test("applies the limit to reads of flows", async ({ skip }) => {
    if (!dialect?.slow) return skip();
    const source = await open({ statementTimeoutMs: LIMIT_MS });
    const request = {
      entity: dialect.slow,
      cursorField: null,
      primaryKey: [],
      from: null,
      batchRows: 100,
      signal: ANY,
    };
    await expect(drain(source.extract?.(request))).rejects.toMatchObject(TOLD);
  });

  test("does not affect a statement within the limit", async ({ skip }) => {
    if (!dialect) return skip();
    const source = await open({ statementTimeoutMs: 600_000 });
    expect((await ask(source, dialect.one)).rows).toHaveLength(1);
    expect((await source.test(ANY)).serverVersion).toMatch(/\d/);
  });

  test("shows the named schemas only, with any characters in their names", async ({ skip }) => {
    if (!dialect) return skip();
    const { names, entities, all } = dialect.shown;
    const shownOf = async (schemas?: string[]) => {
      const found = await (await open({ ...(schemas && { schemas }) })).entities(ANY);
      return found.map(({ schema, name: table }) => (schema ? `${schema}.${table}` : table)).sort();
    };
    expect(await shownOf()).toEqual(expect.arrayContaining(all));
    expect(await shownOf([])).toEqual(await shownOf());
    expect(await shownOf(names)).toEqual(entities);
    for (const sly of [
      "x') or ('1'='1",
      "x' OR 1=1 --",
      'x"; drop table books; --',
      "\\",
      "{shown:Array(String)}",
      "%",
    ]) {
      expect(await shownOf([sly])).toEqual([]);
    }
    expect(await shownOf(names)).toEqual(entities);
  });

  test("lists selectable schemas with table counts, whatever is shown, and has test steps", async ({ skip }) => {
    if (!dialect) return skip();
    const source = await open({ schemas: ["gone"] });
    const { steps } = await progressOf((told) => source.test(ANY, told));
    expect(steps.map((step) => step.name)).toEqual(name === "mongodb" ? ["connect"] : ["reach", "sign_in"]);
    for (const { ms } of steps) expect(ms).toBeGreaterThan(0);
    const choices = await source.schemas?.(ANY);
    if (name === "mongodb") return expect(choices).toEqual(dialect.shown.all.map((each) => ({ name: each })));
    const { length } = dialect.shown.entities;
    expect(choices?.find((choice) => choice.name === "billing")).toEqual({ name: "billing", tables: length });
    expect(choices?.map((choice) => choice.name)).not.toContain("information_schema");
  });

  test("reports the reached step of a failed test", async ({ skip }) => {
    if (!dialect) return skip();
    const { config, driver } = dialect;
    const failing = async (changed: Record<string, unknown>) => {
      const source = await openWith(driver, { ...config, ...changed });
      return progressOf((told) => source.test(ANY, told).catch(() => undefined)).finally(() => source.close());
    };
    const ssh = { host: "127.0.0.1", port: await freePort(), user: "u", password: "p", hostKeySha256: SOME_KEY };
    expect(await failing({ ssh })).toEqual({ steps: [], failedStep: "tunnel" });
    if (name === "mongodb") {
      const connectionString = `mongodb://127.0.0.1:${await freePort()}/shop`;
      return expect(await failing({ connectionString })).toEqual({ steps: [], failedStep: "connect" });
    }
    expect(await failing({ port: await freePort() })).toEqual({ steps: [], failedStep: "reach" });
    const { steps, failedStep } = await failing({ ssl: "require" });
    expect(steps.map((step) => step.name)).toEqual(["reach"]);
    expect(failedStep).toBe("tls");
    if (name !== "postgres" && name !== "mariadb") return;
    const signingIn = await failing({ password: "another-password" });
    expect(signingIn.steps.map((step) => step.name)).toEqual(["reach"]);
    expect(signingIn.failedStep).toBe("sign_in");
  });

  test("lists a schema without privileges as closed", async ({ skip }) => {
    if (!dialect || name !== "postgres") return skip();
    const admin = await open({});
    await change(
      admin,
      "create schema audit",
      "create table audit.log (id int)",
      "create role clerk login password 'a-password'",
    );
    const clerk = await open({ user: "clerk", password: "a-password" });
    expect(await clerk.schemas?.(ANY)).toEqual([
      { name: "audit", tables: null },
      { name: "billing", tables: null },
      { name: "public", tables: 0 },
    ]);
  });

  test("limits the view only: hidden schemas can be queried", async ({ skip }) => {
    if (!dialect) return skip();
    const source = await open({ schemas: ["billing"] });
    const query = name === "mongodb" ? "db.books.countDocuments({})" : "select count(*) from books";
    expect((await ask(source, query)).rows).toHaveLength(1);
  });
});

test("T52 applies the limit to each statement of a flow's load", { tags: ["long"] }, async ({ skip }) => {
  const server = await startPostgres();
  if (!server) return skip();
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const source = await openWith(postgres, { ...config, statementTimeoutMs: LIMIT_MS }, false);
  try {
    await change(
      source,
      "create table kept (id int primary key)",
      "create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$",
      "create trigger slow before insert on kept for each row execute function wait()",
    );
    const load = await source.load?.({
      ...{ table: { name: "kept" }, columns: [{ name: "id", type: "int32", dbType: "integer" }], mode: "append" },
      ...{ primaryKey: ["id"], load: "a", run: "b", visible: "batch", signal: ANY },
    });
    const batch = { rowCount: 1, columns: [[1]] };
    await expect(load?.write(batch, { position: null, rejectsMax: 0 })).rejects.toMatchObject(TOLD);
  } finally {
    await source.close();
    await server.stop();
  }
});

describe("HTTP servers", () => {
  type Seen = { url: string; body: string; headers: IncomingMessage["headers"] };
  const startHttp = async (behave: (seen: Seen, response: ServerResponse) => void) => {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => behave({ url: request.url ?? "", body, headers: request.headers }, response));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const stop = async () => {
      server.closeAllConnections();
      server.close();
    };
    return { port: (server.address() as AddressInfo).port, stop };
  };

  test("sends ClickHouse the limit with the statement, and does not wait for a server that ignores it", async () => {
    const seen: Seen[] = [];
    const { port, stop } = await startHttp((each, response) => {
      seen.push(each);
      // Function queries of the driver are answered, the statement is not.
      if (!each.body.startsWith("select 7"))
        response.writeHead(500, { "x-clickhouse-exception-code": "1" }).end("Code: 1.");
    });
    const source = await openWith(clickhouse, { host: "127.0.0.1", port, statementTimeoutMs: LIMIT_MS }, false);
    try {
      await expect(ask(source, "select 7", { readOnly: false, timeoutMs: 600_000 })).rejects.toMatchObject(TOLD);
      const asked = seen.find(({ body }) => body.startsWith("select 7"));
      expect(new URLSearchParams(asked?.url.slice(2)).get("max_execution_time")).toBe("1");
    } finally {
      await source.close();
      await stop();
    }
  });

  test("sends Trino the limit as a session setting, and the schemas in its query", async () => {
    const seen: Seen[] = [];
    const { port, stop } = await startHttp((each, response) => {
      seen.push(each);
      const page = each.body.startsWith("select")
        ? { error: { message: "Query exceeded", errorName: "EXCEEDED_TIME_LIMIT" } }
        : { columns: [], data: [] };
      const headers = each.body.startsWith("START") ? { "X-Trino-Started-Transaction-Id": "t" } : {};
      response.writeHead(200, headers).end(JSON.stringify({ id: "q", stats: {}, ...page }));
    });
    const config = { host: "127.0.0.1", port, user: "reader", catalog: "lake" };
    const source = await openWith(trino, { ...config, statementTimeoutMs: LIMIT_MS, schemas: ["Shop", "o'neil"] });
    try {
      await expect(ask(source, "select 1", { timeoutMs: 600_000 })).rejects.toMatchObject(TOLD);
      const asked = seen.find(({ body }) => body.startsWith("select"));
      expect(asked?.headers["x-trino-session"]).toBe("query_max_run_time=1s");
      await source.entities(ANY);
      const looks = seen.filter(({ body }) => body.includes("information_schema."));
      expect(looks).toHaveLength(2);
      for (const { body } of looks) expect(body).toContain("table_schema IN ('shop', 'o''neil')");
    } finally {
      await source.close();
      await stop();
    }
  });
});

async function drain(stream: Promise<ExtractStream> | undefined): Promise<number> {
  let rows = 0;
  if (stream) for await (const batch of (await stream).batches) rows += batch.rowCount;
  return rows;
}
