"use client";

import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Entity } from "@/lib/base/values/fields";
import type { Connection } from "@/lib/features/connections/schema";
import { SAMPLE_CONNECTION_NAME } from "@/lib/features/consoles/browser/sample-console";
import { api } from "@/lib/features/query/browser/api";

/** Returns the workspace's connections. */
export function useConnections() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["connections", workspace.id],
    queryFn: ({ signal }) => api.listConnections(workspace.id, signal),
  });
}

/** Returns the name of a connection: an empty text while connections load, and a fixed text for a removed one. */
export function useConnectionName(): (id: string | null | undefined) => string {
  const { data } = useConnections();
  return (id) => (data === undefined ? "" : (data.find((each) => each.id === id)?.name ?? "deleted connection"));
}

/** Returns the connections that can be queried, the sample and the rest in the server's order. */
export function useDatabases(): Connection[] {
  const { data } = useConnections();
  return data?.filter(({ category }) => category === "database") ?? NO_CONNECTIONS;
}

/** Returns a finder of a console's connection: its own, or else the first that the workspace offers. */
export function useFindDatabase(): (connectionId: string | null) => Connection | null {
  const databases = useDatabases();
  return (connectionId) =>
    databases.find(({ id }) => id === connectionId) ??
    databases.find(({ name }) => name === SAMPLE_CONNECTION_NAME) ??
    databases[0] ??
    null;
}

/** Returns the tables of one connection, for completion and suggestions; loaded on first use. */
export function useEntities(connectionId: string | null): Entity[] {
  const { workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: toEntitiesKey(workspace.id, connectionId ?? ""),
    queryFn: ({ signal }) => api.listEntities(workspace.id, connectionId ?? "", { signal }),
    enabled: connectionId !== null,
  });
  return data ?? NO_ENTITIES;
}

/** Returns the tables of the connections that are open in the tree. */
export function useOpenSchemas(connectionIds: string[]) {
  const { workspace } = useWorkspace();
  return useQueries({
    queries: connectionIds.map((id) => ({
      queryKey: toEntitiesKey(workspace.id, id),
      queryFn: ({ signal }: { signal: AbortSignal }) => api.listEntities(workspace.id, id, { signal }),
    })),
  });
}

/** Reloads schemas, bypassing the server's cache. */
export function useSchemaRefresh() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [isRefreshing, setIsRefreshing] = useState(false);
  const refresh = useCallback(
    async (connectionIds: string[]) => {
      setIsRefreshing(true);
      const readAnew = (id: string) =>
        queryClient.fetchQuery({
          queryKey: toEntitiesKey(workspace.id, id),
          queryFn: ({ signal }) => api.listEntities(workspace.id, id, { refresh: true, signal }),
          staleTime: 0,
        });
      // The cache keeps an error, which shows under its connection.
      await Promise.allSettled([
        queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] }),
        ...connectionIds.map(readAnew),
      ]);
      setIsRefreshing(false);
    },
    [queryClient, workspace.id],
  );
  return { refresh, isRefreshing };
}

const NO_CONNECTIONS: Connection[] = [];
const NO_ENTITIES: Entity[] = [];

function toEntitiesKey(workspaceId: string, connectionId: string): string[] {
  return ["entities", workspaceId, connectionId];
}
