import { randomUUID } from "node:crypto";
import { type AccessRows, MEMBER } from "@/test/access-rows";

export const fileAccess: AccessRows = {
  rows: {
    "GET /api/workspaces/{workspaceId}/files": { statuses: MEMBER },
    "POST /api/workspaces/{workspaceId}/files": {
      statuses: "401 401 201 201 201 201 201 403 401 403 403",
      query: () => `?name=${randomUUID()}.duckdb`,
    },
    "DELETE /api/workspaces/{workspaceId}/files/{file}": { statuses: "401 401 404 404 404 404 404 403 401 403 403" },
  },
};
