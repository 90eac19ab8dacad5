"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { toListKey } from "@/components/consoles/console-service";
import { readFlowsById } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import type { Activity, ActivityFacts } from "@/lib/features/runs/browser/activity";
import { toIdLists } from "@/lib/platform/browser/lists";

type ConnectionsOf = ActivityFacts["connectionsOf"];
const NO_CONNECTIONS: ConnectionsOf = new Map();

/** Returns the connections of the consoles and flows of activity, loaded once a filter needs them. */
export function useConnectionsOf(
  items: readonly Activity[],
  isWanted: boolean,
): { connectionsOf: ConnectionsOf; isPending: boolean } {
  const { workspace } = useWorkspace();
  const ids = isWanted ? resourcesOf(items) : { consoles: [], flows: [] };
  const { data, isLoading } = useQuery({
    // Below the key of consoles, so that a change of one reads this again.
    queryKey: [...toListKey(workspace.id), "connections", ids],
    queryFn: ({ signal }) => readConnectionsOf(workspace.id, items, signal),
    enabled: ids.consoles.length + ids.flows.length > 0,
    placeholderData: keepPreviousData,
  });
  return { connectionsOf: data ?? NO_CONNECTIONS, isPending: isLoading };
}

/** Reads the connections of the consoles and flows of activity. @throws ApiError */
export async function readConnectionsOf(
  workspaceId: string,
  items: readonly Activity[],
  signal: AbortSignal,
): Promise<ConnectionsOf> {
  const ids = resourcesOf(items);
  const [consoles, flows] = await Promise.all([
    Promise.all(toIdLists(ids.consoles).map((list) => consoleApi.lookUp(workspaceId, { ids: list }, signal))),
    readFlowsById(workspaceId, ids.flows, signal),
  ]);
  return new Map<string, readonly (string | null)[]>([
    ...consoles.flat().map(({ id, connectionId }) => [id, [connectionId]] as const),
    ...flows.map(
      ({ id, source, destination }) => [id, [source?.connectionId ?? null, destination.connectionId]] as const,
    ),
  ]);
}

function resourcesOf(items: readonly Activity[]): { consoles: string[]; flows: string[] } {
  const ids = { scheduled_query: new Set<string>(), flow: new Set<string>(), dashboard: new Set<string>() };
  for (const item of items) {
    if (item.kind === "query") continue;
    const { resourceType, resourceId } = item.kind === "delivery" ? item.delivery : item.run;
    ids[resourceType].add(resourceId);
  }
  return { consoles: [...ids.scheduled_query].sort(), flows: [...ids.flow].sort() };
}
