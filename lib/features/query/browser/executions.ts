import type { Execution } from "@/lib/features/query/schema";
import { ApiError, send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

/** What the history of a workspace's queries is read with. Throws ApiError. */
export const executionsApi = {
  list: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Execution>>(
      "GET",
      `/api/workspaces/${workspaceId}/executions${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
  /** One query; null when it is not kept any more, or is somebody else's and not for this person. */
  find: async (workspaceId: string, executionId: string, signal?: AbortSignal): Promise<Execution | null> => {
    try {
      return await send<Execution>("GET", `/api/workspaces/${workspaceId}/executions/${executionId}`, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === "not_found") return null;
      throw error;
    }
  },
};

export type { Execution };
