import { type AccessRows, MEMBER } from "@/test/access-rows";

export const eventAccess: AccessRows = {
  rows: { "GET /api/workspaces/{workspaceId}/events": { statuses: MEMBER } },
};
