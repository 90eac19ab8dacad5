"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { appApi } from "@/lib/features/apps/browser/client";

/** A build that says nothing for a while is asked for all the same: the line may be cut. */
const ASK_EVERY_MS = 5000;

/**
 * How a publish or a rollback stands, renewed as it goes on.
 * @param asked its id; "latest" for the one that was begun last, whose id is not told yet; null for none
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
