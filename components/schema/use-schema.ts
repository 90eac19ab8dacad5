"use client";

import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useLookUp } from "@/components/ui/use-look-up";
import { usePages } from "@/components/ui/use-pages";
import type { Entity } from "@/lib/base/values/fields";
import type { Connection } from "@/lib/features/connections/schema";
import { SAMPLE_CONNECTION_NAME } from "@/lib/features/consoles/browser/sample-console";
import { api } from "@/lib/features/query/browser/api";

const toConnectionsKey = (workspaceId: string) => ["connections", workspaceId] as const;

/** Returns the workspace's connections, oldest first, in pages. */
export function useConnections() {
  const { workspace } = useWorkspace();
  return usePages(toConnectionsKey(workspace.id), (cursor, signal) =>
    api.listConnections(workspace.id, cursor, signal),
  );
}

/** Returns a finder of connections by id: undefined while one loads, null for a removed one and for no id. */
export function useFindConnection(): (id: string | null | undefined) => Connection | null | undefined {
  const { workspace } = useWorkspace();
  const { data } = useConnections();
  return useLookUp(data, {
    queryKey: [...toConnectionsKey(workspace.id), "by-id"],
    read: (ids, signal) => api.lookUpConnections(workspace.id, { ids }, signal),
    idOf: ({ id }) => id,
  });
}

/** Returns the connections whose names contain a text; reads nothing for an empty one. */
export function useConnectionsByName(q: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...toConnectionsKey(workspace.id), "by-name", q],
    queryFn: ({ signal }) => api.lookUpConnections(workspace.id, { q }, signal),
    enabled: q !== "",
  });
}

/** Returns the name of a connection: an empty text while it loads, and a fixed text for a removed one. */
export function useConnectionName(): (id: string | null | undefined) => string {
  const find = useFindConnection();
  return (id) => {
    const connection = find(id);
    return connection === undefined ? "" : (connection?.name ?? "deleted connection");
  };
}

/** Returns the loaded connections that can be queried, the sample and the rest in the server's order. */
export function useDatabases(): Connection[] {
  const { data } = useConnections();
  return useMemo(() => data?.filter(isDatabase) ?? NO_CONNECTIONS, [data]);
}

/** Returns a finder of a console's connection: its own, or else the first that the workspace offers. */
export function useFindDatabase(): (connectionId: string | null) => Connection | null {
  const databases = useDatabases();
  const find = useFindConnection();
  return (connectionId) => {
    const own = find(connectionId);
    if (own === undefined) return null;
    if (own !== null && isDatabase(own)) return own;
    return databases.find(({ name }) => name === SAMPLE_CONNECTION_NAME) ?? databases[0] ?? null;
  };
}

function isDatabase({ category }: Connection): boolean {
  return category === "database";
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
        queryClient.invalidateQueries({ queryKey: toConnectionsKey(workspace.id) }),
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
