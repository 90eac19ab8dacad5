import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type ClientCapabilities, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TOOLS } from "@/lib/features/agent/tools/registry";
import { collections as accounts } from "@/lib/features/instance/collections";
import { appendLog } from "@/lib/features/runs/logs";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { collections } from "../collections";
import { MCP_APPROVAL_MS, MODEL_RESULT_BYTES_MAX } from "../limits";

const own = takeOwnDatabase();
afterAll(() => own.drop());

let ana: Person;
let sampleId: string;
let full: Client;
let read: Client;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  sampleId = await sampleIdOf(ana.workspaceId, ana);
  full = await connect(await seedKey(ana.workspaceId, ana));
  read = await connect(await seedKey(ana.workspaceId, ana, "read"));
});

/** Connects the protocol's own client, whose requests go straight to the route. */
async function connect(
  key: string,
  capabilities: ClientCapabilities = {},
  sent: { headers: Headers; body: string }[] = [],
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  const fetchRoute = (async (url: string | URL, init: RequestInit = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const { pathname } = new URL(url);
    sent.push({ headers: new Headers(init.headers), body: String(init.body ?? "") });
    return callRaw(init.method ?? "GET", pathname, {
      key,
      headers,
      ...(init.body && { rawBody: init.body as string }),
    });
  }) as typeof fetch;
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://localhost:3000/api/mcp"), { fetch: fetchRoute }),
  );
  return client;
}

const use = (client: Client, name: string, input: object) =>
  client.callTool({ name, arguments: input as Record<string, unknown> }) as Promise<{
    isError?: boolean;
    content: { text: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: each tool has its own
    structuredContent?: any;
  }>;

const OFFERED = TOOLS.filter(({ needsChat }) => !needsChat);
const READING = OFFERED.filter(({ writes }) => writes === null).map(({ name }) => name);
const WRITING = OFFERED.filter(({ writes }) => writes !== null).map(({ name }) => name);

describe("a client of the Model Context Protocol", () => {
  it("sees the agent's tools with their hints; write tools with a full key only", async () => {
    const ofFull = (await full.listTools()).tools;
    expect(ofFull.map(({ name }) => name).sort()).toEqual([...READING, ...WRITING].sort());
    expect((await read.listTools()).tools.map(({ name }) => name).sort()).toEqual([...READING].sort());
    for (const { name, annotations, inputSchema, outputSchema } of ofFull) {
      expect([name, annotations?.readOnlyHint]).toEqual([name, READING.includes(name)]);
      // A person approves all fields, so a tool that writes takes no others.
      expect([name, inputSchema.additionalProperties]).toEqual([name, READING.includes(name) ? undefined : false]);
      expect(outputSchema?.type).toBe("object");
    }
  });

  it("gets tools that fit in 12,000 tokens", async () => {
    const { tools } = await full.listTools();
    // A token of JSON has about four characters.
    expect(JSON.stringify(tools).length / 4).toBeLessThan(12_000);
  });

  it("reads data with structured results that its own library validates", async () => {
    const { structuredContent } = await use(read, "list_connections", {});
    expect(structuredContent.connections).toMatchObject([{ id: sampleId, language: "sql", dialect: "duckdb" }]);
    const found = await use(read, "list_entities", { connectionId: sampleId, search: "orders" });
    expect(found.structuredContent.entities[0]).toMatchObject({ name: "orders" });
    const table = await use(read, "describe_entity", { connectionId: sampleId, name: "orders" });
    expect(table.structuredContent.columns.length).toBeGreaterThan(2);
    const rows = await use(read, "run_query", { connectionId: sampleId, query: "select count(*) as n from orders" });
    expect(rows.structuredContent).toMatchObject({ rows: [{ n: 100_000 }], truncated: false });
    expect(JSON.parse(rows.content[0]?.text ?? "")).toEqual(rows.structuredContent);
    const many = await use(read, "run_query", { connectionId: sampleId, query: "select * from orders" });
    expect(many.structuredContent).toMatchObject({ truncated: true });
    expect(many.structuredContent.rows.length).toBeLessThanOrEqual(200);
    const chart = { title: "t", spec: { mark: "bar" }, connectionId: sampleId, query: "select 1 as one" };
    expect((await use(read, "create_chart", chart)).structuredContent.chart.rows).toEqual([{ one: 1 }]);
    expect((await use(read, "list_flows", {})).structuredContent.flows).toEqual([]);
    expect((await use(read, "search_consoles", { query: "x" })).structuredContent.consoles).toEqual([]);
  });

  it("writes with a full key only, and never by a query", async () => {
    const saved = await use(full, "save_console", { name: "by mcp", content: "select 1" });
    expect(saved.structuredContent).toEqual({ id: expect.any(String), version: 1 });
    const text = await use(read, "read_console", { consoleId: saved.structuredContent.id });
    expect(text.structuredContent).toMatchObject({ content: "select 1", truncated: false });
    await expect(use(read, "save_console", { name: "no", content: "x" })).rejects.toThrow("Unknown tool");
    const file = { name: "Notes", type: "sqlite", config: { file: "notes.sqlite" }, readOnly: false };
    const base = `/api/workspaces/${ana.workspaceId}`;
    const { id } = (await call("POST", `${base}/connectors`, { cookie: ana.cookie, body: file })).json.data;
    for (const client of [full, read]) {
      const answer = await use(client, "run_query", { connectionId: id, query: "create table t (n int)" });
      expect([answer.isError, answer.content[0]?.text]).toEqual([true, expect.stringMatching(/read/i)]);
    }
    const consoles = (await call("GET", `${base}/consoles`, { cookie: ana.cookie })).json.data;
    expect(consoles.map(({ name }: { name: string }) => name)).toEqual(["by mcp"]);
  });

  it("expands metrics in a query, with and without variables", async () => {
    const body = { content: modelText({ metric: "order_count" }) };
    await call("PUT", `/api/workspaces/${ana.workspaceId}/metrics/shop`, { cookie: ana.cookie, body });
    const query = "select metric(order_count) as n, '{{' as braces";
    for (const variables of [{}, { variables: {} }]) {
      const { structuredContent } = await use(read, "run_query", { connectionId: sampleId, query, ...variables });
      expect(structuredContent.rows).toEqual([{ n: 100_000, braces: "{{" }]);
    }
  });

  it("binds variables of a query, a chart and a console, and refuses bad ones", async () => {
    const content = "select {{word}} as w, {{n}} * 2 as n, cast({{day}} as varchar)[:10] as d [[, {{none}} as x]]";
    const defaults = { word: "it's", n: { type: "number", value: "9007199254740993" } };
    const { structuredContent: saved } = await use(full, "save_console", {
      ...{ name: "with variables", content, variables: defaults, connectionId: sampleId },
    });
    const { structuredContent: text } = await use(read, "read_console", { consoleId: saved.id });
    expect(text.variables).toEqual(defaults);
    const day = { type: "date", value: "2026-05-31" };
    const input = { connectionId: sampleId, query: text.content, variables: { ...text.variables, day, none: null } };
    const rows = await use(read, "run_query", input);
    const row = { w: "it's", n: "18014398509481986", d: "2026-05-31" };
    expect([rows.structuredContent?.rows, rows.content[0]?.text]).toEqual([[row], expect.any(String)]);
    const chart = await use(read, "create_chart", { title: "t", spec: { mark: "bar" }, ...input });
    expect(chart.structuredContent.chart.rows).toEqual([row]);
    const today = async (timezone: string) => {
      const variables = { day: { type: "date", preset: "today" } };
      const query = "select cast({{day}} as varchar)[:10] as day";
      return (await use(read, "run_query", { connectionId: sampleId, query, variables, timezone })).structuredContent;
    };
    expect((await today("Pacific/Kiritimati")).rows).not.toEqual((await today("Pacific/Pago_Pago")).rows);
    const missing = await use(read, "run_query", { ...input, variables: {} });
    expect([missing.isError, missing.content[0]?.text]).toEqual([true, expect.stringContaining("word, n, day")]);
    for (const bad of [{ "a b": 1 }, { n: { type: "number", value: "x" } }, { n: [1] }, 7]) {
      await expect(use(read, "run_query", { ...input, variables: bad })).rejects.toMatchObject({ code: -32602 });
    }
    await expect(use(read, "run_query", { ...input, timezone: "Mars/Base" })).rejects.toMatchObject({ code: -32602 });
    const body = { consoleId: saved.id, version: 1, content, variables: { "a b": 1 } };
    const refused = await use(full, "save_console", body);
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining("variables.a b")]);
  });

  it("gets problems as tool errors, and nothing of other workspaces", async () => {
    const eve = await seedPerson("Eve");
    const foreign = await sampleIdOf(eve.workspaceId, eve);
    const failed = await use(read, "run_query", { connectionId: sampleId, query: "select nothing from orders" });
    expect([failed.isError, failed.content[0]?.text]).toEqual([true, expect.stringContaining("nothing")]);
    const absent = await use(read, "run_query", { connectionId: foreign, query: "select 1" });
    expect(absent.content[0]?.text).toBe("Connection not found.");
    await expect(use(read, "run_query", { connectionId: 7 })).rejects.toMatchObject({ code: -32602 });
    await expect(use(read, "__proto__", {})).rejects.toThrow("Unknown tool");
  });

  it("T64 receives at most 32 KB per item, with any names, types, texts and logs", async () => {
    const base = `/api/workspaces/${ana.workspaceId}`;
    const make = async (path: string, body: object) =>
      (await call("POST", base + path, { cookie: ana.cookie, body })).json.data;
    const file = { name: "Wide", type: "sqlite", config: { file: "wide.sqlite" }, readOnly: false };
    const { id: connectionId } = await make("/connectors", file);
    const run = (query: string) => make(`/databases/${connectionId}/execute`, { query });
    const type = Array.from({ length: 40 }, (_, n) => `"a value of the enumeration ${n}"`).join(" ");
    await run(`create table wide (${Array.from({ length: 400 }, (_, n) => `column_${n} ${type}`).join(", ")})`);
    for (let n = 0; n < 150; n += 1) await run(`create table "${"long name ".repeat(24)}${n}" (n int)`);
    const content = "select 'ü';\n".repeat(10_000);
    const { id: consoleId } = await make("/consoles", { name: "long", content });
    const { flow, run: queued } = await make("/flows", {
      name: "long",
      type: "query",
      source: { connectionId, query: `select 1 as n -- ${"x".repeat(60_000)}` },
      destination: { connectionId, table: "t", write: "append" },
      trigger: true,
    });
    const lines = Array.from({ length: 60 }, (_, n) => ({ level: "error" as const, text: `${n} ${"y".repeat(2000)}` }));
    await appendLog(new ObjectId(ana.workspaceId), new ObjectId(String(queued.id)), lines);
    const get = async (name: string, input: object) => {
      const { isError, content: said, structuredContent } = await use(full, name, input);
      expect([name, isError ?? false]).toEqual([name, false]);
      expect([name, Buffer.byteLength(said[0]?.text ?? "") <= MODEL_RESULT_BYTES_MAX]).toEqual([name, true]);
      return structuredContent;
    };
    const wide = await get("describe_entity", { connectionId, name: "wide" });
    expect(wide.columnCount).toBe(400);
    expect(wide.columns.length).toBeGreaterThan(50);
    // A tool missing from one page is on the next one.
    const names = new Set<string>();
    for (let cursor: string | null = "0"; cursor !== null; ) {
      const page: { entities: { name: string }[]; nextCursor: string | null } = await get("list_entities", {
        connectionId,
        limit: 100,
        cursor,
      });
      for (const { name } of page.entities) names.add(name);
      cursor = page.nextCursor;
    }
    expect(names.size).toBe(151);
    const text = await get("read_console", { consoleId });
    expect([text.truncated, content.startsWith(text.content)]).toEqual([true, true]);
    expect((await get("list_flows", {})).flows).toHaveLength(1);
    expect((await get("get_flow", { flowId: flow.id })).flow.source.query).toMatch(/^select 1 as n -- x+…$/);
    expect((await get("get_run", { flowId: flow.id, runId: queued.id })).run.logs.at(-1).text).toMatch(/^59 y+…$/);
  });

  it("reads schemas and consoles visible to the key's creator as resources", async () => {
    const body = { name: "private", content: "select 'secret'" };
    const path = `/api/workspaces/${ana.workspaceId}/consoles`;
    const { id } = (await call("POST", path, { cookie: ana.cookie, body })).json.data;
    const { resources } = await read.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([`millrace://connections/${sampleId}/schema`, `millrace://consoles/${id}`]),
    );
    const text = await read.readResource({ uri: `millrace://consoles/${id}` });
    expect(text.contents[0]).toMatchObject({ text: "select 'secret'" });
    const schema = await read.readResource({ uri: `millrace://connections/${sampleId}/schema` });
    expect(JSON.parse((schema.contents[0] as { text: string }).text).entities.length).toBeGreaterThan(2);
    const bob = await seedMember(ana.workspaceId, "member");
    const bobs = await connect(await seedKey(ana.workspaceId, bob));
    expect((await bobs.listResources()).resources.map(({ uri }) => uri)).not.toContain(`millrace://consoles/${id}`);
    await expect(bobs.readResource({ uri: `millrace://consoles/${id}` })).rejects.toThrow("Console not found");
    await expect(bobs.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow("Resource not found");
    expect((await read.listResourceTemplates()).resourceTemplates).toHaveLength(2);
  });
});

describe("a client that can ask its user", () => {
  type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };
  const APPROVE: Answer = { action: "accept", content: { decision: "approve" } };
  const save = (client: Client, name: string) => use(client, "save_console", { name, content: "select 1" });
  const namesOf = async () => {
    const { json } = await call("GET", `/api/workspaces/${ana.workspaceId}/consoles`, { cookie: ana.cookie });
    return json.data.map(({ name }: { name: string }) => name);
  };
  const openQuestions = () => collections.mcpApprovals().find({}).toArray();
  let asked: { message: string; requestedSchema?: unknown }[] = [];
  /** Connects a client whose user answers so. */
  async function connectAsking(key: string, answer: (message: string) => Answer | Promise<Answer>) {
    const sent: { headers: Headers; body: string }[] = [];
    const client = await connect(key, { elicitation: {} }, sent);
    asked = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params as (typeof asked)[number]);
      return answer(params.message);
    });
    return { client, sent };
  }

  it("writes what the user approves, with one question for a call", async () => {
    const { client } = await connectAsking(await seedKey(ana.workspaceId, ana), () => APPROVE);
    const saved = await save(client, "approved");
    expect(saved.structuredContent).toMatchObject({ version: 1 });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.message).toMatch(/^Allow save_console in Millrace\? Permission: console-write/);
    expect(asked[0]?.message).toContain("select 1");
    await use(client, "list_connections", {});
    expect(asked).toHaveLength(1);
    // An approval is not kept for the next call.
    await save(client, "approved again");
    expect(asked).toHaveLength(2);
    expect(await openQuestions()).toEqual([]);
  });

  it("writes nothing without an approval", async () => {
    const answers: (Answer | Error)[] = [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept" },
      { action: "accept", content: { decision: "decline" } },
      { action: "decline", content: { decision: "approve" } },
      new Error("no window"),
    ];
    const key = await seedKey(ana.workspaceId, ana);
    for (const [at, answer] of answers.entries()) {
      const { client } = await connectAsking(key, () => {
        if (answer instanceof Error) throw answer;
        return answer;
      });
      const refused = await save(client, `declined ${at}`);
      expect([at, refused.isError, refused.content[0]?.text]).toEqual([at, true, "The person declined this change."]);
    }
    expect((await namesOf()).filter((name: string) => name.startsWith("declined"))).toEqual([]);
    expect(await openQuestions()).toEqual([]);
  });

  it("gets no more than its key allows", async () => {
    const { client } = await connectAsking(await seedKey(ana.workspaceId, ana, "read"), () => APPROVE);
    await expect(save(client, "by a read key")).rejects.toThrow("Unknown tool");
    const file = { name: "Asked", type: "sqlite", config: { file: "asked.sqlite" }, readOnly: false };
    const base = `/api/workspaces/${ana.workspaceId}`;
    const { id } = (await call("POST", `${base}/connectors`, { cookie: ana.cookie, body: file })).json.data;
    const { client: fullClient } = await connectAsking(await seedKey(ana.workspaceId, ana), () => APPROVE);
    const written = await use(fullClient, "run_query", { connectionId: id, query: "create table t (n int)" });
    expect([written.isError, asked]).toEqual([true, []]);
  });

  it("writes nothing if the person's role changes before the approval", async () => {
    const cem = await seedMember(ana.workspaceId, "admin");
    const app = await call("POST", `/api/workspaces/${ana.workspaceId}/apps`, {
      cookie: ana.cookie,
      body: { title: "Kept", access: "workspace" },
    });
    const { id } = app.json.data;
    const membership = { userId: new ObjectId(cem.id), workspaceId: new ObjectId(ana.workspaceId) };
    let role: "member" | "admin" = "member";
    const { client } = await connectAsking(await seedKey(ana.workspaceId, cem), async () => {
      await accounts.memberships().updateOne(membership, { $set: { role } });
      return APPROVE;
    });
    const refused = await use(client, "delete_item", { kind: "app", id });
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringMatching(/role .* changed/)]);
    expect((await use(client, "delete_item", { kind: "app", id })).content[0]?.text).toMatch(/owner and admins/);
    role = "admin";
    await accounts.memberships().updateOne(membership, { $set: { role } });
    expect((await use(client, "delete_item", { kind: "app", id })).structuredContent).toEqual({ deleted: id });
  });

  it("is shown the whole input; unknown fields are refused, and so is more than a person reads", async () => {
    const { client } = await connectAsking(await seedKey(ana.workspaceId, ana), () => APPROVE);
    for (const { name } of OFFERED.filter(({ writes }) => writes !== null)) {
      const refusal = await use(client, name, { note: "x".repeat(5_000) }).catch((error: unknown) => error);
      expect([name, refusal]).toEqual([name, expect.objectContaining({ code: -32602 })]);
    }
    const hidden = { kind: "app", id: new ObjectId().toHexString(), note: "x".repeat(5_000) };
    await expect(use(client, "delete_item", hidden)).rejects.toThrow("note");
    const long = await use(client, "save_console", { name: "long", content: "x".repeat(20_000) });
    expect([long.isError, long.content[0]?.text]).toEqual([true, expect.stringContaining("too long to approve")]);
    expect(asked).toEqual([]);
    await use(client, "save_console", { name: "one\u202etwo", content: `${"x".repeat(5_000)} end` });
    expect(asked[0]?.message).toContain("one\\u202etwo");
    expect(asked[0]?.message).toContain("x end");
  });

  it("is asked only about calls that can succeed", async () => {
    const { client } = await connectAsking(await seedKey(ana.workspaceId, ana), () => APPROVE);
    const base = `/api/workspaces/${ana.workspaceId}`;
    const make = async (path: string, body: object) =>
      (await call("POST", base + path, { cookie: ana.cookie, body })).json.data;
    const file = { name: "Writable", type: "sqlite", config: { file: "writable.sqlite" }, readOnly: false };
    const { id: connectionId } = await make("/connectors", file);
    const { id } = await make("/consoles", { name: "scheduled", content: "select 1", connectionId });
    const schedule = { cron: "0 7 * * *", timezone: "UTC" };
    await call("PUT", `${base}/consoles/${id}/schedule`, { cookie: ana.cookie, body: schedule });
    const { id: plainId } = await make("/consoles", { name: "plain", content: "select 1" });
    const { id: dashboardId } = await make("/dashboards", { title: "Asked" });
    const absent = new ObjectId().toHexString();
    const told = { resourceType: "scheduled_query", resourceId: id };
    const channel = { channelType: "email", recipients: ["ana@example.com"], triggers: ["failure"] };
    const { id: ruleId } = await make("/notification-rules", { ...told, ...channel });
    const cases: [string, object, RegExp][] = [
      ["save_rule", { ruleId, ...told, resourceId: plainId }, /Omit resourceType/],
      ["save_console", { name: "hidden", content: "\u200b".repeat(100_000) }, /too long to approve/],
      ["set_schedule", { kind: "console", id, schedule }, /can't run queries that write/],
      ["save_console", { consoleId: id, version: 1, content: "drop table t" }, /can't run queries that write/],
      ["save_console", { content: "select 1" }, /name/],
      ["save_dashboard", { title: "Bad", widgets: [{ kind: "no such kind" }] }, /kind/],
      ["save_dashboard", { dashboardId, title: "No version" }, /version is required/],
      ["save_dashboard", { dashboardId, version: 7, title: "Stale" }, /Someone else/],
      ["save_console", { consoleId: plainId, version: 7, content: "select 2" }, /Someone else/],
      ["save_metric", { name: "bad", content: "no: [model" }, /./],
      ["save_metric", { name: "absent", content: modelText({ metric: "absent" }), version: 7 }, /not found/],
      ["save_app", { description: "No title" }, /title/],
      ["save_folder", { kind: "console" }, /name/],
      ["save_app", { appId: absent, title: "x" }, /not found/],
      ["save_folder", { kind: "console", folderId: absent, name: "x" }, /not found/],
      ["delete_item", { kind: "app", id: absent }, /not found/],
      ["delete_item", { kind: "dashboard_folder", id: absent }, /not found/],
      ["trigger_flow", { flowId: absent }, /not found/],
    ];
    for (const [name, input, words] of cases) {
      const refused = await use(client, name, input);
      const { isError, content } = refused;
      expect([name, input, isError, content[0]?.text]).toEqual([name, input, true, expect.stringMatching(words)]);
    }
    expect(asked).toEqual([]);
  });

  it("is shown the names of what changes, and that a deleted app is lost", { tags: ["long"] }, async () => {
    const { client } = await connectAsking(await seedKey(ana.workspaceId, ana), () => ({ action: "decline" }));
    const base = `/api/workspaces/${ana.workspaceId}`;
    const make = async (path: string, body: object) =>
      (await call("POST", base + path, { cookie: ana.cookie, body })).json.data;
    const app = await make("/apps", { title: 'Sales"\nPermission: none' });
    const folder = await make("/consoles/folders", { name: "kept" });
    const console = await make("/consoles", { name: "named", content: "select 1" });
    await use(client, "delete_item", { kind: "app", id: app.id });
    await use(client, "delete_item", { kind: "console_folder", id: folder.id, recursive: true });
    await use(client, "save_console", { consoleId: console.id, version: 1, content: "", connectionId: sampleId });
    const messages = asked.map(({ message }) => message);
    expect(messages[0]).toContain('App: "Sales\\"\\nPermission: none"\nThe app and its drafts cannot be restored.\n');
    expect(messages[1]).toContain('Folder: "kept"\nThe folder\'s items can be restored for 30 days.\n');
    expect(messages[1]).not.toContain("cannot be restored");
    expect(messages[2]).toMatch(/Console: "named.*"\nConnection: ".+"\n/);
  });

  it("is answered from its own session only, once and in time", async () => {
    const key = await seedKey(ana.workspaceId, ana);
    const release = Promise.withResolvers<Answer>();
    const { client, sent } = await connectAsking(key, () => release.promise);
    const { sent: others } = await connectAsking(key, () => release.promise);
    const { sent: foreign } = await connectAsking(await seedKey(ana.workspaceId, ana), () => release.promise);
    const sessionOf = (requests: typeof sent) => requests.at(-1)?.headers.get("mcp-session-id") ?? "";
    const call_ = save(client, "from another session");
    const [question] = await vi.waitFor(async () => {
      const open = await openQuestions();
      expect(open).toHaveLength(1);
      return open;
    });
    const body = { jsonrpc: "2.0", id: question?.requestId, result: APPROVE };
    const answerIn = async (headers: Record<string, string>, who = key) =>
      (await call("POST", "/api/mcp", { key: who, body, headers })).status;
    expect(await answerIn({ "mcp-session-id": sessionOf(others) })).toBe(202);
    expect(await answerIn({})).toBe(202);
    expect(await answerIn({ "mcp-session-id": sessionOf(foreign) })).toBe(404);
    const own = sessionOf(sent);
    for (const wrong of [`${own}x`, `${own}.x`, `${own.slice(0, -1)}\u00fc`, "\u00fc", "", "."]) {
      expect([wrong, await answerIn({ "mcp-session-id": wrong })]).toEqual([wrong, 404]);
    }
    const saveCall = { method: "tools/call", params: { name: "save_console", arguments: { name: "b", content: "" } } };
    for (const body of [[], [{ jsonrpc: "2.0", id: 1, ...saveCall }]]) {
      const batch = await call("POST", "/api/mcp", { key, body, headers: { "mcp-session-id": own } });
      expect([batch.status, batch.json.error.message]).toEqual([400, expect.stringContaining("one message")]);
    }
    const bob = await seedMember(ana.workspaceId, "member");
    expect(await answerIn({ "mcp-session-id": sessionOf(sent) }, await seedKey(ana.workspaceId, bob))).toBe(404);
    expect((await openQuestions())[0]?.isApproved).toBeNull();
    release.resolve({ action: "decline" });
    expect((await call_).isError).toBe(true);
    // The question is gone: an approval afterwards finds nothing.
    expect(await answerIn({ "mcp-session-id": sessionOf(sent) })).toBe(202);
    expect(await namesOf()).not.toContain("from another session");
  });

  it("has less than a minute to answer, by the store's clock", async () => {
    expect(MCP_APPROVAL_MS).toBeLessThan(60_000);
    const key = await seedKey(ana.workspaceId, ana);
    const expire = { $set: { expiresAt: new Date(0) } };
    const { client } = await connectAsking(key, async () => {
      await collections.mcpApprovals().updateOne({ isApproved: null }, expire);
      return APPROVE;
    });
    const late = await save(client, "late");
    expect(late.content[0]?.text).toMatch(/not approved in time/);
    expect(await openQuestions()).toEqual([]);
    expect(await namesOf()).not.toContain("late");
    // A server whose clock is wrong.
    for (const hours of [-1, 1]) {
      const { client: other } = await connectAsking(key, async () => {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * 3_600_000 });
        return APPROVE;
      });
      try {
        expect((await save(other, `clock ${hours}`)).structuredContent).toMatchObject({ version: 1 });
      } finally {
        vi.useRealTimers();
      }
    }
  });

  it("is no longer asked when its client cancels the call", async () => {
    const key = await seedKey(ana.workspaceId, ana);
    const release = Promise.withResolvers<Answer>();
    const { client, sent } = await connectAsking(key, () => release.promise);
    const sessionId = sent.at(-1)?.headers.get("mcp-session-id") ?? "";
    const cancelled = async (requestId: unknown, headers: Record<string, string>) => {
      const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
      return (await call("POST", "/api/mcp", { key, body, headers })).status;
    };
    const call_ = save(client, "cancelled");
    await vi.waitFor(async () => expect(await openQuestions()).toHaveLength(1));
    const { id } = JSON.parse(sent.find(({ body }) => body.includes("tools/call"))?.body ?? "{}");
    expect(await cancelled(id, {})).toBe(202);
    expect(await cancelled("other", { "mcp-session-id": sessionId })).toBe(202);
    expect(await cancelled(String(id), { "mcp-session-id": sessionId })).toBe(202);
    expect(await openQuestions()).toHaveLength(1);
    expect(await cancelled(id, { "mcp-session-id": sessionId })).toBe(202);
    expect((await call_).isError).toBe(true);
    release.resolve(APPROVE);
    expect(await openQuestions()).toEqual([]);
    expect(await namesOf()).not.toContain("cancelled");
  });

  it("differs from a client that cannot: that one gets no session and no stream", async () => {
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      const sent: { headers: Headers; body: string }[] = [];
      const client = await connect(await seedKey(ana.workspaceId, ana), capabilities, sent);
      await save(client, `not asked ${Object.keys(capabilities)}`);
      expect(sent.map(({ headers }) => headers.get("mcp-session-id")).filter((id) => id !== null)).toEqual([]);
    }
    expect(await openQuestions()).toEqual([]);
  });
});

describe("without a valid key", () => {
  const hello = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  it.each([
    ["nobody", {}],
    ["a cookie alone", { withCookie: true }],
    ["a bad key", { key: `mr_${"A".repeat(43)}` }],
  ])("%s is 401 with instructions", async (_, { withCookie, key }: { withCookie?: boolean; key?: string }) => {
    const who = { ...(withCookie && { cookie: ana.cookie }), ...(key !== undefined && { key }) };
    const answer = await call("POST", "/api/mcp", { ...who, body: hello });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining('resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/api/mcp"'),
    ]);
  });

  it("returns 405 for other verbs: there are no sessions", async () => {
    for (const verb of ["GET", "DELETE"]) expect((await call(verb, "/api/mcp")).status).toBe(405);
  });
});

describe("C41 a JSON-RPC client without a library", () => {
  const JSON_TYPE = { "content-type": "application/json" };
  let key: string;
  beforeAll(async () => {
    key = await seedKey(ana.workspaceId, ana, "read");
  });
  const post = (rawBody: string, headers: Record<string, string> = {}) =>
    call("POST", "/api/mcp", { key, rawBody, headers: { ...JSON_TYPE, accept: "*/*", ...headers } });
  const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });

  it.each(["", "{", "not json", '{"jsonrpc":"2.0",}', "[1,", "\u0000", '{"id":1}}', "nul", "'a'", '{"a":\u00e9}'])(
    "C41 gets a parse error with a null ID for %j",
    async (text) => {
      const answer = await post(text);
      expect([answer.status, answer.json]).toEqual([
        400,
        { jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.stringMatching(/^Parse error/) } },
      ]);
    },
  );

  it.each([
    ["*/*"],
    ["application/json"],
    ["application/*"],
    ["application/json, text/event-stream"],
    ["text/html, */*;q=0.8"],
    ["APPLICATION/JSON; q=1"],
  ])("C41 gets JSON for Accept: %s", async (accept) => {
    const answer = await post(list, { accept });
    expect([answer.status, answer.headers.get("content-type"), answer.json.id]).toEqual([200, "application/json", 7]);
  });

  it("C41 gets 406 for an Accept without JSON", async () => {
    expect((await post(list, { accept: "text/html" })).status).toBe(406);
  });

  it.each([
    ["run_query", {}],
    ["run_query", { connectionId: 7, query: "select 1" }],
    ["run_query", { connectionId: "65f0aa00112233445566aabb" }],
    ["run_query", { query: "select 1" }],
    ["run_query", { connectionId: "65f0aa00112233445566aabb", query: "select 1", limit: 0 }],
    ["describe_entity", { connectionId: "65f0aa00112233445566aabb" }],
    ["read_console", {}],
    ["get_flow", { flowId: "x" }],
    ["create_chart", { title: "t", spec: {} }],
    ["create_chart", { title: "t", spec: {}, resultId: "65f0aa00112233445566aabb" }],
    ["no_such_tool", {}],
  ])("C41 gets -32602 for %s with %j", async (name, input) => {
    const message = { jsonrpc: "2.0", id: "a", method: "tools/call", params: { name, arguments: input } };
    const answer = await post(JSON.stringify(message));
    expect([answer.status, answer.json.id, answer.json.error?.code]).toEqual([200, "a", -32602]);
  });

  it("C41 sees each required argument listed as required", async () => {
    const { tools } = await full.listTools();
    const required = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]));
    expect(required).toMatchObject({
      list_connections: [],
      list_entities: ["connectionId"],
      describe_entity: ["connectionId", "name"],
      run_query: ["connectionId", "query"],
      search_consoles: ["query"],
      read_console: ["consoleId"],
      save_console: ["content"],
      create_chart: ["title", "spec", "connectionId", "query"],
      list_metrics: [],
      read_metric: ["name"],
      query_metrics: ["metrics"],
      save_metric: ["name", "content"],
      list_dashboards: [],
      read_dashboard: ["dashboardId"],
      save_dashboard: [],
      list_apps: [],
      save_app: [],
      list_folders: ["kind"],
      save_folder: ["kind"],
      delete_item: ["kind", "id"],
      set_schedule: ["kind", "id", "schedule"],
      list_rules: ["resourceType", "resourceId"],
      save_rule: [],
      list_flows: [],
      get_flow: ["flowId"],
      get_run: ["flowId", "runId"],
      create_flow: ["name", "type", "destination"],
      trigger_flow: ["flowId"],
    });
    const chart = tools.find(({ name }) => name === "create_chart");
    expect(Object.keys(chart?.inputSchema.properties ?? {})).not.toContain("resultId");
  });
});
