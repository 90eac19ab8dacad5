import { randomUUID } from "node:crypto";
import { ABSENT, type AccessRows, ADMIN, CREATED_BY_MEMBER, FIRST_MEMBER, MEMBER, OPEN } from "@/test/access-rows";
import type { World } from "@/test/seed";
import { authorOf } from "./dashboard-author";

const PASSWORD = "correct horse";
const CREATED_BY_ADMIN = ADMIN.replaceAll("200", "201");
const SENT_BY_ADMIN = ADMIN.replaceAll("200", "202");
const ENDED_BY_ADMIN = "401 401 403 200 404 404 403 403 401 403 403";
const DAILY = { cron: "0 7 * * *", timezone: "UTC" };
let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ workspaceId, otherWorkspaceId, people }: World) {
  const ours = authorOf(people.owner, workspaceId);
  const theirs = authorOf(people.stranger, otherWorkspaceId);
  const access = "workspace";
  const filters = [{ id: "region", kind: "select", field: "region" }];
  const widgets = [{ id: "words", kind: "text", spec: { text: "# Sales" } }];
  const add = async (title: string) => (await ours.make(title, { access, filters, widgets })).id;
  const [dashboardId, deletedDashboardId] = [await add("shared"), await add("deleted")];
  await ours.send("DELETE", `/${deletedDashboardId}`);
  const history = await ours.send("GET", `/${dashboardId}/git/history`);
  const runDashboardId = await add("refreshed");
  const started = await ours.send("POST", `/${runDashboardId}/refresh`);
  const shared = await ours.send("PUT", `/${runDashboardId}/share`, { enabled: true, password: PASSWORD });
  const snapshot = { ...DAILY, channelType: "email", recipients: ["a@example.com"] };
  const send = async (by: typeof ours, id: string) =>
    (await by.send("POST", `/${id}/snapshots`, snapshot)).json.data.id as string;
  const otherDashboardId = (await theirs.make("theirs", { access })).id;
  const openly = await ours.send("PUT", `/${dashboardId}/share`, { enabled: true });
  return {
    dashboardId,
    lockedToken: shared.json.data.token as string,
    token: openly.json.data.token as string,
    runDashboardId,
    runId: started.json.data.run.id as string,
    otherDashboardId,
    snapshotId: await send(ours, dashboardId),
    spareSnapshotId: await send(ours, dashboardId),
    otherSnapshotId: await send(theirs, otherDashboardId),
    spareDashboardId: await add("spare"),
    deletedDashboardId,
    sha: history.json.data.items[0].sha as string,
    folderId: (await ours.makeFolder("folder", { access })).id,
    otherFolderId: (await theirs.makeFolder("theirs", { access })).id,
    spareFolderId: (await ours.makeFolder("spare", { access })).id,
  };
}

const ofShare = () => ({ token: seeded.token, filterId: "region", widgetId: "words" });

export const dashboardAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: {
    dashboardId: () => seeded.dashboardId,
    dashboardFolderId: () => seeded.folderId,
    filterId: () => "region",
    widgetId: () => "words",
    snapshotId: () => seeded.snapshotId,
  },
  foreignIds: {
    snapshotId: () => seeded.otherSnapshotId,
    dashboardId: () => seeded.otherDashboardId,
    dashboardFolderId: () => seeded.otherFolderId,
  },
  rows: {
    "GET /api/workspaces/{workspaceId}/dashboards": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/dashboards": {
      statuses: CREATED_BY_MEMBER,
      body: () => ({ title: randomUUID() }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/import": {
      statuses: CREATED_BY_MEMBER,
      body: () => ({ dashboard: { title: randomUUID() } }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/preview": {
      statuses: MEMBER,
      body: () => ({ dashboardId: seeded.dashboardId, widgets: [{ kind: "text", spec: { text: "Hello" } }] }),
    },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}": { statuses: MEMBER },
    // All have seen the first version: the first one to save it wins.
    "PUT /api/workspaces/{workspaceId}/dashboards/{dashboardId}": {
      statuses: "401 401 200 409 409 409 409 403 401 403 403",
      body: () => ({ version: 1, title: "saved" }),
    },
    "DELETE /api/workspaces/{workspaceId}/dashboards/{dashboardId}": {
      statuses: FIRST_MEMBER,
      ids: () => ({ dashboardId: seeded.spareDashboardId }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/restore": {
      statuses: FIRST_MEMBER,
      body: () => ({ folderId: null }),
      ids: () => ({ dashboardId: seeded.deletedDashboardId }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/duplicate": { statuses: CREATED_BY_MEMBER },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/export": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/data": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/filters/{filterId}/values": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/widgets/{widgetId}/cube": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/data": {
      statuses: MEMBER,
      body: () => ({ timezone: "UTC" }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/filters/{filterId}/values": {
      statuses: MEMBER,
      body: () => ({ timezone: "UTC" }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/widgets/{widgetId}/cube": {
      statuses: MEMBER,
      body: () => ({ timezone: "UTC" }),
    },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/schedule": { statuses: MEMBER },
    "PUT /api/workspaces/{workspaceId}/dashboards/{dashboardId}/schedule": {
      statuses: MEMBER,
      body: () => ({ cron: "0 7 * * *", timezone: "UTC" }),
    },
    "DELETE /api/workspaces/{workspaceId}/dashboards/{dashboardId}/schedule": { statuses: MEMBER },
    // The first who may starts it, the others get the same one.
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/refresh": {
      statuses: "401 401 202 202 202 202 202 403 401 403 403",
    },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/runs": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/runs/{runId}": {
      statuses: MEMBER,
      ids: () => ({ dashboardId: seeded.runDashboardId, runId: seeded.runId }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/runs/{runId}/cancel": {
      statuses: "401 401 200 409 409 409 409 403 401 403 403",
      ids: () => ({ dashboardId: seeded.runDashboardId, runId: seeded.runId }),
    },
    "GET /api/share/{token}": { statuses: OPEN, ids: ofShare },
    "POST /api/share/{token}/unlock": {
      statuses: OPEN,
      ids: () => ({ token: seeded.lockedToken }),
      body: () => ({ password: PASSWORD }),
    },
    "GET /api/share/{token}/dashboard": { statuses: OPEN, ids: ofShare },
    "GET /api/share/{token}/data": { statuses: OPEN, ids: ofShare },
    "GET /api/share/{token}/filters/{filterId}/values": { statuses: OPEN, ids: ofShare },
    "GET /api/share/{token}/widgets/{widgetId}/cube": { statuses: OPEN, ids: ofShare },
    "POST /api/share/{token}/data": { statuses: OPEN, body: () => ({ timezone: "UTC" }), ids: ofShare },
    "POST /api/share/{token}/filters/{filterId}/values": {
      statuses: OPEN,
      body: () => ({ timezone: "UTC" }),
      ids: ofShare,
    },
    "POST /api/share/{token}/widgets/{widgetId}/cube": {
      statuses: OPEN,
      body: () => ({ timezone: "UTC" }),
      ids: ofShare,
    },
    "GET /api/share/{token}/og-image": { statuses: ABSENT, ids: ofShare },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/share": { statuses: MEMBER },
    "GET /api/snapshots/{token}": { statuses: ABSENT, ids: ofShare },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/snapshots": { statuses: MEMBER },
    // Of a dashboard that is an owner's.
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/snapshots": {
      statuses: CREATED_BY_ADMIN,
      body: () => ({ ...DAILY, channelType: "email", recipients: ["a@example.com"] }),
    },
    "PATCH /api/workspaces/{workspaceId}/dashboards/{dashboardId}/snapshots/{snapshotId}": {
      statuses: ADMIN,
      body: () => ({ cron: "30 7 * * *" }),
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/snapshots/{snapshotId}/send": {
      statuses: SENT_BY_ADMIN,
    },
    "DELETE /api/workspaces/{workspaceId}/dashboards/{dashboardId}/snapshots/{snapshotId}": {
      // The first who may, does; for the others it is gone.
      statuses: ENDED_BY_ADMIN,
      ids: () => ({ snapshotId: seeded.spareSnapshotId }),
    },
    "PUT /api/workspaces/{workspaceId}/dashboards/{dashboardId}/share": {
      statuses: ADMIN,
      body: () => ({ enabled: true }),
    },
    "DELETE /api/workspaces/{workspaceId}/dashboards/{dashboardId}/share": { statuses: ADMIN },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/git/history": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/dashboards/{dashboardId}/git/commit": {
      statuses: MEMBER,
      query: () => `?sha=${seeded.sha}`,
    },
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/git/restore": {
      statuses: MEMBER,
      body: () => ({ sha: seeded.sha }),
    },
    "GET /api/workspaces/{workspaceId}/dashboards/folders": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/dashboards/folders": {
      statuses: CREATED_BY_MEMBER,
      body: () => ({ name: randomUUID() }),
    },
    "PATCH /api/workspaces/{workspaceId}/dashboards/folders/{dashboardFolderId}": {
      statuses: MEMBER,
      body: () => ({ name: randomUUID() }),
    },
    "DELETE /api/workspaces/{workspaceId}/dashboards/folders/{dashboardFolderId}": {
      statuses: FIRST_MEMBER,
      ids: () => ({ dashboardFolderId: seeded.spareFolderId }),
    },
  },
};
