import { type AccessRows, ADMIN_IN_PERSON } from "@/test/access-rows";

export const mailAccess: AccessRows = {
  rows: {
    "GET /api/workspaces/{workspaceId}/outbox": { statuses: ADMIN_IN_PERSON },
  },
};
