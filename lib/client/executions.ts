import { send } from "@/lib/client/api";
import type { Execution } from "@/lib/query/schema";

export type ExecutionPage = { items: Execution[]; nextCursor: string | null };

/** What the history of a workspace's queries is read with. Throws ApiError. */
export const executionsApi = {
  list: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<ExecutionPage>(
      "GET",
      `/api/workspaces/${workspaceId}/executions${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
};

export type { Execution };
