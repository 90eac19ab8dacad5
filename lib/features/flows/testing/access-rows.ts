import { randomUUID } from "node:crypto";
import { sampleIdOf } from "@/lib/features/connections/testing/sample";
import { type AccessRows, ADMIN, FIRST_MEMBER, MEMBER } from "@/test/access-rows";
import { call } from "@/test/client";
import type { Person, World } from "@/test/seed";

let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ workspaceId, otherWorkspaceId, people }: World) {
  const ours = await seedFlows(workspaceId, people.owner);
  const theirs = await seedFlows(otherWorkspaceId, people.stranger);
  return { ours, theirs };
}

async function seedFlows(workspaceId: string, person: Person) {
  const home = `/api/workspaces/${workspaceId}`;
  const post = async (path: string, body: unknown) => {
    const answer = await call("POST", home + path, { cookie: person.cookie, body });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.json.data;
  };
  const file = { name: "Flows", type: "sqlite", config: { file: "flows.sqlite" }, readOnly: false };
  const into = (await post("/connectors", file)).id as string;
  const source = { connectionId: await sampleIdOf(workspaceId, person), entities: [{ name: "orders" }] };
  const destination = { connectionId: into, write: "replace" };
  const add = async (name: string, more: object = {}) =>
    (await post("/flows", { name, type: "sync", source, destination, trigger: false, ...more })).flow.id as string;
  const runFlowId = await add("running");
  const { run } = await post("/flows", { flowId: runFlowId });
  const webhook = { type: "webhook", source: undefined, destination: { connectionId: into, write: "append" } };
  return {
    source,
    destination,
    flowId: await add("first"),
    spareFlowId: await add("spare"),
    webhookFlowId: await add("webhook", webhook),
    runFlowId,
    runId: run.id as string,
  };
}

const running = () => ({ flowId: seeded.ours.runFlowId, runId: seeded.ours.runId });
const webhook = () => ({ flowId: seeded.ours.webhookFlowId });

export const flowAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { flowId: () => seeded.ours.flowId },
  foreignIds: { flowId: () => seeded.theirs.flowId },
  rows: {
    "GET /api/workspaces/{workspaceId}/flows": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/flows": {
      statuses: "401 401 201 201 201 201 201 403 401 403 403",
      body: () => {
        const { source, destination } = seeded.ours;
        return { name: randomUUID(), type: "sync", source, destination, trigger: false };
      },
    },
    "POST /api/workspaces/{workspaceId}/flows/preview": {
      statuses: MEMBER,
      body: () => ({ connectionId: seeded.ours.source.connectionId, entity: { name: "orders" } }),
    },
    "GET /api/workspaces/{workspaceId}/flows/{flowId}": { statuses: MEMBER },
    // It is the owner's: another member may not change it.
    "PATCH /api/workspaces/{workspaceId}/flows/{flowId}": {
      statuses: "401 401 403 200 200 200 403 403 401 403 403",
      body: () => ({ name: randomUUID() }),
    },
    "DELETE /api/workspaces/{workspaceId}/flows/{flowId}": {
      statuses: FIRST_MEMBER.replace("200 404", "403 200"),
      ids: () => ({ flowId: seeded.ours.spareFlowId }),
    },
    "GET /api/workspaces/{workspaceId}/flows/{flowId}/runs": { statuses: MEMBER },
    // The first who may starts it, and nothing carries it out here.
    "POST /api/workspaces/{workspaceId}/flows/{flowId}/runs": {
      statuses: "401 401 202 409 409 409 409 403 401 403 403",
      body: () => ({ mode: "full" }),
    },
    "GET /api/workspaces/{workspaceId}/flows/{flowId}/runs/{runId}": { statuses: MEMBER, ids: running },
    "POST /api/workspaces/{workspaceId}/flows/{flowId}/runs/{runId}/cancel": {
      statuses: "401 401 200 409 409 409 409 403 401 403 403",
      ids: running,
    },
    "POST /api/workspaces/{workspaceId}/flows/{flowId}/webhook/provision": {
      statuses: ADMIN.replaceAll("200", "201"),
      body: () => ({ verifySignature: true }),
      ids: webhook,
    },
    "GET /api/workspaces/{workspaceId}/flows/{flowId}/webhook/stats": { statuses: MEMBER, ids: webhook },
    "GET /api/workspaces/{workspaceId}/flows/{flowId}/webhook/events": { statuses: MEMBER, ids: webhook },
    "POST /api/workspaces/{workspaceId}/flows/{flowId}/webhook/test": {
      statuses: ADMIN.replaceAll("200", "202"),
      ids: webhook,
    },
    "POST /api/webhooks/{token}": {
      statuses: "404 404 404 404 404 404 404 404 404 404 404",
      body: () => ({}),
      ids: () => ({ token: "unknown" }),
    },
  },
};
