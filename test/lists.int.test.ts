import { randomUUID } from "node:crypto";
import { type CommandStartedEvent, type Document, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { routeModules } from "@/.generated/routes";
import { collections as connectedApps } from "@/lib/features/accounts/connected-apps/collections";
import { collections as agent } from "@/lib/features/agent/collections";
import { declarations } from "@/lib/features/instance/collections";
import { collections as queries } from "@/lib/features/query/collections";
import { commitChanges, createReview } from "@/lib/features/repository/service";
import { listEndpoints } from "@/lib/platform/api/registry";
import { database, mongoClient } from "@/lib/platform/db/client";
import { DAY_SECONDS } from "@/lib/platform/db/collection";
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { STAND_IN } from "@/test/fixtures/embedded/mongo/start";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { takeOwnStore } from "@/test/fixtures/own-store";
import { type Answer, call } from "./client";
import { takeOwnDatabase } from "./database";
import { PASSWORD, type Person, seedMember, seedPerson } from "./seed";

/**
 * Every list × every kind of paging (docs/develop/api.md, Common rules). A list that is missing here fails the build.
 * Each entry says how to create one more item, and how to identify an item.
 */
type Item = Record<string, unknown>;
type List = {
  add: (n: number) => Promise<unknown>;
  idOf?: (item: Item) => unknown;
  itemsIn?: (data: Item) => Item[];
  /** Further query parameters that the list requires. */
  query?: (person: Person) => Record<string, string>;
  /** Filters of the list that match no item here, and would have to read all of them without an index. */
  rare?: Record<string, string>[];
};

/** Number of items in each list; three pages of one or two. */
const ITEMS = 5;
/** Maximum number of pages in a walk: stops at a list that never ends. */
const PAGES_MAX = 6 * ITEMS;

// The product's store has no `explain`; the stand-in adds it to the same planner.
const store = await takeOwnStore(STAND_IN);
const own = takeOwnDatabase();
// The driver reports commands only on request, and only on connections opened after it.
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();
let owner: Person;
let stranger: Person;
let home: string;
let connectionId: string;
let consoleId: string;
const METRIC = "changed";
let dashboardId: string;
let appId: string;
let flowId: string;
let webhookFlowId: string;
let chatId: string;
let flowOf: (n: number) => Item;

const post = async (path: string, body: unknown, method = "POST"): Promise<Item> => {
  const answer = await call(method, path, { cookie: owner.cookie, body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.text}`);
  return answer.json.data;
};

const consoles = new Map<Person, string>();
const ofConsole = (person: Person) => ({
  resourceType: "scheduled_query",
  resourceId: consoles.get(person) ?? "",
});
const addRule = (_: number, trigger = "success") =>
  post(`${home}/notification-rules`, {
    ...ofConsole(owner),
    triggers: [trigger],
    channelType: "email",
    recipients: ["a@example.com"],
  });
/** One rule fires on failure, so each run creates one delivery. */
let failureRule: Promise<unknown> | null = null;
async function addDelivery(): Promise<void> {
  failureRule ??= addRule(0, "failure");
  await failureRule;
  const clock = takeJobEvents();
  await endRun({ workspaceId: owner.workspaceId, consoleId }, { status: "failure", error: "no" });
  await clock.step();
}

async function publishOnceMore(n: number): Promise<void> {
  await post(`${home}/apps/${appId}/files?path=list.md`, { content: `${randomUUID()} ${n}` }, "PUT");
  await post(`${home}/apps/${appId}/commit`, {});
  await post(`${home}/apps/${appId}/publish`, {});
}

const rowOf = (path: string): List | undefined => lists[path] ?? bounded[path];

const lists: Record<string, List> = {
  "/api/auth/sessions": {
    add: () => call("POST", "/api/auth/login", { body: { email: owner.email, password: PASSWORD } }),
  },
  "/api/workspaces": { add: (n) => post("/api/workspaces", { name: `Workspace ${n}` }) },
  "/api/workspaces/{workspaceId}": {
    add: () => seedMember(owner.workspaceId, "member"),
    idOf: ({ userId }) => userId,
    itemsIn: ({ members }) => members as Item[],
    rare: [{ ids: "f".repeat(24) }],
  },
  "/api/workspaces/{workspaceId}/api-keys": { add: (n) => post(`${home}/api-keys`, { name: `Key ${n}` }) },
  "/api/workspaces/{workspaceId}/connected-apps": {
    add: async (n) => {
      const _id = new ObjectId();
      const ids = { _id, workspaceId: new ObjectId(owner.workspaceId), userId: new ObjectId(owner.id) };
      const dates = { createdAt: new Date(), lastUsedAt: null, expiresAt: new Date(Date.now() + DAY_SECONDS * 1000) };
      const client = { clientId: `mc_${n}`, name: `Client ${n}`, host: "localhost", scopes: ["read" as const] };
      await connectedApps.connectedApps().insertOne({ ...ids, ...client, ...dates });
      return { id: _id.toHexString() };
    },
  },
  "/api/workspaces/{workspaceId}/connectors": {
    add: (n) => post(`${home}/connectors`, { name: `File ${n}`, type: "sqlite", config: { file: `${n}.sqlite` } }),
    rare: [{ ids: "f".repeat(24) }],
  },
  "/api/workspaces/{workspaceId}/consoles": {
    add: (n) => post(`${home}/consoles`, { name: `Console ${n}`, content: "select 1" }),
    rare: [{ connectionId: "f".repeat(24) }],
  },
  "/api/workspaces/{workspaceId}/consoles/folders": {
    add: (n) => post(`${home}/consoles/folders`, { name: `Folder ${n}` }),
  },
  // Folders and consoles, which the lists above have created.
  "/api/workspaces/{workspaceId}/consoles/tree": {
    add: () => Promise.resolve(),
    itemsIn: ({ folders, items }) => [...(folders as Item[]), ...(items as Item[])],
  },
  "/api/workspaces/{workspaceId}/dashboards": {
    add: (n) => post(`${home}/dashboards`, { title: `Dashboard ${n}` }),
  },
  "/api/workspaces/{workspaceId}/dashboards/{dashboardId}/git/history": {
    add: async (n) => {
      const { version } = (await call("GET", `${home}/dashboards/${dashboardId}`, { cookie: owner.cookie })).json.data;
      return post(`${home}/dashboards/${dashboardId}`, { version, description: `${n}` }, "PUT");
    },
    idOf: ({ sha }) => sha,
  },
  "/api/workspaces/{workspaceId}/metrics": {
    add: (n) => post(`${home}/metrics/m${n}`, { content: modelText({ metric: `m${n}` }) }, "PUT"),
  },
  "/api/workspaces/{workspaceId}/metrics/{metricName}/git/history": {
    add: async (n) => {
      const path = `${home}/metrics/${METRIC}`;
      const { data } = (await call("GET", path, { cookie: owner.cookie })).json;
      const content = modelText({ metric: `changed_${n}` });
      return post(path, { content, version: data?.version }, "PUT");
    },
    idOf: ({ sha }) => sha,
  },
  "/api/workspaces/{workspaceId}/dashboards/{dashboardId}/runs": {
    // One at a time: it ends before the next one is requested.
    add: async () => {
      const { run } = await post(`${home}/dashboards/${dashboardId}/refresh`, {});
      return post(`${home}/dashboards/${dashboardId}/runs/${(run as Item).id}/cancel`, {});
    },
  },
  "/api/workspaces/{workspaceId}/apps": {
    add: (n) => post(`${home}/apps`, { title: `App ${n}` }),
    rare: [{ ids: "f".repeat(24) }],
  },
  "/api/workspaces/{workspaceId}/dashboards/folders": {
    add: (n) => post(`${home}/dashboards/folders`, { name: `Folder ${n}` }),
  },
  // Folders and dashboards, which the lists above have created.
  "/api/workspaces/{workspaceId}/dashboards/tree": {
    add: () => Promise.resolve(),
    itemsIn: ({ folders, items }) => [...(folders as Item[]), ...(items as Item[])],
  },
  "/api/workspaces/{workspaceId}/reviews": {
    add: async (n) => {
      const repositoryId = new ObjectId(owner.workspaceId);
      const author = { name: "Olga", email: "olga@example.com" };
      const changes = [{ kind: "put" as const, path: `docs/${n}.md`, content: `${n}` }];
      const { sha } = await commitChanges({ repositoryId, author, message: `Document ${n}`, changes });
      await createReview(repositoryId, { name: `review/list-${n}`, sha, createdBy: new ObjectId(owner.id) });
    },
    idOf: ({ name }) => name,
  },
  "/api/workspaces/{workspaceId}/apps/{appId}/deployments": { add: publishOnceMore },
  // The publishes above.
  "/api/workspaces/{workspaceId}/apps/{appId}/operations": { add: () => Promise.resolve() },
  "/api/workspaces/{workspaceId}/apps/{appId}/history": {
    add: async (n) => {
      await post(`${home}/apps/${appId}/files?path=note.md`, { content: `${n}` }, "PUT");
      return post(`${home}/apps/${appId}/commit`, { message: `Commit ${n}` });
    },
    idOf: ({ sha }) => sha,
  },
  "/api/workspaces/{workspaceId}/consoles/{consoleId}/git/history": {
    add: async (n) => {
      const { version } = (await call("GET", `${home}/consoles/${consoleId}`, { cookie: owner.cookie })).json.data;
      return post(`${home}/consoles/${consoleId}`, { version, content: `select ${n}` }, "PUT");
    },
    idOf: ({ sha }) => sha,
  },
  "/api/workspaces/{workspaceId}/consoles/{consoleId}/runs": {
    // One at a time: it ends before the next one is requested.
    add: async () => {
      const { run } = await post(`${home}/consoles/${consoleId}/schedule/run`, {});
      return post(`${home}/consoles/${consoleId}/runs/${(run as Item).id}/cancel`, {});
    },
  },
  "/api/workspaces/{workspaceId}/chats": { add: (n) => post(`${home}/chats`, { title: `Chat ${n}` }) },
  "/api/workspaces/{workspaceId}/chats/{chatId}": {
    add: (n) =>
      agent.chatMessages().insertOne({
        _id: new ObjectId(),
        workspaceId: new ObjectId(owner.workspaceId),
        chatId: new ObjectId(chatId),
        seq: n + 1,
        role: "user",
        parts: JSON.stringify([{ type: "text", text: `Question ${n}` }]),
        state: "done",
        resultIds: [],
        feedback: null,
        createdAt: new Date(),
      }),
    // The newest page comes first, and each page is in the order of the conversation.
    itemsIn: ({ messages }) => (messages as Item[]).toReversed(),
  },
  "/api/workspaces/{workspaceId}/executions": {
    add: (n) => post(`${home}/databases/${connectionId}/execute`, { query: `select ${n} as n` }),
    idOf: ({ executionId }) => executionId,
  },
  "/api/workspaces/{workspaceId}/files": {
    add: (n) => call("POST", `${home}/files?name=${n}.csv`, { cookie: owner.cookie, rawBody: "a\n" }),
    idOf: ({ file }) => file,
  },
  "/api/workspaces/{workspaceId}/flows": {
    add: (n) => post(`${home}/flows`, flowOf(n)),
    rare: [{ ids: "f".repeat(24) }],
  },
  "/api/workspaces/{workspaceId}/flows/{flowId}/runs": {
    add: async () => {
      const { run } = await post(`${home}/flows`, { flowId });
      return post(`${home}/flows/${flowId}/runs/${(run as Item).id}/cancel`, {});
    },
  },
  "/api/workspaces/{workspaceId}/flows/{flowId}/webhook/events": {
    add: () => post(`${home}/flows/${webhookFlowId}/webhook/test`, {}),
  },
  // Runs of consoles and flows, which the lists above and the deliveries below have created.
  "/api/workspaces/{workspaceId}/runs": {
    add: () => Promise.resolve(),
    rare: [{ status: "success" }, { resourceType: "flow", status: "running" }],
  },
  "/api/workspaces/{workspaceId}/invites": {
    add: () => post(`${home}/invites`, { email: `${randomUUID()}@example.com` }),
  },
  "/api/workspaces/{workspaceId}/notification-rules": { add: addRule, query: ofConsole },
  "/api/workspaces/{workspaceId}/notifications/rules": { add: addRule, rare: [{ channelType: "webhook" }] },
  "/api/workspaces/{workspaceId}/notification-rules/deliveries": { add: addDelivery, query: ofConsole },
  "/api/workspaces/{workspaceId}/notifications/deliveries": {
    add: addDelivery,
    rare: [{ status: "skipped" }, { channelType: "webhook" }, { ruleId: "f".repeat(24), status: "sent" }],
  },
  // Each invitation is an email too.
  "/api/workspaces/{workspaceId}/outbox": {
    add: () => post(`${home}/invites`, { email: `${randomUUID()}@example.com` }),
  },
};

/** Bounded lists: they return everything without a limit (C40). */
const bounded: Record<string, List> = {
  // One for each built-in kind.
  "/api/connectors/types": { add: () => Promise.resolve(), idOf: ({ type }) => type },
  // Files of one folder; the list reads at most 20.
  "/api/workspaces/{workspaceId}/apps-v2/{appId}/bindings": {
    add: (n) => {
      const content = `---\nconnection: Sample shop\n---\nselect ${n} as n\n`;
      return post(`${home}/apps/${appId}/files?path=bindings/list${n}.sql`, { content }, "PUT");
    },
    idOf: ({ name }) => name,
  },
  "/api/workspaces/{workspaceId}/apps/templates": { add: () => Promise.resolve() },
  // The schema of a source, which is read as a whole.
  "/api/workspaces/{workspaceId}/connectors/{connectionId}/entities": {
    add: () => Promise.resolve(),
    idOf: ({ schema, name }) => `${schema}.${name}`,
  },
  // Items that a deletion would stop, up to 200 of a kind: here the flows above.
  "/api/workspaces/{workspaceId}/connectors/{connectionId}/uses": { add: () => Promise.resolve() },
  // The last 200.
  "/api/workspaces/{workspaceId}/consoles/lookup": { add: () => Promise.resolve() },
  // The best 50.
  "/api/workspaces/{workspaceId}/consoles/search": {
    add: () => Promise.resolve(),
    query: () => ({ q: "Console" }),
  },
  // Snapshots of one dashboard, which has at most 20.
  "/api/workspaces/{workspaceId}/dashboards/{dashboardId}/snapshots": {
    add: (n) =>
      post(`${home}/dashboards/${dashboardId}/snapshots`, {
        cron: "0 7 * * *",
        timezone: "UTC",
        channelType: "email",
        recipients: [`list${n}@example.com`],
      }),
  },
  // The last 200.
  "/api/workspaces/{workspaceId}/dashboards/lookup": { add: () => Promise.resolve() },
  // A person's sessions, at most 5. They need a heartbeat.
  "/api/workspaces/{workspaceId}/databases/{connectionId}/sessions": {
    add: (n) => {
      const [now, later] = [new Date(), new Date(Date.now() + DAY_SECONDS * 1000)];
      return queries.manualSessions().insertOne({
        ...{ _id: new ObjectId(), workspaceId: new ObjectId(owner.workspaceId), userId: new ObjectId(owner.id) },
        ...{ connectionId: new ObjectId(connectionId), personSlot: `p${n}`, connectionSlot: `c${n}` },
        ...{ serverId: "other", serverUrl: "http://127.0.0.1:1", isolation: null, state: "idle", since: now },
        ...{ statements: 0, expiresAt: later, seenAt: later },
      });
    },
    idOf: ({ sessionId }) => sessionId,
  },
};

const pagedPaths = listEndpoints(routeModules)
  .filter(({ definition }) => definition.query instanceof z.ZodObject && "cursor" in definition.query.shape)
  .filter(({ path }) => !(path in bounded))
  // Three lists with a special order and limit: lib/features/apps/feed/feed.int.test.ts.
  .filter(({ path }) => !path.endsWith("/apps/feed"))
  .map(({ path }) => path);

beforeAll(async () => {
  [owner, stranger] = await Promise.all([seedPerson("owner"), seedPerson("stranger")]);
  home = `/api/workspaces/${owner.workspaceId}`;
  connectionId = (await call("GET", `${home}/connectors`, { cookie: owner.cookie })).json.data[0].id;
  consoleId = String((await post(`${home}/consoles`, { name: "Read", content: "select 0", connectionId })).id);
  dashboardId = String((await post(`${home}/dashboards`, { title: "Read" })).id);
  appId = String((await post(`${home}/apps`, { title: "Read" })).id);
  consoles.set(owner, consoleId).set(stranger, await addConsole(stranger));
  const file = { name: "Into", type: "sqlite", config: { file: "into.sqlite" }, readOnly: false };
  const destination = { connectionId: (await post(`${home}/connectors`, file)).id, write: "append" };
  const source = { connectionId, query: "select 1 as one" };
  flowOf = (n) => ({ name: `Flow ${n}`, type: "query", source, destination, trigger: false });
  flowId = String(((await post(`${home}/flows`, flowOf(-1))).flow as Item).id);
  const webhook = { name: "Webhook", type: "webhook", destination, trigger: false };
  webhookFlowId = String(((await post(`${home}/flows`, webhook)).flow as Item).id);
  await post(`${home}/flows/${webhookFlowId}/webhook/provision`, {});
  chatId = String((await post(`${home}/chats`, { title: "Read" })).id);
  // One after the other: items created at once have no defined order.
  for (const list of [...Object.values(lists), ...Object.values(bounded)])
    for (let n = 0; n < ITEMS; n++) await list.add(n);
});
afterAll(async () => {
  await own.drop();
  await store.close();
});

const urlOf = (path: string, person: Person = owner) =>
  path
    .replace("{workspaceId}", person.workspaceId)
    .replace("{consoleId}", consoleId)
    .replace("{dashboardId}", dashboardId)
    .replace("{metricName}", METRIC)
    .replace("{appId}", appId)
    .replace("{flowId}", path.includes("/webhook/") ? webhookFlowId : flowId)
    .replace("{connectionId}", connectionId)
    .replace("{chatId}", chatId);

function read(path: string, query: Record<string, string>, person: Person = owner): Promise<Answer> {
  const asked = new URLSearchParams({ ...rowOf(path)?.query?.(person), ...query });
  return call("GET", `${urlOf(path, person)}?${asked}`, { cookie: person.cookie });
}

function itemsOf(path: string, { json }: Answer): Item[] {
  const { itemsIn = (data: Item) => (Array.isArray(data) ? data : (data.items as Item[])) } = rowOf(path) ?? {};
  return itemsIn(json.data);
}

/** Returns the next cursor, from the body or the header; null at the end. */
function nextOf({ json, headers }: Answer): string | null {
  const inData = json.data.nextCursor as string | null | undefined;
  return inData === undefined ? headers.get("x-next-cursor") : inData;
}

async function walk(path: string, limit: number): Promise<unknown[][]> {
  const { idOf = ({ id }: Item) => id } = rowOf(path) ?? {};
  const pages: unknown[][] = [];
  for (let cursor: string | null = ""; cursor !== null && pages.length < PAGES_MAX; ) {
    const answer: Answer = await read(path, { limit: String(limit), ...(cursor !== "" && { cursor }) });
    expect(answer.status).toBe(200);
    pages.push(itemsOf(path, answer).map(idOf));
    cursor = nextOf(answer);
  }
  return pages;
}

let cursors: Promise<string[]> | null = null;
/** Returns a cursor of each list for its owner and for a stranger, read once for all tests. */
function cursorsOfAll(): Promise<string[]> {
  cursors ??= (async () => {
    const found = new Set<string>();
    for (const path of pagedPaths) {
      for (const person of [owner, stranger]) {
        if (person === stranger && /\{(consoleId|dashboardId|metricName|appId|flowId|chatId)\}/.test(path)) continue;
        const cursor = nextOf(await read(path, { limit: "1" }, person));
        if (cursor !== null) found.add(cursor);
      }
    }
    return [...found];
  })();
  return cursors;
}

it("has a row for each registered list, and no other", () => {
  expect(Object.keys(lists).sort()).toEqual([...pagedPaths].sort());
  const arrays = listEndpoints(routeModules).filter(
    ({ method, definition }) => method === "GET" && definition.response instanceof z.ZodArray,
  );
  expect(arrays.map(({ path }) => path).filter((path) => !pagedPaths.includes(path))).toEqual(Object.keys(bounded));
});

describe.each(Object.keys(lists))("%s", (path) => {
  it("clamps any integer limit to 1..200 and rejects the rest (T86)", async () => {
    const all = itemsOf(path, await read(path, { limit: String(LIST_LIMIT_MAX) })).length;
    expect(all).toBeGreaterThanOrEqual(ITEMS);
    // Otherwise the default would look like no limit.
    expect(all).toBeLessThan(LIST_LIMIT_DEFAULT);
    const counts: [string, number][] = [["1", 1], ["2", 2], ["0", 1], ["-1", 1], ["201", all], ["9".repeat(30), all]]; // biome-ignore format: one look at the whole list
    for (const [limit, count] of counts) {
      const answer = await read(path, { limit });
      expect([limit, answer.status, itemsOf(path, answer).length]).toEqual([limit, 200, count]);
    }
    expect(itemsOf(path, await read(path, {}))).toHaveLength(all);
    for (const limit of ["a", "1.5", "", "1e1", " 1"]) {
      const answer = await read(path, { limit });
      expect([limit, answer.status, answer.json.code]).toEqual([limit, 400, "invalid_request"]);
    }
  });

  it("returns each item once, page by page, in one order, with an end", async () => {
    const [whole = []] = await walk(path, LIST_LIMIT_MAX);
    for (const limit of [1, 2]) {
      const pages = await walk(path, limit);
      expect(pages.length).toBe(Math.ceil(whole.length / limit));
      expect(pages.length).toBeGreaterThanOrEqual(3);
      expect(pages.flat()).toEqual(whole);
      expect(new Set(pages.flat()).size).toBe(whole.length);
    }
    // A full last page ends the list: no empty one follows it.
    expect(await walk(path, whole.length)).toEqual([whole]);
  });

  it("rejects a cursor that no list has returned", async () => {
    const bad = [
      "bad",
      "",
      "%00",
      "\u0000",
      "..",
      "-1",
      "[object Object]",
      "{}",
      "f".repeat(23),
      "F".repeat(24),
      "x".repeat(3000),
    ];
    for (const cursor of bad) {
      const answer = await read(path, { cursor });
      expect([cursor.slice(0, 30), answer.status, answer.json.code]).toEqual([
        cursor.slice(0, 30),
        400,
        "invalid_request",
      ]);
      expect(answer.json.details[0]).toMatchObject({ path: "cursor" });
    }
  });

  it("shows nothing of others to their cursor, or to another list's", async () => {
    const ids = new Set((await walk(path, LIST_LIMIT_MAX)).flat());
    const { idOf = ({ id }: Item) => id } = lists[path] ?? {};
    for (const cursor of await cursorsOfAll()) {
      const answer = await read(path, { cursor });
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 400) expect(answer.json.code).toBe("invalid_request");
      else expect(itemsOf(path, answer).filter((item) => !ids.has(idOf(item)))).toEqual([]);
    }
  });
});

describe.each(Object.keys(bounded))("C40 %s", (path) => {
  const idsOf = (answer: Answer) => itemsOf(path, answer).map(rowOf(path)?.idOf ?? (({ id }: Item) => id));

  it("C40 returns everything without a limit, and obeys one", async () => {
    const whole = await read(path, {});
    const all = idsOf(whole);
    expect([whole.status, all.length >= 2, nextOf(whole)]).toEqual([200, true, null]);
    for (const [limit, count] of [
      ["1", 1],
      ["0", 1],
      ["-1", 1],
      ["200", all.length],
      ["9".repeat(30), all.length],
    ] as const) {
      // biome-ignore format: one look at the whole list
      const answer = await read(path, { limit });
      expect([limit, answer.status, idsOf(answer)]).toEqual([limit, 200, all.slice(0, count)]);
    }
    for (const limit of ["a", "1.5", "", "1e1", " 1"]) {
      expect([limit, (await read(path, { limit })).status]).toEqual([limit, 400]);
    }
  });

  it("C40 returns each item once, page by page", async () => {
    const all = idsOf(await read(path, {}));
    const pages: unknown[][] = [];
    for (let cursor: string | null = ""; cursor !== null && pages.length < all.length; ) {
      const answer: Answer = await read(path, { limit: "1", ...(cursor !== "" && { cursor }) });
      pages.push(idsOf(answer));
      cursor = nextOf(answer);
    }
    expect(pages.flat()).toEqual(all);
    expect(nextOf(await read(path, { limit: "1", cursor: `p${all.length - 1}` }))).toBeNull();
    expect(idsOf(await read(path, { cursor: "p1" }))).toEqual(all.slice(1));
    expect(idsOf(await read(path, { cursor: "p999999999" }))).toEqual([]);
  });

  it("C40 rejects a cursor that no list has returned", async () => {
    for (const cursor of ["bad", "", "p", "p-1", "p1.5", "%00", "1", "f".repeat(24), `p${"9".repeat(10)}`]) {
      const answer = await read(path, { cursor });
      expect([cursor, answer.status, answer.json.details?.[0].path]).toEqual([cursor, 400, "cursor"]);
    }
  });
});

/** Number of copies of each item: a list that reads more than its page then shows it. */
const COPIES = 100;
const PAGE_ITEMS = 3;
/** Maximum number of documents that a query of a page examines: chunks of up to two ranges, and those of a merge. */
const READ_MAX = 60;
/** The same for each key of a search by name, and for the latest saves: 100 and 200 items. */
const SEARCH_READ_MAX = 500;
/** Fields that only some documents of a unique or partial index have. */
const MARKS = ["isNewest", "isUnfinished"];

type Command = { name: string; command: Document };

/** Returns the reads that a request sends to the store. */
async function readsOf(work: () => Promise<unknown>): Promise<Command[]> {
  const reads: Command[] = [];
  const note = ({ commandName, command }: CommandStartedEvent) => {
    const isRead = commandName === "find" || commandName === "aggregate";
    if (isRead && typeof command[commandName] === "string") reads.push({ name: commandName, command });
  };
  mongoClient().on("commandStarted", note);
  await work();
  mongoClient().off("commandStarted", note);
  return reads;
}

/** Multiplies the documents of a list's collection, with other values in its unique indexes. */
async function multiply({ name, command }: Command): Promise<void> {
  const collection = database().collection(command[name]);
  const filter = name === "find" ? command.filter : command.pipeline[0].$match;
  const indexes = declarations.find(({ collectionName }) => collectionName === command[name])?.indexes ?? [];
  // Copies lack the marks, so that they are not in indexes of marked documents.
  const isOfCopies = ({ unique, partialFilterExpression = {} }: (typeof indexes)[number]) =>
    unique === true && !MARKS.some((mark) => mark in partialFilterExpression);
  const fields = indexes.filter(isOfCopies).flatMap(({ key }) => Object.keys(key).slice(-1));
  const changed = (value: unknown, n: number): unknown =>
    value instanceof ObjectId ? new ObjectId() : typeof value === "number" ? value + n * 1000 : `${value}${n}`;
  const docs = await collection.find(filter).toArray();
  const copies = docs.flatMap((doc) =>
    Array.from({ length: COPIES }, (_, n) => {
      const copy: Document = { ...doc, _id: new ObjectId() };
      for (const field of fields) if (copy[field] != null) copy[field] = changed(copy[field], n + 1);
      for (const mark of MARKS) delete copy[mark];
      return copy;
    }),
  );
  if (copies.length > 0) await collection.insertMany(copies);
}

/** Returns the number of documents and index entries that a read examines. */
async function examinedBy({ name, command }: Command): Promise<number> {
  const { lsid: _, $db: __, $clusterTime: ___, ...plain } = command;
  const explained = await database().command({
    explain: { [name]: command[name], ...plain },
    verbosity: "executionStats",
  });
  const stats = explained.executionStats ?? explained.stages?.[0]?.$cursor?.executionStats;
  return Math.max(stats?.totalDocsExamined ?? 0, stats?.totalKeysExamined ?? 0);
}

const isLimited = ({ command }: Command): boolean =>
  command.limit !== undefined || command.pipeline?.some((stage: Document) => "$limit" in stage);

describe("among many documents", () => {
  // Files are not in the store.
  const stored = Object.keys(lists).filter((path) => !path.endsWith("/files"));

  beforeAll(async () => {
    const known = new Set<string>();
    for (const path of stored) {
      for (const found of (await readsOf(() => read(path, { limit: "1" }))).filter(isLimited)) {
        const collection = String(found.command[found.name]);
        if (!known.has(collection)) await multiply(found);
        known.add(collection);
      }
    }
  });

  it.each(stored)("%s reads a page and a constant number of documents", async (path) => {
    const cursor = nextOf(await read(path, { limit: String(PAGE_ITEMS) }));
    const queries = [{}, ...(cursor === null ? [] : [{ cursor }]), ...(lists[path]?.rare ?? [])];
    for (const query of queries) {
      const reads = await readsOf(() => read(path, { limit: String(PAGE_ITEMS), ...query }));
      expect(reads.filter(isLimited)).not.toEqual([]);
      const costs = await Promise.all(reads.map(async (each) => ({ ...each, examined: await examinedBy(each) })));
      expect(costs.filter(({ examined }) => examined > READ_MAX)).toEqual([]);
    }
  });

  it.each(["consoles", "dashboards"])(
    "a search of %s by name reads a constant number of index entries",
    async (kind) => {
      const path = `/api/workspaces/{workspaceId}/${kind}/lookup`;
      // All of them, several words, and none.
      for (const q of [kind.slice(0, 3), `${kind.slice(0, -1)} 1 2`, "absent"]) {
        const reads = await readsOf(() => read(path, { q }));
        const costs = await Promise.all(reads.map(async (each) => ({ ...each, examined: await examinedBy(each) })));
        expect(costs.filter(({ examined }) => examined > SEARCH_READ_MAX)).toEqual([]);
      }
    },
  );
});
