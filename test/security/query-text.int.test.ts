import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query as queryTool } from "@/lib/features/agent/tools/queries";
import { writeNow } from "@/lib/features/query/history-writer";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Credentials, call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { newId } from "@/test/fixtures/agent/ask";
import { appDocOf, askData, bindingText, callerOf, serve } from "@/test/fixtures/apps/bindings/binding-world";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { endpoints, pathWith } from "./routes";

/*
 * A marker text passes through every caller of the query service. Then every other principal reads every GET, the event
 * stream and the tools for MCP clients. The marker may only appear where its origin is visible to them.
 */
const own = takeOwnDatabase();

type Reader = "owner" | "admin" | "member" | "read key" | "stranger";
/** The readers of the text besides Ana, who runs everything. */
const ADMINS: Reader[] = ["owner", "admin", "read key"];
/** The readers who open each item, besides all lists. */
const OPENS_ITEMS: Reader[] = ["owner", "member"];
let ana: Person;
let readers: Record<Reader, Credentials>;
let base: string;
let connectionId: string;

beforeAll(async () => {
  const owner = await seedPerson("Owner");
  const { workspaceId } = owner;
  const [admin, member, author, stranger] = await Promise.all([
    seedMember(workspaceId, "admin"),
    seedMember(workspaceId, "member"),
    seedMember(workspaceId, "member"),
    seedPerson("Stranger"),
  ]);
  ana = author;
  readers = {
    owner: { cookie: owner.cookie },
    admin: { cookie: admin.cookie },
    member: { cookie: member.cookie },
    "read key": { key: await seedKey(workspaceId, owner, "read") },
    stranger: { cookie: stranger.cookie },
  };
  base = `/api/workspaces/${workspaceId}`;
  connectionId = (await call("GET", `${base}/connectors`, owner)).json.data[0].id;
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
});

async function make(path: string, body: object, method = "POST") {
  const answer = await call(method, base + path, { cookie: ana.cookie, body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.json.data;
}

const tool = async (key: string, name: string, input: object) =>
  call("POST", "/api/mcp", {
    key,
    headers: { accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
  });

const widget = (source: object) => ({ id: "w", kind: "chart", source, spec: { measures: [{ op: "count" }] } });
async function dashboard(access: "private" | "workspace", source: object) {
  const { id } = await make("/dashboards", { title: randomUUID(), access, widgets: [widget(source)] });
  await call("GET", `${base}/dashboards/${id}/data`, { cookie: ana.cookie });
  return { dashboardId: id as string };
}
async function consoleOf(access: "private" | "workspace", content: string) {
  return (await make("/consoles", { name: randomUUID(), content, access, connectionId })).id as string;
}
async function publishedApp(access: "private" | "workspace", text: string) {
  const { id } = await make("/apps", { title: randomUUID(), access });
  const doc = await appDocOf(ana.workspaceId, id);
  const publisher = await callerOf(ana);
  const sha = new ObjectId().toHexString().padEnd(40, "0");
  // A failed one is not published, but it is in the history.
  await serve(doc, publisher, { one: bindingText(connectionId, text) }, { sha }).catch(() => {});
  return { appId: id as string };
}
/** @param text a statement with the marker in a comment, or one that fails with it in the message */
type Run = (text: string) => Promise<Record<string, string>>;
type Case = { seenBy: "nobody" | "admins" | "members"; run: Run };

/** One line for each caller of the query service, with what others may see of it. */
const CASES: Record<string, Case> = {
  "a private console": {
    seenBy: "nobody",
    run: async (text) => {
      const consoleId = await consoleOf("private", text);
      await call("POST", `${base}/consoles/${consoleId}/execute`, { cookie: ana.cookie, body: {} });
      return { consoleId };
    },
  },
  "a text sent in place of a shared console's": {
    seenBy: "members",
    run: async (content) => {
      const consoleId = await consoleOf("workspace", "select 1");
      await call("POST", `${base}/consoles/${consoleId}/execute`, { cookie: ana.cookie, body: { content } });
      return { consoleId };
    },
  },
  "a shared console": {
    seenBy: "members",
    run: async (text) => {
      const consoleId = await consoleOf("workspace", text);
      await call("POST", `${base}/consoles/${consoleId}/execute`, { cookie: ana.cookie, body: {} });
      return { consoleId };
    },
  },
  "a private console, read by a private dashboard": {
    seenBy: "nobody",
    run: async (text) => dashboard("private", { consoleId: await consoleOf("private", text) }),
  },
  "a private console, read by a shared dashboard": {
    seenBy: "nobody",
    run: async (text) => dashboard("workspace", { consoleId: await consoleOf("private", text) }),
  },
  "a private console, read by a refresh of a shared dashboard": {
    seenBy: "nobody",
    run: async (text) => {
      const ids = await dashboard("workspace", { consoleId: await consoleOf("private", text) });
      const run = await make(`/dashboards/${ids.dashboardId}/refresh`, {});
      return { ...ids, runId: run.id };
    },
  },
  "a private dashboard's own text": {
    seenBy: "nobody",
    run: (query) => dashboard("private", { connectionId, query }),
  },
  "a shared dashboard's own text": {
    seenBy: "members",
    run: (query) => dashboard("workspace", { connectionId, query }),
  },
  "a dashboard that was shared later": {
    seenBy: "nobody",
    run: async (query) => {
      const { dashboardId } = await dashboard("private", { connectionId, query });
      const { version } = await make(
        `/dashboards/${dashboardId}`,
        { version: 1, access: "workspace", widgets: [] },
        "PUT",
      );
      expect(version).toBe(2);
      return {};
    },
  },
  "a preview of a dashboard": {
    seenBy: "nobody",
    run: async (query) => {
      await make("/dashboards/preview", { widgets: [widget({ connectionId, query })] });
      return {};
    },
  },
  "a preview of a shared dashboard": {
    seenBy: "nobody",
    run: async (query) => {
      const { dashboardId } = await dashboard("workspace", { connectionId, query: "select 1" });
      await make("/dashboards/preview", { dashboardId, widgets: [widget({ connectionId, query })] });
      return { dashboardId };
    },
  },
  "a binding of a private app": { seenBy: "nobody", run: (text) => publishedApp("private", text) },
  "a binding of a shared app": { seenBy: "admins", run: (text) => publishedApp("workspace", text) },
  "a binding that somebody tries out": {
    seenBy: "nobody",
    run: async (text) => {
      const { id } = await make("/apps", { title: randomUUID(), access: "workspace" });
      const path = `${base}/apps/${id}/files?path=bindings/one.sql`;
      const content = bindingText(connectionId, text);
      const written = await call("PUT", path, { cookie: ana.cookie, body: { content } });
      expect(written.status).toBeLessThan(300);
      await call("POST", `${base}/apps-v2/${id}/bindings/one/preview`, { cookie: ana.cookie });
      const at = { kind: "work" as const, userId: new ObjectId(ana.id) };
      await askData(await appDocOf(ana.workspaceId, id), at, "one.json").catch(() => {});
      return { appId: id };
    },
  },
  "a preview of a flow": {
    seenBy: "nobody",
    run: async (query) => {
      await call("POST", `${base}/flows/preview`, { cookie: ana.cookie, body: { connectionId, query } });
      return {};
    },
  },
  "a chat": {
    seenBy: "nobody",
    run: async (query) => {
      const chatId = newId();
      const context = {
        caller: await callerOf(ana),
        signal: new AbortController().signal,
        requireGrant: async () => {},
        mayWriteByQuery: async () => false,
        chat: {
          id: new ObjectId(chatId),
          keep: () => {},
          hasKept: async () => false,
          failedQueries: { count: 0 },
          decision: async () => null,
          plannedDashboards: async () => [],
        },
      };
      await queryTool(context, { connectionId, query }).catch(() => {});
      return {};
    },
  },
  "a client of the Model Context Protocol": {
    seenBy: "nobody",
    run: async (query) => {
      await tool(await seedKey(ana.workspaceId, ana), "run_query", { connectionId, query });
      return {};
    },
  },
  "a query of no console": {
    seenBy: "admins",
    run: async (query) => {
      await call("POST", `${base}/databases/${connectionId}/execute`, { cookie: ana.cookie, body: { query } });
      return {};
    },
  },
  "a query by a key, at the short address": {
    seenBy: "admins",
    run: async (query) => {
      await call("POST", "/api/execute", { key: await seedKey(ana.workspaceId, ana), body: { connectionId, query } });
      return {};
    },
  },
  "an export": {
    seenBy: "admins",
    run: async (query) => {
      const headers = { accept: "text/csv" };
      await call("POST", `${base}/databases/${connectionId}/execute`, { cookie: ana.cookie, headers, body: { query } });
      return {};
    },
  },
};

/** The filtered value is also text of the user. */
async function filterRows(marker: string): Promise<void> {
  const table = { schema: "shop", name: "orders" };
  const { json } = await call("GET", `${base}/connectors/${connectionId}/entities`, { cookie: ana.cookie });
  const [entity] = json.data.items ?? json.data;
  const of = entity ? { name: entity.name, ...(entity.schema && { schema: entity.schema }) } : table;
  const [column] = entity?.columns ?? [];
  const filters = [{ column: column?.name, op: "contains", value: marker }];
  await call("POST", `${base}/databases/${connectionId}/rows`, { cookie: ana.cookie, body: { table: of, filters } });
}

const PLACES = endpoints.filter(({ method, path }) => method === "GET" && !/\/events$|repohost|inngest/.test(path));
/** Returns everything that a reader can get, as one text. */
async function crawl(who: Credentials, ids: Record<string, string>, onlyWith: string[] | null): Promise<string> {
  const texts: string[] = [];
  for (const { path } of PLACES) {
    if (onlyWith && !onlyWith.some((name) => path.includes(`{${name}}`))) continue;
    const query = path.endsWith("/executions") || path.endsWith("/runs") ? "?limit=200" : "";
    texts.push((await call("GET", pathWith(path, ids) + query, who)).text);
  }
  return texts.join("\n");
}

describe("C22 the text of a query", { tags: ["long"] }, () => {
  it("is visible only to its author and those who can see its origin", { timeout: 240_000 }, async () => {
    const streams = await Promise.all(
      (["owner", "member"] as const).map(async (name) => {
        const stop = new AbortController();
        const response = await callRaw("GET", `${base}/events`, { ...readers[name], signal: stop.signal });
        let text = "";
        const read = (async () => {
          for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
            text += new TextDecoder().decode(bytes);
          }
        })().catch(() => {});
        const end = async () => {
          stop.abort();
          await read;
          return text;
        };
        return { stop: end };
      }),
    );
    const made: { name: string; kind: string; marker: string; ids: Record<string, string>; seenBy: Case["seenBy"] }[] =
      [];
    for (const [name, { run, seenBy }] of Object.entries(CASES)) {
      for (const [kind, textOf] of Object.entries({
        "that works": (marker: string) => `select 1 as n -- ${marker}`,
        "that fails": (marker: string) => `select 1 as n from ${marker}`,
      })) {
        const marker = `w${randomUUID().replaceAll("-", "")}`;
        made.push({ name, kind, marker, ids: await run(textOf(marker)), seenBy });
      }
    }
    const value = `w${randomUUID().replaceAll("-", "")}`;
    await filterRows(value);
    await writeNow();

    const all = await crawl({ cookie: ana.cookie }, { workspaceId: ana.workspaceId }, null);
    // The query's author finds it: the crawl would detect a leak.
    expect(made.filter(({ marker: word }) => !all.includes(word)).map(({ name, kind }) => `${name} ${kind}`)).toEqual(
      [],
    );
    made.push({ name: "a filter of a table's rows", kind: "", marker: value, ids: {}, seenBy: "nobody" });

    const found: string[] = [];
    const expected: string[] = [];
    for (const [reader, who] of Object.entries(readers) as [Reader, Credentials][]) {
      const lists = await crawl(who, { workspaceId: ana.workspaceId }, null);
      const isAdmin = ADMINS.includes(reader);
      for (const { name, kind, marker: word, ids, seenBy } of made) {
        const names = Object.keys(ids);
        const own =
          names.length === 0 || !OPENS_ITEMS.includes(reader)
            ? ""
            : await crawl(who, { workspaceId: ana.workspaceId, ...ids }, names);
        const isSeen = (lists + own).includes(word);
        const line = `${name} ${kind}: ${reader}`;
        if (isSeen) found.push(line);
        const may = reader !== "stranger" && (seenBy === "members" || (seenBy === "admins" && isAdmin));
        // Admins must see permitted text, at least in the history; members see it in the item itself.
        if (may && isAdmin) expected.push(line);
        else if (may && isSeen) expected.push(line);
      }
    }
    expect(found).toEqual(expected);

    for (const key of [readers["read key"]]) {
      const answers = await Promise.all([
        tool(key.key ?? "", "list_connections", {}),
        ...made.map(({ marker: word }) => tool(key.key ?? "", "search_consoles", { query: word })),
      ]);
      answers.slice(1).forEach(({ text }, index) => {
        const { seenBy, marker: word } = made[index] as (typeof made)[number];
        if (seenBy === "nobody") expect(text.replaceAll(`"${word}"`, "")).not.toContain(`-- ${word}`);
      });
    }
    for (const { stop } of streams) {
      const text = await stop();
      expect(made.filter(({ marker: word }) => text.includes(word))).toEqual([]);
    }
  });
});
