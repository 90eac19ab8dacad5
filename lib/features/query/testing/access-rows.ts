import { sampleIdOf } from "@/lib/features/connections/testing/sample";
import { type AccessRows, MEMBER } from "@/test/access-rows";

let connectionId: string;

export const queryAccess: AccessRows = {
  async seed({ workspaceId, people }) {
    connectionId = await sampleIdOf(workspaceId, people.owner);
  },
  rows: {
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/execute": {
      statuses: MEMBER,
      body: () => ({ query: "select 1 as one" }),
    },
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/rows": {
      statuses: MEMBER,
      body: () => ({ table: { name: "customers" }, limit: 1 }),
    },
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/rows/count": {
      statuses: MEMBER,
      body: () => ({ table: { name: "customers" } }),
    },
    "POST /api/execute": {
      statuses: MEMBER,
      body: ({ workspaceId }) => ({ workspaceId, connectionId, query: "select 1 as one" }),
    },
    "GET /api/workspaces/{workspaceId}/executions": { statuses: MEMBER },
    // Here of nobody; who sees whose is in lib/features/query/history-rights.int.test.ts.
    "GET /api/workspaces/{workspaceId}/executions/{executionId}": {
      statuses: "401 401 404 404 404 404 404 403 401 403 403",
    },
    "POST /api/workspaces/{workspaceId}/executions/{executionId}/cancel": {
      statuses: "401 401 404 404 404 404 404 403 401 403 403",
    },
  },
};
