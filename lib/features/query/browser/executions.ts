import type { Execution } from "@/lib/features/query/schema";
import { ApiError, send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

/** API client of a workspace's query history. Throws ApiError. */
export const executionsApi = {
  list: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Execution>>(
      "GET",
      `/api/workspaces/${workspaceId}/executions${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
  /** Returns one query; null if it is no longer stored, or belongs to another user and is hidden from this one. */
  find: async (workspaceId: string, executionId: string, signal?: AbortSignal): Promise<Execution | null> => {
    try {
      return await send<Execution>("GET", `/api/workspaces/${workspaceId}/executions/${executionId}`, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === "not_found") return null;
      throw error;
    }
  },
};
