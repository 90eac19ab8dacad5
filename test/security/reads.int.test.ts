import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, newId } from "@/lib/agent/testing/ask";
import { takeJobEvents } from "@/lib/notifications/testing/clock";
import { endRun } from "@/lib/notifications/testing/ended-run";
import { writeNow } from "@/lib/query/history-writer";
import { beginRun, finishRun, queueRun } from "@/lib/runs/service";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { digestDatabase } from "./dump";
import { endpoints, pathWith } from "./routes";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

/** A run of a flow that has ended. */
async function endFlowRun(workspaceId: string, flowId: string): Promise<string> {
  const resource = {
    workspaceId: new ObjectId(workspaceId),
    resourceType: "flow",
    resourceId: new ObjectId(flowId),
  } as const;
  const { run } = await queueRun({ ...resource, resourceName: "Events", triggerType: "webhook", triggeredBy: null });
  const begun = await beginRun(resource.workspaceId, run._id);
  if (begun) await finishRun(begun.hold, { status: "success" });
  return run._id.toHexString();
}

let owner: Person;
let ids: Record<string, string>;
let consoleRunId: string;
/** What addresses need behind them, by how they end. */
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
  const flowRun = await endFlowRun(workspaceId, flow.id);
  const invite = await make("/invites", { email: "guest@example.com" });
  const key = await make("/api-keys", { name: "Key" });
  const console = await make("/consoles", { name: "query", content: "select 1", connectionId: connection.id });
  await call("PUT", `${base}/consoles/${console.id}/draft`, { cookie, body: { content: "select" } });
  const history = await call("GET", `${base}/consoles/${console.id}/git/history`, { cookie });
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
    "/git/commit": `?sha=${history.json.data.items[0].sha}`,
    "/entities": "?refresh=1",
  };
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
    flowId: flow.id,
    runId: flowRun,
    deliveryId: deliveries.json.data.items[0].id,
    inviteId: invite.id,
    chatId,
    resultId: kept?.output.resultId,
    token: invite.link.split("/").at(-1),
  };
});

describe("a GET", () => {
  it.each(endpoints.filter(({ method }) => method === "GET"))(
    "of $path changes nothing, however often (T15)",
    async ({ path }) => {
      const before = await digestDatabase();
      const ofPath = path.includes("/consoles/") ? { ...ids, runId: consoleRunId } : ids;
      const url = pathWith(path, ofPath) + queryOf(path);
      const statuses: number[] = [];
      for (let i = 0; i < 2; i += 1) {
        statuses.push((await call("GET", url, { cookie: owner.cookie })).status);
        statuses.push((await call("HEAD", url, { cookie: owner.cookie })).status);
      }
      // Each finds what it reads; a sign-in by a provider is not set up here, and the job runner is not who asks.
      const expected = /callback|csrf/.test(path) ? 404 : path === "/api/inngest" ? 401 : 200;
      expect(new Set(statuses)).toEqual(new Set([expected]));
      expect(await digestDatabase()).toEqual(before);
    },
  );

  it("is answered not to be cached, wherever it says something about somebody", async () => {
    const cached: string[] = [];
    for (const { path, name, definition } of endpoints.filter(({ method }) => method === "GET")) {
      const answer = await call("GET", pathWith(path, ids), { cookie: owner.cookie });
      const isPrivate = /no-store/.test(answer.headers.get("cache-control") ?? "");
      if (definition.access.scope !== "open" && !isPrivate) cached.push(name);
    }
    expect(cached).toEqual([]);
  });
});
