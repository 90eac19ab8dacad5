"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { appApi } from "@/lib/features/apps/browser/client";

/** Polling interval of a running build: the event stream may be cut. */
const ASK_EVERY_MS = 5000;

/**
 * Reads the state of a publish or a rollback and follows it while it runs.
 * @param asked the operation's id; "latest" for the most recently started one, whose id is not known yet; null for none
 */
export function useOperation(appId: string, asked: string | null) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const key = ["app-operation", workspace.id, appId];
  useLive((event) => {
    if (event.kind !== "app" || event.data.resourceType !== "app_operation") return;
    if (asked !== null && event.data.appId === appId) void client.invalidateQueries({ queryKey: key });
  });
  return useQuery({
    queryKey: [...key, asked],
    queryFn: async ({ signal }) => {
      let id = asked;
      if (asked === "latest") {
        const { items } = await appApi.listOperations(workspace.id, appId, 1, signal);
        id = items[0]?.id ?? null;
      }
      return id === null ? null : appApi.readOperation(workspace.id, appId, id, signal);
    },
    enabled: asked !== null,
    refetchInterval: ({ state }) => {
      const operation = state.data;
      return operation?.state === "done" || operation?.state === "failed" ? false : ASK_EVERY_MS;
    },
    staleTime: 0,
    gcTime: 0,
  });
}
