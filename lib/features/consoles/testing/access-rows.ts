import { randomUUID } from "node:crypto";
import { sampleIdOf } from "@/lib/features/connections/testing/sample";
import { type AccessRows, CREATED_BY_MEMBER, FIRST_MEMBER, MEMBER } from "@/test/access-rows";
import type { World } from "@/test/seed";
import { authorOf } from "./console-author";

let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ workspaceId, otherWorkspaceId, people }: World) {
  const ours = authorOf(people.owner, workspaceId);
  const theirs = authorOf(people.stranger, otherWorkspaceId);
  const access = "workspace";
  const connectionId = await sampleIdOf(workspaceId, people.owner);
  const add = async (name: string) => (await ours.make(name, { content: "select 1 as one", connectionId, access })).id;
  const [consoleId, deletedConsoleId] = [await add("shared"), await add("deleted")];
  await ours.send("DELETE", `/${deletedConsoleId}`);
  const runConsoleId = await add("running");
  const started = await ours.send("POST", `/${runConsoleId}/schedule/run`);
  const history = await ours.send("GET", `/${consoleId}/git/history`);
  return {
    consoleId,
    otherConsoleId: (await theirs.make("theirs", { access })).id,
    spareConsoleId: await add("spare"),
    deletedConsoleId,
    folderId: (await ours.makeFolder("folder", { access })).id,
    otherFolderId: (await theirs.makeFolder("theirs", { access })).id,
    spareFolderId: (await ours.makeFolder("spare", { access })).id,
    runConsoleId,
    runId: started.json.data.run.id as string,
    sha: history.json.data.items[0].sha as string,
  };
}

export const consoleAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { consoleId: () => seeded.consoleId, folderId: () => seeded.folderId },
  foreignIds: { consoleId: () => seeded.otherConsoleId, folderId: () => seeded.otherFolderId },
  rows: {
    "GET /api/workspaces/{workspaceId}/consoles": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/consoles": {
      statuses: CREATED_BY_MEMBER,
      body: () => ({ name: randomUUID(), content: "select 1" }),
    },
    "GET /api/workspaces/{workspaceId}/consoles/search": { statuses: MEMBER, query: () => "?q=select" },
    "GET /api/workspaces/{workspaceId}/consoles/folders": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/consoles/folders": {
      statuses: CREATED_BY_MEMBER,
      body: () => ({ name: randomUUID() }),
    },
    "PATCH /api/workspaces/{workspaceId}/consoles/folders/{folderId}": {
      statuses: MEMBER,
      body: () => ({ name: randomUUID() }),
    },
    "DELETE /api/workspaces/{workspaceId}/consoles/folders/{folderId}": {
      statuses: FIRST_MEMBER,
      ids: () => ({ folderId: seeded.spareFolderId }),
    },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}": { statuses: MEMBER },
    // All have seen the first version: the first one to save it wins.
    "PUT /api/workspaces/{workspaceId}/consoles/{consoleId}": {
      statuses: "401 401 200 409 409 409 409 403 401 403 403",
      body: () => ({ version: 1, content: "select 2" }),
    },
    "DELETE /api/workspaces/{workspaceId}/consoles/{consoleId}": {
      statuses: FIRST_MEMBER,
      ids: () => ({ consoleId: seeded.spareConsoleId }),
    },
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/restore": {
      statuses: FIRST_MEMBER,
      body: () => ({ folderId: null }),
      ids: () => ({ consoleId: seeded.deletedConsoleId }),
    },
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/duplicate": { statuses: CREATED_BY_MEMBER },
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/execute": { statuses: MEMBER, body: () => ({ limit: 1 }) },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/result": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/draft": { statuses: MEMBER },
    "PUT /api/workspaces/{workspaceId}/consoles/{consoleId}/draft": {
      statuses: MEMBER,
      body: () => ({ content: "select" }),
    },
    "DELETE /api/workspaces/{workspaceId}/consoles/{consoleId}/draft": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/git/history": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/git/commit": {
      statuses: MEMBER,
      query: () => `?sha=${seeded.sha}`,
    },
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/git/restore": {
      statuses: MEMBER,
      body: () => ({ sha: seeded.sha }),
    },
    "PUT /api/workspaces/{workspaceId}/consoles/{consoleId}/schedule": {
      statuses: MEMBER,
      body: () => ({ cron: "0 7 * * *", timezone: "UTC" }),
    },
    "DELETE /api/workspaces/{workspaceId}/consoles/{consoleId}/schedule": { statuses: MEMBER },
    // The first who may starts it, and nothing carries it out here.
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/schedule/run": {
      statuses: "401 401 202 409 409 409 409 403 401 403 403",
    },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/runs": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/runs": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/runs/hours": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/runs/{runId}": {
      statuses: MEMBER,
      ids: () => ({ consoleId: seeded.runConsoleId, runId: seeded.runId }),
    },
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/runs/{runId}/cancel": {
      statuses: "401 401 200 409 409 409 409 403 401 403 403",
      ids: () => ({ consoleId: seeded.runConsoleId, runId: seeded.runId }),
    },
  },
};
