import { randomUUID } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { splitCases } from "@/test/cases";
import { registerAt, type Server, Servers } from "@/test/faults/two-servers";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { digestDatabase } from "@/test/security/dump";
import { ask } from "@/test/security/real-servers";

/*
 * The protocol's own client over the network to a real server: every tool with a full key and with a read key, and its
 * real effects.
 */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const RUN_TIMEOUT_MS = 60_000;
const MIB = 1024 * 1024;
/** Collections that a server writes without any request, and those that record a read itself. */
const WRITTEN_BY_LOOKING = ["api_keys", "executions", "rate_limits", "job_workers", "events", "eventHeads"];

let servers: Servers;
let server: Server;
let ana: Awaited<ReturnType<typeof registerAt>>;
let fullKey: string;
let full: Client;
let read: Client;
let notesId: string;
let copiesId: string;

beforeAll(async () => {
  servers = new Servers();
  server = await servers.start();
  ana = await registerAt(server);
  const keyOf = async (body: object) => (await ana.send(server, "POST", "/api-keys", body)).key as string;
  fullKey = await keyOf({ name: "full" });
  full = await connect(fullKey);
  read = await connect(await keyOf({ name: "read", access: "read" }));
  const file = async (name: string, type: string) =>
    (await ana.send(server, "POST", "/connectors", { name, type, config: { file: `${name}.db` }, readOnly: false })).id;
  notesId = await file("notes", "sqlite");
  copiesId = await file("copies", "duckdb");
  await execute(notesId, "create table notes (n int primary key, text text)");
  await execute(notesId, "insert into notes values (1, 'one'), (2, 'two'), (3, 'three')");
}, START_TIMEOUT_MS);
afterAll(async () => {
  await Promise.all([full?.close(), read?.close()]);
  await servers?.close();
});

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/api/mcp`), { requestInit }));
  return client;
}

type ToolAnswer = {
  isError?: boolean;
  content: { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own
  structuredContent?: any;
};
const use = (client: Client, name: string, input: object, options?: { signal: AbortSignal }) =>
  client.callTool(
    { name, arguments: input as Record<string, unknown> },
    undefined,
    options,
  ) as unknown as Promise<ToolAnswer>;
/** Returns the result of a successful call; the client validates it against the tool's own schema. */
async function get(client: Client, name: string, input: object) {
  const answer = await use(client, name, input);
  expect([name, answer.isError ?? false, answer.content[0]?.text]).toEqual([name, false, expect.any(String)]);
  expect(JSON.parse(answer.content[0]?.text ?? "")).toEqual(answer.structuredContent);
  return answer.structuredContent;
}
const execute = (id: string, query: string) => ana.send(server, "POST", `/databases/${id}/execute`, { query });
const countIn = async (id: string, table: string) =>
  Number((await execute(id, `select count(*) as n from ${table}`)).rows[0].n);
/** Returns a metric file that counts the notes. */
const metricText = (metric: string) =>
  modelText({ metric, connection: "notes" })
    .replace(".main.orders", ".main.notes")
    .replace("[id]", "[n]")
    .replaceAll("status", "text");
const saveMetric = async (name: string) => {
  const { content } = await ana.send(server, "GET", `/metrics/${name}`).catch(() => ({ content: null }));
  return content ?? (await ana.send(server, "PUT", `/metrics/${name}`, { content: metricText(name) })).content;
};
const copyOf = (table: string, more: object = {}) => ({
  name: `copy to ${table}`,
  type: "query",
  source: { connectionId: notesId, query: "select n, text from notes order by n" },
  destination: { connectionId: copiesId, table, write: "append" },
  ...more,
});
const untilEnded = (flowId: string, runId: string) =>
  vi.waitFor(async () => {
    const { run } = await get(read, "get_run", { flowId, runId });
    expect(run.status).toBe("success");
    return run;
  }, RUN_TIMEOUT_MS);

/** Each tool, and the expected state after its use; both keys can use the read-only ones. */
const LOOKING: Record<string, (client: Client) => Promise<void>> = {
  list_connections: async (client) => {
    const { connections } = await get(client, "list_connections", {});
    expect(connections.map(({ name, dialect }: Record<string, string>) => [name, dialect]).sort()).toEqual([
      ["copies", "duckdb"],
      ["notes", "sqlite"],
    ]);
  },
  list_entities: async (client) => {
    const { entities, total } = await get(client, "list_entities", { connectionId: notesId });
    expect([entities, total]).toEqual([[expect.objectContaining({ name: "notes", kind: "table" })], 1]);
  },
  describe_entity: async (client) => {
    const { columns } = await get(client, "describe_entity", { connectionId: notesId, name: "notes" });
    expect(columns).toMatchObject([{ name: "n", primaryKey: true }, { name: "text" }]);
  },
  run_query: async (client) => {
    const { rows } = await get(client, "run_query", { connectionId: notesId, query: "select n from notes order by n" });
    expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  },
  search_consoles: async (client) => {
    const { id } = await ana.send(server, "POST", "/consoles", { name: `heron ${randomUUID()}`, content: "select 42" });
    const { consoles } = await get(client, "search_consoles", { query: "heron" });
    expect(consoles.map((each: { id: string }) => each.id)).toContain(id);
  },
  read_console: async (client) => {
    const { id } = await ana.send(server, "POST", "/consoles", { name: `read ${randomUUID()}`, content: "select 43" });
    expect(await get(client, "read_console", { consoleId: id })).toMatchObject({ content: "select 43", version: 1 });
  },
  create_chart: async (client) => {
    const input = { title: "Notes", spec: { mark: "bar" }, connectionId: notesId, query: "select n from notes" };
    const { chart } = await get(client, "create_chart", input);
    expect(chart).toEqual({ title: "Notes", spec: { mark: "bar" }, rows: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  },
  list_metrics: async (client) => {
    await saveMetric("listed");
    const { files } = await get(client, "list_metrics", {});
    expect(files).toContainEqual(expect.objectContaining({ name: "listed", metrics: ["listed"], error: null }));
  },
  read_metric: async (client) => {
    const content = await saveMetric("reread");
    expect(await get(client, "read_metric", { name: "reread" })).toMatchObject({ content, truncated: false });
  },
  query_metrics: async (client) => {
    await saveMetric("asked");
    const { rows, sql } = await get(client, "query_metrics", { metrics: ["asked"] });
    expect([rows, sql]).toEqual([[{ asked: 3 }], expect.stringContaining("count(*)")]);
  },
  list_dashboards: async (client) => {
    const { id } = await ana.send(server, "POST", "/dashboards", { title: `Listed ${randomUUID()}` });
    const { dashboards } = await get(client, "list_dashboards", { limit: 50 });
    expect(dashboards.map((each: { id: string }) => each.id)).toContain(id);
  },
  read_dashboard: async (client) => {
    const { id, title } = await ana.send(server, "POST", "/dashboards", { title: `Read ${randomUUID()}` });
    const dashboard = await get(client, "read_dashboard", { dashboardId: id });
    expect(dashboard).toMatchObject({ id, title, version: 1, truncated: false });
  },
  list_apps: async (client) => {
    const { id } = await ana.send(server, "POST", "/apps", { title: `Listed ${randomUUID()}` });
    const { apps } = await get(client, "list_apps", { limit: 50 });
    expect(apps.map((each: { id: string }) => each.id)).toContain(id);
  },
  list_folders: async (client) => {
    const { id } = await ana.send(server, "POST", "/consoles/folders", { name: `listed ${randomUUID()}` });
    const { folders } = await get(client, "list_folders", { kind: "console" });
    expect(folders).toContainEqual(expect.objectContaining({ id, parentId: null, access: "private" }));
  },
  list_rules: async (client) => {
    const { id } = await ana.send(server, "POST", "/consoles", { name: `ruled ${randomUUID()}`, content: "select 1" });
    expect(await get(client, "list_rules", { resourceType: "scheduled_query", resourceId: id })).toEqual({ rules: [] });
  },
  list_flows: async (client) => {
    const { flow } = await ana.send(server, "POST", "/flows", copyOf("unused", { trigger: false }));
    const { flows } = await get(client, "list_flows", {});
    expect(flows.map(({ id }: { id: string }) => id)).toContain(flow.id);
  },
  get_flow: async (client) => {
    const { flow: made } = await ana.send(server, "POST", "/flows", copyOf("unused", { trigger: false }));
    const { flow } = await get(client, "get_flow", { flowId: made.id });
    expect(flow).toMatchObject({ id: made.id, name: "copy to unused", type: "query" });
  },
  get_run: async (client) => {
    const { flow, run } = await ana.send(server, "POST", "/flows", copyOf("looked_at", { trigger: true }));
    await untilEnded(flow.id, run.id);
    const found = await get(client, "get_run", { flowId: flow.id, runId: run.id });
    expect(found.run).toMatchObject({ id: run.id, status: "success", logs: expect.any(Array) });
  },
};
const WRITING: Record<string, () => Promise<void>> = {
  save_console: async () => {
    const { id } = await get(full, "save_console", { name: "saved", content: "select 1" });
    expect(await ana.send(server, "GET", `/consoles/${id}`)).toMatchObject({ content: "select 1", version: 1 });
    await get(full, "save_console", { consoleId: id, version: 1, content: "select 2" });
    expect(await ana.send(server, "GET", `/consoles/${id}`)).toMatchObject({ content: "select 2", version: 2 });
    const stale = await use(full, "save_console", { consoleId: id, version: 1, content: "select 3" });
    expect(stale.isError).toBe(true);
    expect((await ana.send(server, "GET", `/consoles/${id}`)).content).toBe("select 2");
  },
  save_metric: async () => {
    const content = metricText("saved");
    const { version } = await get(full, "save_metric", { name: "saved", content });
    expect(await ana.send(server, "GET", "/metrics/saved")).toMatchObject({ content, version: 1 });
    await get(full, "save_metric", { name: "saved", content: `${content}# Note\n`, version });
    expect((await use(full, "save_metric", { name: "saved", content, version })).isError).toBe(true);
    expect((await ana.send(server, "GET", "/metrics/saved")).content).toBe(`${content}# Note\n`);
  },
  save_dashboard: async () => {
    const widgets = [{ id: "w", kind: "table", source: { connectionId: notesId, query: "select n from notes" } }];
    const { id } = await get(full, "save_dashboard", { title: "Saved", widgets });
    const { version } = await get(full, "save_dashboard", { dashboardId: id, version: 1, title: "Saved again" });
    expect(await ana.send(server, "GET", `/dashboards/${id}`)).toMatchObject({ title: "Saved again", version });
    expect((await use(full, "save_dashboard", { dashboardId: id, version: 1, title: "Stale" })).isError).toBe(true);
  },
  set_schedule: async () => {
    const { id } = await ana.send(server, "POST", "/dashboards", { title: "Scheduled" });
    const schedule = { cron: "0 7 * * *", timezone: "UTC" };
    expect((await get(full, "set_schedule", { kind: "dashboard", id, schedule })).nextRuns).toHaveLength(5);
    expect(await ana.send(server, "GET", `/dashboards/${id}/schedule`)).toMatchObject(schedule);
    await get(full, "set_schedule", { kind: "dashboard", id, schedule: null });
    expect(await ana.send(server, "GET", `/dashboards/${id}/schedule`)).toBeNull();
    const { flow } = await ana.send(server, "POST", "/flows", copyOf("scheduled", { trigger: false }));
    const paused = { kind: "flow", id: flow.id, schedule: { ...schedule, enabled: false } };
    expect((await get(full, "set_schedule", paused)).nextRuns).toEqual([]);
    expect((await get(full, "set_schedule", { ...paused, schedule })).nextRuns).toHaveLength(5);
    await get(full, "set_schedule", { ...paused, schedule: null });
    expect((await ana.send(server, "GET", `/flows/${flow.id}`)).schedule).toBeNull();
  },
  save_app: async () => {
    const { id } = await get(full, "save_app", { title: "Saved", template: "blank" });
    await get(full, "save_app", { appId: id, title: "Renamed", access: "workspace" });
    expect(await ana.send(server, "GET", `/apps/${id}`)).toMatchObject({ title: "Renamed", access: "workspace" });
  },
  save_folder: async () => {
    const kind = "dashboard";
    const outer = await get(full, "save_folder", { kind, name: "outer" });
    const inner = await get(full, "save_folder", { kind, name: "inner", parentId: outer.id });
    expect(inner).toMatchObject({ path: "outer/inner", parentId: outer.id });
    const moved = await get(full, "save_folder", { kind, folderId: inner.id, name: "moved", parentId: null });
    expect(moved).toMatchObject({ path: "moved", parentId: null });
    const circle = await use(full, "save_folder", { kind, folderId: outer.id, parentId: outer.id });
    expect(circle.isError).toBe(true);
  },
  delete_item: async () => {
    const app = await ana.send(server, "POST", "/apps", { title: "Deleted" });
    await get(full, "delete_item", { kind: "app", id: app.id });
    const { id } = await ana.send(server, "POST", "/dashboards/folders", { name: "deleted" });
    await ana.send(server, "POST", "/dashboards", { title: "Held", folderId: id });
    expect((await use(full, "delete_item", { kind: "dashboard_folder", id })).isError).toBe(true);
    await get(full, "delete_item", { kind: "dashboard_folder", id, recursive: true });
    const { id: consoleFolderId } = await ana.send(server, "POST", "/consoles/folders", { name: "deleted" });
    await get(full, "delete_item", { kind: "console_folder", id: consoleFolderId });
    for (const [kind, gone] of [
      ["app", app.id],
      ["dashboard_folder", id],
      ["console_folder", consoleFolderId],
    ]) {
      expect((await use(full, "delete_item", { kind, id: gone })).content[0]?.text).toMatch(/not found/i);
    }
  },
  save_rule: async () => {
    const { id } = await ana.send(server, "POST", "/consoles", { name: `told ${randomUUID()}`, content: "select 1" });
    const resource = { resourceType: "scheduled_query", resourceId: id };
    const channel = { channelType: "email", recipients: ["ana@example.com"], triggers: ["failure"] };
    const rule = await get(full, "save_rule", { ...resource, ...channel });
    await get(full, "save_rule", { ruleId: rule.id, enabled: false });
    expect((await get(full, "list_rules", resource)).rules).toMatchObject([{ id: rule.id, enabled: false }]);
  },
  create_flow: async () => {
    const made = await get(full, "create_flow", copyOf("made", { trigger: true }));
    await untilEnded(made.flow.id, made.run.id);
    expect(await countIn(copiesId, "made")).toBe(3);
  },
  trigger_flow: async () => {
    const { flow, run: none } = await get(full, "create_flow", copyOf("triggered"));
    expect(none).toBeNull();
    const { run } = await get(full, "trigger_flow", { flowId: flow.id });
    await untilEnded(flow.id, run.id);
    expect(await countIn(copiesId, "triggered")).toBe(3);
  },
};

describe("a client with a full key", () => {
  it("sees exactly these tools", async () => {
    const { tools } = await full.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...Object.keys(LOOKING), ...Object.keys(WRITING)].sort());
    for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
      expect([name, inputSchema.type, outputSchema?.type, description?.length]).toEqual([
        name,
        "object",
        "object",
        expect.any(Number),
      ]);
      expect([name, annotations?.readOnlyHint]).toEqual([name, name in LOOKING]);
    }
  });

  it.each(Object.keys(LOOKING))("reads with %s", (name) => LOOKING[name]?.(full));
  it.each(Object.keys(WRITING))("writes with %s", (name) => WRITING[name]?.());

  it("ends a running call by leaving", async () => {
    const query = "select count(*) from range(100000000) a, range(100000) b";
    const leave = new AbortController();
    const isNow = (status: string) =>
      vi.waitFor(async () => {
        const { items } = await ana.send(server, "GET", "/executions");
        const own = items.filter((each: { query: string }) => each.query === query);
        expect(own).toMatchObject([{ status }]);
      }, RUN_TIMEOUT_MS);
    const call = use(full, "run_query", { connectionId: copiesId, query }, { signal: leave.signal });
    const ended = expect(call).rejects.toThrow();
    await isNow("running");
    leave.abort();
    await ended;
    // The client closes its socket too; the notification alone has no session that identifies the call.
    await full.close();
    await isNow("cancelled");
    full = await connect(fullKey);
    expect((await full.listTools()).tools.length).toBeGreaterThan(10);
  });
});

describe("a client with a read-only key", () => {
  it("sees only read tools", async () => {
    const { tools } = await read.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(LOOKING).sort());
  });

  for (const { tags, cases } of splitCases(Object.keys(LOOKING), 3))
    it.each(cases)("reads with %s", { tags }, (name) => LOOKING[name]?.(read));

  it("changes nothing with any call", async () => {
    const name = `kept ${Date.now()}`;
    const { id: consoleId } = await ana.send(server, "POST", "/consoles", { name, content: "select 'kept'" });
    const { flow } = await ana.send(server, "POST", "/flows", copyOf("never", { trigger: false }));
    const before = await digestDatabase(WRITTEN_BY_LOOKING, servers.store);
    const notes = await execute(notesId, "select * from notes order by n");
    const writes: [string, object][] = [
      ["save_console", { name: "no", content: "no" }],
      ["save_console", { consoleId, version: 1, content: "no" }],
      ["create_flow", copyOf("never", { trigger: true })],
      ["trigger_flow", { flowId: flow.id }],
      ["save_metric", { name: "no", content: metricText("no") }],
      ["save_dashboard", { title: "no" }],
      ["set_schedule", { kind: "console", id: consoleId, schedule: null }],
      ["save_app", { title: "no" }],
      ["save_folder", { kind: "console", name: "no" }],
      ["delete_item", { kind: "console_folder", id: consoleId }],
      ["save_rule", { resourceType: "scheduled_query", resourceId: consoleId, channelType: "email" }],
      ["propose_plan", { planMarkdown: "Write", grants: ["query-write"] }],
    ];
    for (const [name, input] of writes) await expect(use(read, name, input)).rejects.toThrow("Unknown tool");
    for (const [connectionId, query] of [
      [notesId, "insert into notes values (4, 'four')"],
      [notesId, "drop table notes"],
      [notesId, "create table more (n int)"],
      [notesId, "pragma user_version = 7"],
      [notesId, "with gone as (select 1) delete from notes"],
      [copiesId, "create table more (n int)"],
      [copiesId, "copy (select 1) to 'more.csv'"],
      [copiesId, "select 1; create table more (n int)"],
    ] as const) {
      const answer = await use(read, "run_query", { connectionId, query });
      expect([query, answer.isError]).toEqual([query, true]);
      const spec = { mark: "bar" };
      const chart = await use(read, "create_chart", { title: "t", spec, connectionId, query });
      expect([query, chart.isError]).toEqual([query, true]);
    }
    expect((await execute(notesId, "select * from notes order by n")).rows).toEqual(notes.rows);
    expect(await digestDatabase(WRITTEN_BY_LOOKING, servers.store)).toEqual(before);
  });
});

describe("invalid input of a client", () => {
  it("of another workspace is reported as missing", async () => {
    const body = { email: "eve@example.com", password: "a short sentence works", name: "Eve" };
    const eve = await ask(server, "/api/auth/register", { body });
    const cookie = eve.setCookie[0]?.split(";")[0] ?? "";
    const home = `/api/workspaces/${eve.json.data.workspace.id}`;
    const make = async (path: string, made: object) =>
      (await ask(server, home + path, { cookie, body: made })).json.data;
    const config = { file: "theirs.db" };
    const theirs = await make("/connectors", { name: "theirs", type: "sqlite", config, readOnly: false });
    const console = await make("/consoles", { name: "theirs", content: "select 'theirs'" });
    const source = { connectionId: theirs.id, query: "select 1 as n" };
    const destination = { connectionId: theirs.id, table: "t", write: "append" };
    const { flow, run } = await make("/flows", { name: "theirs", type: "query", source, destination, trigger: true });
    const app = await make("/apps", { title: "theirs" });
    const folder = await make("/consoles/folders", { name: "theirs" });
    const absent = "f".repeat(24);
    const pairs: [string, (id: string) => object, string][] = [
      ["list_entities", (connectionId) => ({ connectionId }), theirs.id],
      ["describe_entity", (connectionId) => ({ connectionId, name: "t" }), theirs.id],
      ["run_query", (connectionId) => ({ connectionId, query: "select 1" }), theirs.id],
      ["create_chart", (connectionId) => ({ title: "t", spec: {}, connectionId, query: "select 1" }), theirs.id],
      ["read_console", (consoleId) => ({ consoleId }), console.id],
      ["save_console", (consoleId) => ({ consoleId, version: 1, content: "mine" }), console.id],
      ["save_console", (connectionId) => ({ name: "mine", content: "", connectionId }), theirs.id],
      ["get_flow", (flowId) => ({ flowId }), flow.id],
      ["get_run", (flowId) => ({ flowId, runId: run.id }), flow.id],
      ["trigger_flow", (flowId) => ({ flowId }), flow.id],
      ["set_schedule", (id) => ({ kind: "flow", id, schedule: null }), flow.id],
      ["save_app", (appId) => ({ appId, title: "mine" }), app.id],
      ["save_folder", (folderId) => ({ kind: "console", folderId, name: "mine" }), folder.id],
      ["delete_item", (id) => ({ kind: "app", id }), app.id],
      ["delete_item", (id) => ({ kind: "console_folder", id }), folder.id],
      ["create_flow", (id) => copyOf("t", { source: { connectionId: id, query: "select 1" } }), theirs.id],
    ];
    for (const [name, input, id] of pairs) {
      const [foreign, none] = [await use(full, name, input(id)), await use(full, name, input(absent))];
      expect([name, foreign.isError, foreign.content]).toEqual([name, true, none.content]);
    }
    for (const uri of [`millrace://connections/${theirs.id}/schema`, `millrace://consoles/${console.id}`]) {
      const none = await full.readResource({ uri: uri.replace(/[0-9a-f]{24}/, absent) }).catch((error) => error);
      // The protocol's code for an unknown resource.
      expect(none).toMatchObject({
        code: -32002,
        message: expect.stringMatching(/^MCP error -32002: .*not found/),
      });
      await expect(full.readResource({ uri })).rejects.toThrow(none);
    }
    const uris = (await full.listResources()).resources.map(({ uri }) => uri).join();
    expect(uris).toContain(notesId);
    expect(uris).not.toContain(theirs.id);
    expect(uris).not.toContain(console.id);
    const left = await ask(server, `${home}/consoles/${console.id}`, { cookie });
    expect(left.json.data.content).toBe("select 'theirs'");
  });

  it("from a page of another site returns 403, even if its name resolves to this machine", async () => {
    const hello = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const from = (headers: Record<string, string>) =>
      ask(server, "/api/mcp", {
        body: hello,
        key: fullKey,
        headers: { accept: "application/json, text/event-stream", ...headers },
      });
    for (const origin of ["https://evil.example", "http://evil.example", "null"]) {
      const answer = await from({ origin, host: "evil.example" });
      expect([origin, answer.status, answer.json.code]).toEqual([origin, 403, "forbidden"]);
    }
    for (const headers of [{}, { origin: server.url }, { origin: "http://localhost:6274" }]) {
      expect((await from(headers as Record<string, string>)).status).toBe(200);
    }
  });

  it("is rejected with a message per tool if malformed or too large", async () => {
    const { tools } = await full.listTools();
    const ids = { appId: 7, connectionId: 7, consoleId: {}, dashboardId: true, flowId: [], ruleId: 1, runId: null };
    const wrong = { ...ids, title: 1, name: [], cursor: 1, query: {} };
    const notIds = { ...Object.fromEntries(Object.keys(ids).map((id) => [id, "zz"])), query: "", limit: 0 };
    for (const { name } of tools.filter((tool) => tool.name !== "list_connections")) {
      for (const input of [wrong, notIds]) {
        const refusal = await use(full, name, input).catch((error: unknown) => error);
        expect([name, input, refusal]).toEqual([name, input, expect.objectContaining({ code: -32602 })]);
      }
    }
    const huge: [string, object][] = [
      ["run_query", { connectionId: notesId, query: `select '${"x".repeat(MIB)}'` }],
      ["list_entities", { connectionId: notesId, search: "x".repeat(MIB) }],
      ["describe_entity", { connectionId: notesId, name: "x".repeat(MIB) }],
      ["search_consoles", { query: "x".repeat(MIB) }],
      ["save_console", { name: "huge", content: "x".repeat(1.5 * MIB) }],
      ["create_chart", { title: "t", spec: { text: "x".repeat(MIB) }, connectionId: notesId, query: "select 1" }],
    ];
    for (const [name, input] of huge) {
      const answer = await use(full, name, input).catch(() => ({ isError: true }));
      expect([name, answer.isError]).toEqual([name, true]);
    }
    const nested = JSON.parse("[".repeat(5000) + "]".repeat(5000));
    const deep = { title: "t", spec: { nested }, connectionId: notesId, query: "select 1" };
    expect((await use(full, "create_chart", deep).catch(() => ({ isError: true }))).isError).toBe(true);
    await expect(use(full, "save_console", { name: "huge", content: "x".repeat(3 * MIB) })).rejects.toThrow(
      "larger than 2 MiB",
    );
    for (const name of ["drop_everything", "__proto__", "constructor", "", "x".repeat(MIB)]) {
      await expect(use(full, name, {})).rejects.toThrow(/^MCP error -32602: Unknown tool/);
    }
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
  });
});
