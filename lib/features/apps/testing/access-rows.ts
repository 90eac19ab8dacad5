import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { connectFile } from "@/lib/features/connections/testing/connect-file";
import { commitChanges } from "@/lib/features/repository/service";
import { type AccessRows, CREATED_BY_MEMBER, MEMBER, OPEN } from "@/test/access-rows";
import type { World } from "@/test/seed";
import { appDocOf, bindingText, serve } from "../bindings/testing/binding-world";
import { authorOf } from "./app-author";

let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ workspaceId, otherWorkspaceId, people }: World) {
  const ours = authorOf(people.owner, workspaceId);
  const theirs = authorOf(people.stranger, otherWorkspaceId);
  const access = "workspace";
  const bound = await ours.make("Bound", { access });
  await bind(workspaceId, people.owner, bound.id);
  const shared = await ours.make("Shared", { access });
  const { sha, operationId } = (await ours.send("POST", `/${shared.id}/publish`)).json.data;
  return {
    boundAppId: bound.id,
    appId: shared.id,
    shareToken: (await ours.send("PUT", `/${shared.id}/share`, { enabled: true })).json.data.token,
    sha,
    operationId,
    spareAppId: (await ours.make("Spare", { access })).id,
    otherAppId: (await theirs.make("Theirs", { access })).id,
  };
}

/** An app whose one binding is on main, and published. */
async function bind(workspaceId: string, { id, cookie }: World["people"]["owner"], appId: string): Promise<void> {
  const connectionId = await connectFile({ workspaceId, cookie });
  const [doc, content] = [await appDocOf(workspaceId, appId), bindingText(connectionId, "select 1 as one")];
  const author = { name: "Owner", email: "owner@example.com" };
  const path = `apps/${doc.slug}/bindings/one.sql`;
  const changes = [{ kind: "put" as const, path, content }];
  await commitChanges({ repositoryId: doc.workspaceId, author, message: "Bind", changes });
  const caller = await callerOfJob(doc.workspaceId, new ObjectId(id), doc._id);
  if (caller) await serve(doc, caller, { one: content });
}

const APP = "/api/workspaces/{workspaceId}/apps/{appId}";
const BINDINGS = "/api/workspaces/{workspaceId}/apps-v2/{appId}/bindings";

export const appAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { appId: () => seeded.appId, bindingName: () => "one", operationId: () => seeded.operationId },
  foreignIds: { appId: () => seeded.otherAppId },
  rows: {
    "POST /api/workspaces/{workspaceId}/apps": {
      statuses: CREATED_BY_MEMBER,
      body: () => ({ title: randomUUID() }),
    },
    "GET /api/workspaces/{workspaceId}/apps/templates": { statuses: MEMBER },
    [`GET ${APP}`]: { statuses: MEMBER },
    [`POST ${APP}/publish`]: { statuses: MEMBER },
    [`POST ${APP}/rollback`]: { statuses: MEMBER, body: () => ({ sha: seeded.sha }) },
    [`PATCH ${APP}`]: { statuses: MEMBER, body: () => ({ title: "Renamed" }) },
    // It is an owner's: a member may not, the first admin may.
    [`DELETE ${APP}`]: {
      statuses: "401 401 403 200 404 404 404 403 401 403 403",
      ids: () => ({ appId: seeded.spareAppId }),
    },
    [`GET ${APP}/files`]: { statuses: MEMBER },
    [`PUT ${APP}/files`]: {
      statuses: MEMBER,
      query: () => "?path=notes.md",
      body: () => ({ content: randomUUID() }),
    },
    // Each commits their own draft, and with a key that of whoever made it.
    [`POST ${APP}/commit`]: {
      statuses: "401 401 200 200 200 409 409 403 401 403 403",
      body: () => ({ message: "Save" }),
    },
    [`POST ${APP}/discard`]: { statuses: MEMBER },
    [`GET ${APP}/history`]: { statuses: MEMBER },
    [`GET ${APP}/status`]: { statuses: MEMBER },
    [`GET ${BINDINGS}`]: { statuses: MEMBER },
    [`POST ${BINDINGS}/{bindingName}/refresh`]: {
      statuses: MEMBER.replaceAll("200", "202"),
      ids: () => ({ appId: seeded.boundAppId }),
    },
    [`POST ${BINDINGS}/{bindingName}/preview`]: { statuses: MEMBER, ids: () => ({ appId: seeded.boundAppId }) },
    [`GET ${APP}/deployments`]: { statuses: MEMBER },
    [`GET ${APP}/operations`]: { statuses: MEMBER },
    [`GET ${APP}/operations/{operationId}`]: { statuses: MEMBER },
    [`POST ${APP}/view-token`]: { statuses: MEMBER },
    [`GET ${APP}/view/{path...}`]: { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/apps/feed": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/apps-v2/overview": { statuses: MEMBER },
    [`PUT ${APP}/favorite`]: { statuses: MEMBER },
    [`DELETE ${APP}/favorite`]: { statuses: MEMBER },
    [`GET ${APP}/share`]: { statuses: MEMBER },
    // It shows data to the world: a member does not share an owner's.
    [`PUT ${APP}/share`]: {
      statuses: "401 401 403 200 200 200 403 403 401 403 403",
      body: () => ({ enabled: true }),
    },
    "POST /api/share/{token}/view-token": {
      statuses: OPEN,
      ids: () => ({ token: seeded.shareToken }),
    },
    [`DELETE ${APP}/share`]: { statuses: "401 401 403 200 200 200 403 403 401 403 403" },
    // Each has their own, of three people here: a server runs four.
    [`GET ${APP}/dev-preview/status`]: { statuses: MEMBER },
    [`DELETE ${APP}/sandbox`]: { statuses: MEMBER },
    [`POST ${APP}/sandbox`]: { statuses: MEMBER },
    [`POST ${APP}/dev-preview`]: { statuses: MEMBER },
    // Whoever does not know an address finds nothing there.
    "GET /api/apps/dev/{capability}/{path...}": {
      statuses: "404 404 404 404 404 404 404 404 404 404 404",
      ids: () => ({ capability: "none" }),
    },
    "POST /api/apps/dev/{capability}/{path...}": {
      statuses: "404 404 404 404 404 404 404 404 404 404 404",
      ids: () => ({ capability: "none" }),
    },
    // Whoever has no token is nobody, whoever they are.
    "GET /api/apps/view/{token}/{path...}": {
      statuses: "401 401 401 401 401 401 401 401 401 401 401",
      ids: () => ({ token: "none" }),
    },
    // Everybody's branch has it; a key finds it gone from its maker's draft.
    [`DELETE ${APP}/files`]: {
      statuses: "401 401 200 200 200 404 404 403 401 403 403",
      query: () => "?path=notes.md",
    },
  },
};
