import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { endRun } from "@/test/fixtures/notifications/ended-run";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { digestDatabase } from "./dump";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

type World = {
  person: Person;
  base: string;
  connectionId: string;
  keyId: string;
  inviteId: string;
  executionId: string;
  consoleId: string;
  folderId: string;
  flowId: string;
  webhookFlowId: string;
  flowRunId: string;
  consoleRunId: string;
  ruleId: string;
  deliveryId: string;
  chatId: string;
};
type Ids = Omit<World, "person" | "base"> & { userId: string };

async function seedWorkspace(name: string): Promise<World> {
  const person = await seedPerson(name);
  const base = `/api/workspaces/${person.workspaceId}`;
  const make = async (path: string, body: object) => {
    const answer = await call("POST", base + path, { cookie: person.cookie, body });
    if (answer.status !== 201 && answer.status !== 200) throw new Error(answer.text);
    return answer.json.data;
  };
  const config = { name: "Stock", type: "duckdb", config: { file: `${name}.duckdb` }, readOnly: false };
  const connectionId = (await make("/connectors", config)).id;
  await make(`/databases/${connectionId}/execute`, { query: "select 1" });
  const [execution] = (await call("GET", `${base}/executions`, { cookie: person.cookie })).json.data.items;
  const consoleId = (await make("/consoles", { name: "query", content: "select 1", access: "workspace" })).id;
  const clock = takeJobEvents();
  const channel = { channelType: "email", recipients: ["b@example.com"] };
  const onConsole = { resourceType: "scheduled_query", resourceId: consoleId };
  const { id: ruleId } = await make("/notification-rules", { ...onConsole, triggers: ["success"], ...channel });
  const consoleRun = await endRun({ workspaceId: person.workspaceId, consoleId });
  await clock.drain();
  // Job events of flows are never processed.
  takeJobEvents();
  const [delivery] = (await call("GET", `${base}/notifications/deliveries`, { cookie: person.cookie })).json.data.items;
  const from = (await make("/connectors", { ...config, name: "From", config: { file: `${name}-from.duckdb` } })).id;
  const source = { connectionId: from, entities: [{ name: "orders" }] };
  const destination = { connectionId, write: "append" };
  const flow = await make("/flows", { name: "Flow", type: "sync", source, destination });
  const webhook = await make("/flows", { name: "Hook", type: "webhook", destination, trigger: false });
  return {
    flowId: flow.flow.id,
    flowRunId: flow.run.id,
    webhookFlowId: webhook.flow.id,
    consoleRunId: consoleRun._id.toHexString(),
    ruleId,
    deliveryId: delivery.id,
    person,
    base,
    connectionId,
    keyId: (await make("/api-keys", { name: "Key" })).id,
    inviteId: (await make("/invites", { email: "guest@example.com" })).id,
    executionId: execution.executionId ?? execution.id,
    consoleId,
    folderId: (await make("/consoles/folders", { name: "folder", access: "workspace" })).id,
    chatId: (await make("/chats", {})).id,
  };
}

let mine: World;
let theirs: World;
let theirMember: Person;
beforeAll(async () => {
  mine = await seedWorkspace("Mine");
  theirs = await seedWorkspace("Theirs");
  theirMember = await seedMember(theirs.person.workspaceId, "admin");
});

const emailRule = (resourceType: string, resourceId: string) => ({
  resourceType,
  resourceId,
  triggers: ["success"],
  channelType: "email",
  recipients: ["a@example.com"],
});
type Attempt = { method: string; path: string; body?: object };
const ABSENT = { id: "f".repeat(24), uuid: "00000000-0000-4000-8000-000000000000" };

describe("another workspace's ID, used inside one's own (T25, T26, T62)", () => {
  const attempts: Record<string, (base: string, ids: Ids) => Attempt> = {
    "a connection, read": (base, { connectionId }) => ({ method: "GET", path: `${base}/connectors/${connectionId}` }),
    "a connection's tables": (base, { connectionId }) => ({
      method: "GET",
      path: `${base}/connectors/${connectionId}/entities`,
    }),
    "a connection, changed": (base, { connectionId }) => ({
      method: "PATCH",
      path: `${base}/connectors/${connectionId}`,
      body: { name: "Taken" },
    }),
    "a connection, tested": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/connections/sources/${connectionId}/test`,
    }),
    "a connection, deleted": (base, { connectionId }) => ({
      method: "DELETE",
      path: `${base}/connections/sources/${connectionId}?force=true`,
    }),
    "a connection, queried": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/databases/${connectionId}/execute`,
      body: { query: "select 1" },
    }),
    "a connection, named in a body": (_, { connectionId }) => ({
      method: "POST",
      path: "/api/execute",
      body: { workspaceId: mine.person.workspaceId, connectionId, query: "select 1" },
    }),
    "a query, read": (base, { executionId }) => ({ method: "GET", path: `${base}/executions/${executionId}` }),
    "a running query": (base, { executionId }) => ({
      method: "POST",
      path: `${base}/executions/${executionId}/cancel`,
    }),
    "an API key": (base, { keyId }) => ({ method: "DELETE", path: `${base}/api-keys/${keyId}` }),
    "an invitation": (base, { inviteId }) => ({ method: "DELETE", path: `${base}/invites/${inviteId}` }),
    "a member, promoted": (base, { userId }) => ({
      method: "PUT",
      path: `${base}/members/${userId}`,
      body: { role: "owner" },
    }),
    "a console, executed with a connection": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/consoles/${mine.consoleId}/execute`,
      body: { connectionId },
    }),
    "a connection, given to a new console": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/consoles`,
      body: { name: "new", content: "select 1", connectionId },
    }),
    "a connection, given to a console": (base, { connectionId }) => ({
      method: "PUT",
      path: `${base}/consoles/${mine.consoleId}`,
      body: { version: 1, connectionId },
    }),
    "a folder, for a new console": (base, { folderId }) => ({
      method: "POST",
      path: `${base}/consoles`,
      body: { name: "new", content: "select 1", folderId },
    }),
    "a folder, for a console that moves": (base, { folderId }) => ({
      method: "PUT",
      path: `${base}/consoles/${mine.consoleId}`,
      body: { version: 1, folderId },
    }),
    "a folder, for a new folder": (base, { folderId }) => ({
      method: "POST",
      path: `${base}/consoles/folders`,
      body: { name: "new", parentId: folderId },
    }),
    "a folder, for a folder that moves": (base, { folderId }) => ({
      method: "PATCH",
      path: `${base}/consoles/folders/${mine.folderId}`,
      body: { parentId: folderId },
    }),
    "a flow, read": (base, { flowId }) => ({ method: "GET", path: `${base}/flows/${flowId}` }),
    "a flow, changed": (base, { flowId }) => ({
      method: "PATCH",
      path: `${base}/flows/${flowId}`,
      body: { name: "Taken" },
    }),
    "a flow, deleted": (base, { flowId }) => ({ method: "DELETE", path: `${base}/flows/${flowId}` }),
    "a flow, triggered": (base, { flowId }) => ({ method: "POST", path: `${base}/flows`, body: { flowId } }),
    "a flow's runs": (base, { flowId }) => ({ method: "GET", path: `${base}/flows/${flowId}/runs` }),
    "a flow, read again": (base, { flowId }) => ({
      method: "POST",
      path: `${base}/flows/${flowId}/runs`,
      body: { mode: "full" },
    }),
    "a flow's run": (base, { flowId, flowRunId }) => ({
      method: "GET",
      path: `${base}/flows/${flowId}/runs/${flowRunId}`,
    }),
    "a flow's run, below a flow of one's own": (base, { flowRunId }) => ({
      method: "GET",
      path: `${base}/flows/${mine.flowId}/runs/${flowRunId}`,
    }),
    "a flow's run, cancelled": (base, { flowRunId }) => ({
      method: "POST",
      path: `${base}/flows/${mine.flowId}/runs/${flowRunId}/cancel`,
    }),
    "a flow's webhook, opened": (base, { webhookFlowId }) => ({
      method: "POST",
      path: `${base}/flows/${webhookFlowId}/webhook/provision`,
      body: {},
    }),
    "a flow's webhook, counted": (base, { webhookFlowId }) => ({
      method: "GET",
      path: `${base}/flows/${webhookFlowId}/webhook/stats`,
    }),
    "a flow's webhook, its events listed": (base, { webhookFlowId }) => ({
      method: "GET",
      path: `${base}/flows/${webhookFlowId}/webhook/events`,
    }),
    "a flow's webhook, sent a test": (base, { webhookFlowId }) => ({
      method: "POST",
      path: `${base}/flows/${webhookFlowId}/webhook/test`,
      body: {},
    }),
    "a connection, as a flow's source": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/flows`,
      body: {
        name: "new",
        type: "sync",
        source: { connectionId, entities: [{ name: "orders" }] },
        destination: { connectionId: mine.connectionId, write: "append" },
      },
    }),
    "a connection, as a flow's destination": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/flows`,
      body: { name: "new", type: "webhook", destination: { connectionId, write: "append" } },
    }),
    "a console's schedule, set": (base, { consoleId }) => ({
      method: "PUT",
      path: `${base}/consoles/${consoleId}/schedule`,
      body: { cron: "0 9 * * *", timezone: "Europe/Vienna" },
    }),
    "a console's schedule, taken away": (base, { consoleId }) => ({
      method: "DELETE",
      path: `${base}/consoles/${consoleId}/schedule`,
    }),
    "a console, run now": (base, { consoleId }) => ({
      method: "POST",
      path: `${base}/consoles/${consoleId}/schedule/run`,
    }),
    "a console's runs": (base, { consoleId }) => ({ method: "GET", path: `${base}/consoles/${consoleId}/runs` }),
    "a console's run, cancelled": (base, { consoleRunId }) => ({
      method: "POST",
      path: `${base}/consoles/${mine.consoleId}/runs/${consoleRunId}/cancel`,
    }),
    "the rules of a flow": (base, { flowId }) => ({
      method: "GET",
      path: `${base}/notification-rules?resourceType=flow&resourceId=${flowId}`,
    }),
    "a rule on a console": (base, { consoleId }) => ({
      method: "POST",
      path: `${base}/notification-rules`,
      body: emailRule("scheduled_query", consoleId),
    }),
    "a rule on a flow": (base, { flowId }) => ({
      method: "POST",
      path: `${base}/notification-rules`,
      body: emailRule("flow", flowId),
    }),
    "a rule, changed": (base, { ruleId }) => ({
      method: "PATCH",
      path: `${base}/notification-rules/${ruleId}`,
      body: { enabled: false },
    }),
    "a rule, deleted": (base, { ruleId }) => ({ method: "DELETE", path: `${base}/notification-rules/${ruleId}` }),
    "a rule, tested": (base, { ruleId }) => ({
      method: "POST",
      path: `${base}/notification-rules/test`,
      body: { ruleId },
    }),
    "a console, in a test": (base, { consoleId }) => ({
      method: "POST",
      path: `${base}/notification-rules/test`,
      body: emailRule("scheduled_query", consoleId),
    }),
    "the deliveries of a console": (base, { consoleId }) => ({
      method: "GET",
      path: `${base}/notification-rules/deliveries?resourceType=scheduled_query&resourceId=${consoleId}`,
    }),
    "a delivery": (base, { deliveryId }) => ({
      method: "GET",
      path: `${base}/notification-rules/deliveries/${deliveryId}`,
    }),
    "a delivery, sent again": (base, { deliveryId }) => ({
      method: "POST",
      path: `${base}/notification-rules/deliveries/${deliveryId}/resend`,
    }),
    "a chat, read": (base, { chatId }) => ({ method: "GET", path: `${base}/chats/${chatId}` }),
    "a chat, renamed": (base, { chatId }) => ({
      method: "PUT",
      path: `${base}/chats/${chatId}`,
      body: { title: "Taken" },
    }),
    "a chat, deleted": (base, { chatId }) => ({ method: "DELETE", path: `${base}/chats/${chatId}` }),
    "a console, shown to the agent": (_, { consoleId }) => ({
      method: "POST",
      path: "/api/agent/chat",
      body: {
        workspaceId: mine.person.workspaceId,
        chatId: "e".repeat(24),
        messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hello" }] }],
        consoleId,
      },
    }),
    "a member, removed": (base, { userId }) => ({ method: "DELETE", path: `${base}/members/${userId}` }),
  };

  it.each(Object.keys(attempts))("%s: returns 404 as for an unknown ID, and nothing changes", async (name) => {
    const attempt = attempts[name];
    if (!attempt) throw new Error(name);
    const before = await digestDatabase();
    const ask = (ids: Ids) => {
      const { method, path, body } = attempt(mine.base, ids);
      return call(method, path, { cookie: mine.person.cookie, body });
    };
    const foreign = await ask({ ...theirs, userId: theirMember.id });
    const { id, uuid } = ABSENT;
    const absent = Object.fromEntries(Object.keys(theirs).map((key) => [key, id])) as unknown as Ids;
    const missing = await ask({ ...absent, userId: id, executionId: uuid });
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect(await digestDatabase()).toEqual(before);
  });

  it("returns 403 for a workspace named in a body, as for an unknown one", async () => {
    const before = await digestDatabase();
    const ask = (workspaceId: string) =>
      call("POST", "/api/execute", {
        cookie: mine.person.cookie,
        body: { workspaceId, connectionId: theirs.connectionId, query: "select 1" },
      });
    const [foreign, missing] = [await ask(theirs.person.workspaceId), await ask(ABSENT.id)];
    expect([foreign.status, foreign.text]).toEqual([403, missing.text]);
    expect(await digestDatabase()).toEqual(before);
  });

  it("shows nothing of another workspace's list by its cursor", async () => {
    const [execution] = (await call("GET", `${theirs.base}/executions`, { cookie: theirs.person.cookie })).json.data
      .items;
    for (const list of ["executions", "outbox"]) {
      const page = await call("GET", `${mine.base}/${list}?cursor=${execution.id}`, { cookie: mine.person.cookie });
      expect([200, 400]).toContain(page.status);
      expect(page.text).not.toContain(theirs.connectionId);
    }
  });
});
