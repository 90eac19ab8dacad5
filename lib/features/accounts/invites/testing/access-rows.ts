import { ABSENT, type AccessRows, ADMIN_IN_PERSON } from "@/test/access-rows";

export const inviteAccess: AccessRows = {
  rows: {
    "GET /api/workspaces/{workspaceId}/invites": { statuses: ADMIN_IN_PERSON },
    "POST /api/workspaces/{workspaceId}/invites": {
      statuses: "401 401 403 201 201 403 403 403 401 403 403",
      body: () => ({ email: "new@example.com", role: "member" }),
    },
    "DELETE /api/workspaces/{workspaceId}/invites/{inviteId}": {
      statuses: "401 401 403 404 404 403 403 403 401 403 403",
    },
    "GET /api/invites/{token}": { statuses: ABSENT },
    "POST /api/invites/{token}/accept": { statuses: "401 401 404 404 404 403 403 404 401 404 403" },
  },
};
