import { setTimeout as sleep } from "node:timers/promises";
import mysql from "mysql2/promise";
import pg from "pg";
import { type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { Server, Servers } from "./servers";

export const PASSWORD = "seven herons by the mill";
const REQUEST_TIMEOUT_MS = 150_000;
/** Time before and after a kill in which errors are allowed, in ms: taking over the store is slow on a busy machine. */
const GRACE_MS = { engine: 5000, database: 5000, store: 20_000 };
const RECEIVER_FAILS = 0.04;

// biome-ignore lint/suspicious/noExplicitAny: answers are read key by key
type Json = any;
export type Reply = { status: number; text: string; json: Json; headers: Headers };
export type Random = () => number;

/** A request whose server was killed: its effect is unknown. */
export class Cut extends Error {}

export type Database = "postgres" | "mysql" | "duckdb" | "sqlite";
export const DATABASES: readonly Database[] = ["postgres", "mysql", "duckdb", "sqlite"];

type Ask = {
  cookie?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
  rawBody?: string;
  signal?: AbortSignal;
  server?: Server;
};

/**
 * Rows that a statement wrote under a token. `rows` is the expected number, or two possible numbers if it is unknown.
 */
export type Written = { database: Database; token: string; rows: number[] };
export type SavedConsole = {
  id: string;
  name: string;
  version: number;
  /** Its content, or contents it may have after a save with an unknown result. */
  contents: string[];
  /** Messages of the confirmed saves. */
  messages: string[];
  isDeleted: boolean;
  isBusy: boolean;
};
export type Flow = {
  id: string;
  name: string;
  from: { database: Database; table: string } | null;
  to: { database: Database; table: string };
  kind: "replace" | "incremental" | "upsert" | "query" | "append";
  isBusy: boolean;
};
export type Hook = {
  flowId: string;
  url: string;
  secret: string;
  to: { database: Database; table: string };
  sent: Map<string, "accepted" | "unknown">;
};
export type Dashboard = { id: string; version: number; snapshotId: string | null; isBusy: boolean };

/** The state of all operations, and the conditions at the end. */
export class World {
  readonly faults = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  readonly operations = new Map<string, { done: number; cut: number }>();
  readonly written: Written[] = [];
  readonly consoles: SavedConsole[] = [];
  readonly flows: Flow[] = [];
  readonly hooks: Hook[] = [];
  readonly dashboards: Dashboard[] = [];
  /** Commits of confirmed pushes. */
  readonly pushed: string[] = [];
  readonly ends: { what: string; ms: number }[] = [];
  /** Times at which an engine or a database connection was ended on purpose. */
  readonly disturbances: { at: number; what: "engine" | "database" | "store" }[] = [];
  readonly sourceRows: Record<string, number> = {};
  scheduledConsoleId = "";
  scheduledAt = 0;
  cookie = "";
  key = "";
  home = "";
  slug = "";
  workspaceId = "";
  email = "soak@example.com";
  connections = {} as Record<Database | "sample", string>;
  postgres!: TestServer;
  mariadb!: TestServer;
  pg!: pg.Pool;
  mysql!: mysql.Pool;
  receiver!: Receiver;
  readonly #locks = new Map<string, Promise<unknown>>();

  constructor(
    readonly servers: Servers,
    readonly random: Random,
  ) {}

  /** Records a failed check. */
  fault(text: string): void {
    const count = (this.faults.get(text) ?? 0) + 1;
    this.faults.set(text, count);
    if (count === 1) process.stdout.write(`${new Date().toISOString()} FAULT ${text}\n`);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.random() * (high - low + 1));
  }

  /** Waits for earlier callers with the same name. */
  async locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#locks.set(
      name,
      mine.catch(() => {}),
    );
    return mine;
  }

  anyServer(): Server {
    const up = this.servers.all.filter(({ isUp }) => isUp);
    return this.pick(up.length > 0 ? up : this.servers.all);
  }

  otherServer(than: Server): Server {
    return this.servers.all.find((server) => server !== than && server.isUp) ?? than;
  }

  /** Whether an engine, a connection or the store was ended on purpose in this period. */
  wasDisturbed(from: number, to: number, only?: "store"): boolean {
    return this.disturbances.some(
      ({ at, what }) =>
        (only === undefined || what === only) && at >= from - GRACE_MS[what] && at <= to + GRACE_MS[what],
    );
  }

  /**
   * Sends one request to a server and reads its response.
   * @throws Cut if the server was killed during the request
   */
  async ask(method: string, path: string, options: Ask = {}): Promise<Reply> {
    const { response, server, from } = await this.open(method, path, options);
    try {
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
      const reply = {
        status: response.status,
        text,
        json: isJson ? JSON.parse(text) : undefined,
        headers: response.headers,
      };
      this.#judge(method, path, reply, from);
      if (reply.status >= 500 && this.wasDisturbed(from, Date.now(), "store")) throw new Cut(routeOf(path));
      return reply;
    } catch (error) {
      throw this.explain(error, server, from, `${method} ${routeOf(path)}`, options.signal);
    }
  }

  /** Does the same and leaves the body unread. */
  async open(method: string, path: string, options: Ask = {}) {
    const server = options.server ?? this.anyServer();
    const from = Date.now();
    const headers: Record<string, string> = { ...options.headers };
    if (options.cookie) headers.cookie = options.cookie;
    if (options.key) headers.authorization = `Bearer ${options.key}`;
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    if (body !== undefined && !headers["content-type"]) headers["content-type"] = "application/json";
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    try {
      const response = await fetch(server.url + path, {
        method,
        headers,
        body: body ?? null,
        signal,
        redirect: "manual",
      });
      return { response, server, from };
    } catch (error) {
      throw this.explain(error, server, from, `${method} ${routeOf(path)}`, options.signal);
    }
  }

  /** Explains why a request failed: its server was killed, or it is a fault. */
  explain(error: unknown, server: Server, from: number, what: string, signal?: AbortSignal): unknown {
    if (error instanceof Cut || signal?.aborted) return error;
    if (this.servers.wasAway(server, from, Date.now())) return new Cut(what);
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? "";
    // A starved machine: nothing was sent.
    if (cause === "UND_ERR_CONNECT_TIMEOUT") return new Cut(what);
    this.fault(
      `${what} of server ${server.index} broke off: ${(error as Error).name} ${(error as Error).message} ${cause}`.trim(),
    );
    return error;
  }

  #judge(method: string, path: string, reply: Reply, from: number): void {
    const code = reply.json?.code ?? "";
    const label = `${reply.status}${code ? ` ${code}` : ""}`;
    this.statuses.set(label, (this.statuses.get(label) ?? 0) + 1);
    if (reply.status < 500 || code === "timeout") return;
    if (code !== "internal" && reply.status !== 500 && this.wasDisturbed(from, Date.now())) return;
    this.fault(`${method} ${routeOf(path)} answered ${label}: ${reply.text.slice(0, 300)}`);
  }

  /** Sends to the workspace as its owner. @throws Error for an unexpected status */
  async send(
    method: string,
    path: string,
    body?: unknown,
    expected: number[] = [200, 201, 202],
    more: Ask = {},
  ): Promise<Reply> {
    const reply = await this.ask(method, this.home + path, { cookie: this.cookie, body, ...more });
    if (!expected.includes(reply.status) && reply.status < 500) {
      this.fault(
        `${method} ${routeOf(path)} answered ${reply.status} ${reply.json?.code ?? ""}: ${reply.text.slice(0, 300)}`,
      );
    }
    return reply;
  }

  /** Sends until a server has responded. For requests that may be repeated. */
  async insist(method: string, path: string, body?: unknown, expected?: number[]): Promise<Reply> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.send(method, path, body, expected);
      } catch (error) {
        if (!(error instanceof Cut) || attempt >= 10) throw error;
        await sleep(500);
      }
    }
  }

  execute(
    database: Database | "sample",
    query: string,
    more: Record<string, unknown> = {},
    expected?: number[],
    ask?: Ask,
  ) {
    return this.send("POST", `/databases/${this.connections[database]}/execute`, { query, ...more }, expected, ask);
  }

  /** Returns all rows of a query on a database, through its own client if it has one. */
  async rowsOf(database: Database, query: string): Promise<Record<string, unknown>[]> {
    if (database === "postgres") return (await this.pg.query(query)).rows;
    if (database === "mysql") return (await this.mysql.query(query))[0] as Record<string, unknown>[];
    for (let attempt = 0; ; attempt += 1) {
      try {
        const path = `${this.home}/databases/${this.connections[database]}/execute`;
        const headers = { accept: "application/x-ndjson" };
        const reply = await this.ask("POST", path, { cookie: this.cookie, headers, body: { query } });
        if (reply.status === 200)
          return reply.text
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line));
        if (reply.status === 400 || attempt >= 5) throw new Error(`${query} answered ${reply.status}: ${reply.text}`);
      } catch (error) {
        if (!(error instanceof Cut) || attempt >= 10) throw error;
      }
      await sleep(1000);
    }
  }

  async close(): Promise<void> {
    await this.pg?.end();
    await this.mysql?.end();
    await this.receiver?.close();
    await this.postgres?.stop();
    await this.mariadb?.stop();
  }
}

/** Returns a path without its ids, as the name of a fault. */
function routeOf(path: string): string {
  return path
    .replace(/\?.*/, "")
    .replace(/[0-9a-f]{24}/g, "{id}")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{uuid}")
    .replace(/(webhooks|share|snapshots)\/[\w-]{16,}/g, "$1/{token}");
}

const ITEMS = 2000;
/** Columns that are the same in every database. */
const COLUMNS: Record<Database, string> = {
  postgres: "id bigint primary key, kind text not null, cents bigint not null, note text, seq bigint not null",
  mysql:
    "id bigint primary key, kind varchar(20) not null, cents bigint not null, note varchar(400), seq bigint not null",
  duckdb: "id bigint primary key, kind varchar not null, cents bigint not null, note varchar, seq bigint not null",
  sqlite: "id integer primary key, kind text not null, cents integer not null, note text, seq integer not null",
};

/** Returns rows for a table, as values of an INSERT. */
export function valuesOf(from: number, to: number, seq: number): string {
  const rows: string[] = [];
  for (let id = from; id <= to; id += 1) {
    const note = id % 7 === 0 ? "null" : `'note ${id} ä 漢 ${"x".repeat(id % 40)}'`;
    rows.push(`(${id}, '${"abc"[id % 3]}', ${(id * 7919) % 1_000_000}, ${note}, ${seq + id - from})`);
  }
  return rows.join(", ");
}

/** Starts the databases and the receiver, registers, connects, and creates flows, schedules, rules and dashboards. */
export async function buildWorld(world: World): Promise<void> {
  const [postgres, mariadb] = await Promise.all([startPostgres(), startMariaDb()]);
  if (!postgres || !mariadb) throw new Error("The soak test needs PostgreSQL and MariaDB.");
  world.postgres = postgres;
  world.mariadb = mariadb;
  const { host, user, password, database } = postgres;
  world.pg = new pg.Pool({ host, port: postgres.port, user, password, database, max: 8 });
  world.pg.on("error", () => {});
  world.mysql = mysql.createPool({
    ...{ host, port: mariadb.port, user: mariadb.user, password: mariadb.password, database: mariadb.database },
    connectionLimit: 8,
    supportBigNumbers: true,
  });
  world.receiver = await startReceiver((_, response, hits) => {
    const isRefused = (hits * 7919) % 1000 < RECEIVER_FAILS * 1000;
    setTimeout(() => void response.writeHead(isRefused ? 500 : 200).end("ok"), hits % 50);
  });
  await register(world);
  await connect(world, postgres, mariadb);
  for (const name of DATABASES) {
    await run(world, name, `create table ledger (token varchar(60) not null, n integer not null)`);
    for (const table of ["items", "events", "small"]) {
      await run(world, name, `create table ${table} (${COLUMNS[name]})`);
      const rows = table === "small" ? 300 : ITEMS;
      await run(world, name, `insert into ${table} (id, kind, cents, note, seq) values ${valuesOf(1, rows, 1)}`);
      world.sourceRows[`${name}.${table}`] = rows;
    }
  }
  await createFlows(world);
  await createHooks(world);
  await createSchedule(world);
  await createDashboards(world);
}

function run(world: World, database: Database, statement: string) {
  if (database === "postgres") return world.pg.query(statement);
  if (database === "mysql") return world.mysql.query(statement);
  return world.execute(database, statement);
}

async function register(world: World): Promise<void> {
  const body = { email: world.email, password: PASSWORD, name: "Soak" };
  const reply = await world.ask("POST", "/api/auth/register", { body });
  if (reply.status !== 201) throw new Error(reply.text);
  world.cookie = cookieOf(reply);
  world.workspaceId = reply.json.data.workspace.id;
  world.slug = reply.json.data.workspace.slug;
  world.home = `/api/workspaces/${world.workspaceId}`;
  world.key = (await world.send("POST", "/api-keys", { name: "soak" })).json.data.key;
}

export function cookieOf(reply: Reply): string {
  return (
    reply.headers
      .getSetCookie()
      .find((line) => line.startsWith("auth_session="))
      ?.split(";")[0] ?? ""
  );
}

async function connect(world: World, postgres: TestServer, mariadb: TestServer): Promise<void> {
  const pgConfig = {
    host: postgres.host,
    port: postgres.port,
    database: postgres.database,
    user: postgres.user,
    password: postgres.password,
    ssl: "disable",
  };
  const myConfig = {
    host: mariadb.host,
    port: mariadb.port,
    database: mariadb.database,
    user: mariadb.user,
    password: mariadb.password,
    ssl: "disable",
  };
  const create = async (type: string, config: object) =>
    (await world.send("POST", "/connectors", { name: `soak ${type}`, type, config, readOnly: false })).json.data
      .id as string;
  const listed = (await world.send("GET", "/connectors")).json.data as { id: string }[];
  world.connections = {
    sample: listed[0]?.id ?? "",
    postgres: await create("postgres", pgConfig),
    mysql: await create("mysql", myConfig),
    duckdb: await create("duckdb", { file: "soak.duckdb" }),
    sqlite: await create("sqlite", { file: "soak.sqlite" }),
  };
}

async function createFlows(world: World): Promise<void> {
  const entity = (name: string, cursorField: string) => ({ name, cursorField, primaryKey: ["id"] });
  type Plan = [Flow["kind"], Database, string, Database];
  const plans: Plan[] = [
    ["replace", "postgres", "items", "mysql"],
    ["replace", "mysql", "items", "sqlite"],
    ["incremental", "postgres", "events", "duckdb"],
    ["incremental", "mysql", "events", "postgres"],
    ["incremental", "duckdb", "events", "mysql"],
    ["incremental", "sqlite", "events", "postgres"],
    ["upsert", "mysql", "items", "postgres"],
    ["upsert", "duckdb", "items", "sqlite"],
    ["upsert", "postgres", "items", "mysql"],
    ["query", "postgres", "items", "duckdb"],
    ["append", "postgres", "small", "mysql"],
    ["append", "sqlite", "small", "duckdb"],
    ["append", "mysql", "small", "postgres"],
  ];
  for (const [index, [kind, from, table, to]] of plans.entries()) {
    const name = `${kind}_${from}_${to}_${index}`;
    const destination = {
      connectionId: world.connections[to],
      table: name,
      write: { replace: "replace", incremental: "append", upsert: "upsert", query: "upsert", append: "append" }[kind],
    };
    const source =
      kind === "query"
        ? {
            connectionId: world.connections[from],
            query: `select * from ${table} where kind = 'a'`,
            primaryKey: ["id"],
          }
        : { connectionId: world.connections[from], entities: [entity(table, kind === "incremental" ? "id" : "seq")] };
    const mode = kind === "incremental" || kind === "upsert" ? "incremental" : "full";
    const schedule = index % 4 === 0 ? { schedule: { cron: "* * * * *", timezone: "UTC" } } : {};
    const body = {
      name,
      type: kind === "query" ? "query" : "sync",
      source,
      mode,
      destination,
      trigger: false,
      ...schedule,
    };
    const { flow } = (await world.send("POST", "/flows", body)).json.data;
    world.flows.push({
      id: flow.id,
      name,
      from: { database: from, table },
      to: { database: to, table: name },
      kind,
      isBusy: false,
    });
    await addRule(world, "flow", flow.id);
  }
}

async function createHooks(world: World): Promise<void> {
  for (const [index, database] of (["postgres", "duckdb", "mysql"] as const).entries()) {
    const table = `hook_${database}`;
    const destination = { connectionId: world.connections[database], table, write: index === 1 ? "upsert" : "append" };
    const { flow } = (await world.send("POST", "/flows", { name: table, type: "webhook", destination })).json.data;
    const { url, secret } = (await world.send("POST", `/flows/${flow.id}/webhook/provision`, {})).json.data;
    world.hooks.push({ flowId: flow.id, url: new URL(url).pathname, secret, to: { database, table }, sent: new Map() });
  }
}

async function createSchedule(world: World): Promise<void> {
  const body = {
    name: "every minute",
    content: "select count(*) from items",
    connectionId: world.connections.postgres,
    access: "workspace",
  };
  const { id } = (await world.send("POST", "/consoles", body)).json.data;
  await addRule(world, "scheduled_query", id);
  await world.send("PUT", `/consoles/${id}/schedule`, { cron: "* * * * *", timezone: "UTC" });
  world.scheduledConsoleId = id;
  world.scheduledAt = Date.now();
}

async function addRule(world: World, resourceType: string, resourceId: string): Promise<void> {
  const triggers = ["success", "failure"];
  await world.send("POST", "/notification-rules", {
    resourceType,
    resourceId,
    triggers,
    channelType: "webhook",
    url: `${world.receiver.url}/in`,
  });
}

async function createDashboards(world: World): Promise<void> {
  for (const [index, database] of (["postgres", "duckdb", "mysql"] as const).entries()) {
    const query = "select id, kind, cents from items";
    const datasets = [
      { id: "items", name: "Items", source: { connectionId: world.connections[database], query }, maxAgeS: 20 },
    ];
    const source = { datasetId: "items" };
    const widgets = [
      { id: "rows", kind: "kpi", source, spec: { measures: [{ op: "count", as: "rows" }] } },
      {
        id: "kinds",
        kind: "chart",
        source,
        spec: { dimensions: ["kind"], measures: [{ field: "cents", op: "sum", as: "cents" }] },
      },
    ];
    const filters = [{ id: "kind", kind: "multiSelect", field: "kind" }];
    const { id, version } = (
      await world.send("POST", "/dashboards", {
        title: `Soak ${database}`,
        access: "workspace",
        datasets,
        widgets,
        filters,
      })
    ).json.data;
    let snapshotId: string | null = null;
    if (index < 2) {
      const snapshot = {
        cron: "0 0 1 1 *",
        timezone: "UTC",
        channelType: "webhook",
        url: `${world.receiver.url}/snapshot`,
      };
      snapshotId = (await world.send("POST", `/dashboards/${id}/snapshots`, snapshot)).json.data.id;
    }
    world.dashboards.push({ id, version, snapshotId, isBusy: false });
  }
}
