import { type AccessRows, ADMIN, MEMBER } from "@/test/access-rows";
import { call } from "@/test/client";
import type { World } from "@/test/seed";

let seeded: Awaited<ReturnType<typeof seed>>;

async function seed({ people }: World) {
  const { cookie } = people.stranger;
  const spare = await call("POST", "/api/workspaces", { cookie, body: { name: "Spare" } });
  if (spare.status !== 201) throw new Error(spare.text);
  return { spareWorkspaceId: spare.json.data.id as string };
}

export const workspaceAccess: AccessRows = {
  async seed(world) {
    seeded = await seed(world);
  },
  ids: { userId: ({ people }) => people.owner.id },
  rows: {
    "GET /api/workspaces": { statuses: "401 401 200 200 200 200 200 200 401 200 200" },
    "POST /api/workspaces": {
      statuses: "401 401 201 201 201 403 403 201 401 201 403",
      body: () => ({ name: "Harbour" }),
    },
    "GET /api/workspaces/{workspaceId}": { statuses: MEMBER },
    "PATCH /api/workspaces/{workspaceId}": { statuses: ADMIN, body: () => ({ name: "Renamed" }) },
    // The last owner cannot be made less, so the call is safe to repeat; an admin may not touch an owner at all.
    "PUT /api/workspaces/{workspaceId}/members/{userId}": {
      statuses: "401 401 403 403 409 403 403 403 401 403 403",
      body: () => ({ role: "member" }),
    },
    "DELETE /api/workspaces/{workspaceId}/members/{userId}": {
      statuses: "401 401 403 403 409 403 403 403 401 403 403",
    },
    // Asked of a third workspace by all, so that W1 and W2 stay: only its own owner may, in person.
    "DELETE /api/workspaces/{workspaceId}": {
      statuses: "401 401 403 403 403 403 403 403 401 200 403",
      ids: () => ({ workspaceId: seeded.spareWorkspaceId }),
    },
  },
};
