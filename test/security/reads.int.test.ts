import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeNow } from "@/lib/features/query/history-writer";
import { commitChanges, createBranch } from "@/lib/features/repository/service";
import { beginRun, finishRun, queueRun } from "@/lib/features/runs/service";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { ask, newId } from "@/test/fixtures/agent/ask";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { endRun } from "@/test/fixtures/notifications/ended-run";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { digestDatabase } from "./dump";
import { endpoints, pathWith } from "./routes";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

/** Stores a finished run. */
async function endRunOf(workspaceId: string, resourceType: "flow" | "dashboard", id: string): Promise<string> {
  const resource = { workspaceId: new ObjectId(workspaceId), resourceType, resourceId: new ObjectId(id) };
  const { run } = await queueRun({ ...resource, resourceName: "Events", triggerType: "webhook", triggeredBy: null });
  const begun = await beginRun(resource.workspaceId, run._id);
  if (begun) await finishRun(begun.hold, { status: "success" });
  return run._id.toHexString();
}

/** The order of a feed, frozen for its reader: a read stores it, and it is not user data. */
const DERIVED = ["app_feeds"];
let owner: Person;
let ids: Record<string, string>;
let consoleRunId: string;
let dashboardRunId: string;
let shareToken: string;
let viewToken: string;
/** Query strings that URLs need, by the end of their path. */
let queries: Record<string, string>;
const queryOf = (path: string) => Object.entries(queries).find(([end]) => path.endsWith(end))?.[1] ?? "";
beforeAll(async () => {
  owner = await seedPerson("Owner");
  const { cookie, workspaceId } = owner;
  const base = `/api/workspaces/${workspaceId}`;
  const member = await seedMember(workspaceId, "member");
  const make = async (path: string, body: object) => (await call("POST", base + path, { cookie, body })).json.data;
  const connection = await make("/connectors", {
    name: "Stock",
    type: "duckdb",
    config: { file: "stock.duckdb" },
    readOnly: false,
  });
  const { flow } = await make("/flows", {
    name: "Events",
    type: "webhook",
    destination: { connectionId: connection.id, table: "events", write: "append" },
    trigger: false,
  });
  await make(`/flows/${flow.id}/webhook/provision`, {});
  const flowRun = await endRunOf(workspaceId, "flow", flow.id);
  const invite = await make("/invites", { email: "guest@example.com" });
  const key = await make("/api-keys", { name: "Key" });
  const console = await make("/consoles", { name: "query", content: "select 1", connectionId: connection.id });
  await call("PUT", `${base}/consoles/${console.id}/draft`, { cookie, body: { content: "select" } });
  const history = await call("GET", `${base}/consoles/${console.id}/git/history`, { cookie });
  const filters = [{ id: "region", kind: "select", field: "region" }];
  const widgets = [{ id: "words", kind: "text", spec: { text: "# Sales" } }];
  const dashboard = await make("/dashboards", { title: "Sales", filters, widgets });
  const draft = { content: "{}", base: "{}", version: 1 };
  await call("PUT", `${base}/dashboards/${dashboard.id}/draft`, { cookie, body: draft });
  const drawn = await call("GET", `${base}/dashboards/${dashboard.id}/git/history`, { cookie });
  dashboardRunId = await endRunOf(workspaceId, "dashboard", dashboard.id);
  const metric = `${base}/metrics/orders`;
  await call("PUT", metric, { cookie, body: { content: modelText({ connection: "Stock" }) } });
  const measured = await call("GET", `${metric}/git/history`, { cookie });
  const app = await make("/apps", { title: "Orders" });
  const published = await make(`/apps/${app.id}/publish`, {});
  await call("PUT", `${base}/apps/${app.id}/files?path=note.md`, { cookie, body: { content: "A draft" } });
  viewToken = (await make(`/apps/${app.id}/view-token`, {})).token;
  const share = { cookie, body: { enabled: true } };
  shareToken = (await call("PUT", `${base}/dashboards/${dashboard.id}/share`, share)).json.data.token;
  const ofConsole = { resourceType: "scheduled_query", resourceId: console.id };
  const rule = { triggers: ["success"], channelType: "email", recipients: ["a@example.com"] };
  await make("/notification-rules", { ...ofConsole, ...rule });
  const clock = takeJobEvents();
  const consoleRun = await endRun({ workspaceId, consoleId: console.id });
  await clock.drain();
  const deliveries = await call("GET", `${base}/notifications/deliveries`, { cookie });
  consoleRunId = consoleRun._id.toHexString();
  queries = {
    "/notification-rules": `?${new URLSearchParams(ofConsole)}`,
    "/notification-rules/deliveries": `?${new URLSearchParams(ofConsole)}`,
    "/consoles/search": "?q=query",
    "/dashboards/{dashboardId}/git/commit": `?sha=${drawn.json.data.items[0].sha}`,
    "/metrics/{metricName}/git/commit": `?sha=${measured.json.data.items[0].sha}`,
    "/git/commit": `?sha=${history.json.data.items[0].sha}`,
    "/entities": "?refresh=1",
    "/entities/ddl": "?name=goods",
  };
  const upload = await call("POST", `${base}/imports?name=goods.csv`, { cookie, rawBody: "name,size\nx,1\ny\n" });
  const importId = upload.json.data.id;
  await call("POST", `${base}/imports/${importId}/preview`, { cookie, body: {} });
  const executed = await make(`/databases/${connection.id}/execute`, { query: "create table goods (name text)" });
  const chatId = newId();
  const { events } = await ask("How many goods are there?", { cookie, workspaceId, chatId });
  const kept = events.find(({ type, toolName }) => type === "tool-result" && toolName === "run_query");
  await writeNow();
  ids = {
    workspaceId,
    userId: member.id,
    connectionId: connection.id,
    executionId: executed.executionId,
    keyId: key.id,
    consoleId: console.id,
    dashboardId: dashboard.id,
    appId: app.id,
    bindingName: "none",
    capability: "none",
    operationId: published.operationId,
    filterId: "region",
    widgetId: "words",
    flowId: flow.id,
    runId: flowRun,
    deliveryId: deliveries.json.data.items[0].id,
    inviteId: invite.id,
    importId,
    chatId,
    resultId: kept?.output.resultId,
    token: invite.link.split("/").at(-1),
    reviewName: "one",
    metricName: "orders",
  };
  const repositoryId = new ObjectId(workspaceId);
  const changes = [{ kind: "put", path: "README.md", content: "Hi\n" }] as const;
  await commitChanges({
    repositoryId,
    author: { name: "Ana", email: "ana@example.com" },
    message: "Hi",
    changes: [...changes],
  });
  await createBranch({ repositoryId, name: "review/one" });
});

describe("a GET", () => {
  it.each(endpoints.filter(({ method }) => method === "GET"))(
    "of $path changes nothing, however often (T15)",
    async ({ path }) => {
      const before = await digestDatabase(DERIVED);
      const runs = { "/consoles/": consoleRunId, "/dashboards/": dashboardRunId };
      const [, runId = ids.runId ?? ""] = Object.entries(runs).find(([part]) => path.includes(part)) ?? [];
      const ofPath = {
        ...ids,
        runId,
        ...(path.startsWith("/api/share/") && { token: shareToken }),
        ...(path.startsWith("/api/apps/view/") && { token: viewToken }),
      };
      const url = pathWith(path, ofPath) + queryOf(path);
      const statuses: number[] = [];
      for (let i = 0; i < 2; i += 1) {
        statuses.push((await call("GET", url, { cookie: owner.cookie })).status);
        statuses.push((await call("HEAD", url, { cookie: owner.cookie })).status);
      }
      // Each finds its data, except: no sign-in by a provider is set up, a dashboard has no image yet, no repository
      // host is known, no preview runs, and the caller is not the job runner.
      const special = { "/api/inngest": 401, "/api/workspaces/{workspaceId}/apps-v2/repohost-sync-url": 412 }[path];
      const expected = special ?? (/callback|csrf|og-image|api\/snapshots|api\/apps\/dev/.test(path) ? 404 : 200);
      expect(new Set(statuses)).toEqual(new Set([expected]));
      expect(await digestDatabase(DERIVED)).toEqual(before);
    },
  );

  it("is never cacheable if its response concerns a person", async () => {
    const cached: string[] = [];
    for (const { path, name, definition } of endpoints.filter(({ method }) => method === "GET")) {
      const answer = await call("GET", pathWith(path, ids), { cookie: owner.cookie });
      const isPrivate = /no-store/.test(answer.headers.get("cache-control") ?? "");
      if (definition.access.scope !== "open" && !isPrivate) cached.push(name);
    }
    expect(cached).toEqual([]);
  });
});
