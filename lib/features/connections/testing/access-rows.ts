import { type AccessRows, MEMBER } from "@/test/access-rows";
import { call } from "@/test/client";
import type { World } from "@/test/seed";
import { sampleIdOf } from "./sample";

let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ workspaceId, otherWorkspaceId, people }: World) {
  const spare = await call("POST", `/api/workspaces/${workspaceId}/connectors`, {
    cookie: people.owner.cookie,
    body: { name: "Spare", type: "duckdb", config: { file: "spare.duckdb" }, readOnly: false },
  });
  return {
    connectionId: await sampleIdOf(workspaceId, people.owner),
    otherConnectionId: await sampleIdOf(otherWorkspaceId, people.stranger),
    spareConnectionId: spare.json.data.id as string,
  };
}

export const connectionAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { connectionId: () => seeded.connectionId },
  foreignIds: { connectionId: () => seeded.otherConnectionId },
  rows: {
    "GET /api/workspaces/{workspaceId}/connectors": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/connectors/{connectionId}": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/connectors/{connectionId}/entities": { statuses: MEMBER },
    "GET /api/workspaces/{workspaceId}/connectors/{connectionId}/entities/ddl": {
      statuses: MEMBER,
      query: () => "?name=customers",
    },
    "GET /api/workspaces/{workspaceId}/connectors/{connectionId}/uses": { statuses: MEMBER },
    "GET /api/connectors/types": { statuses: "401 401 200 200 200 200 200 200 401 200 200" },
    "POST /api/workspaces/{workspaceId}/connectors": {
      statuses: "401 401 201 201 201 201 201 403 401 403 403",
      body: () => ({ name: "Copy", type: "duckdb", config: { file: "copy.duckdb" }, readOnly: false }),
    },
    // The sample belongs to its maker, the owner; any member may change what they have added themselves.
    "PATCH /api/workspaces/{workspaceId}/connectors/{connectionId}": {
      statuses: "401 401 403 200 200 200 403 403 401 403 403",
      body: () => ({ name: "Sample" }),
    },
    "POST /api/workspaces/{workspaceId}/connectors/test": {
      statuses: MEMBER,
      body: () => ({ type: "duckdb", config: { file: "copy.duckdb" } }),
    },
    "POST /api/workspaces/{workspaceId}/connections/sources/{connectionId}/test": { statuses: MEMBER },
    "DELETE /api/workspaces/{workspaceId}/connections/sources/{connectionId}": {
      // The first who may, does; for the others it is gone.
      statuses: "401 401 403 200 404 404 404 403 401 403 403",
      ids: () => ({ connectionId: seeded.spareConnectionId }),
    },
  },
};
