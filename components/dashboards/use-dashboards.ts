"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { FolderSource } from "@/components/folders/use-folder-pages";
import { useWorkspace } from "@/components/layout/workspace-context";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { DashboardSummary } from "@/lib/features/dashboards/schema";

export const toDashboardsKey = (workspaceId: string) => ["dashboards", workspaceId] as const;
/** Keys of the loaded folders; both begin with that of the list. */
export const toDashboardTreeKey = (workspaceId: string) => [...toDashboardsKey(workspaceId), "tree"] as const;
/** Keys of the lists of dashboards that were saved last or found by name. */
export const toDashboardLookupKey = (workspaceId: string) => [...toDashboardsKey(workspaceId), "lookup"] as const;
export const toRecentKey = (workspaceId: string) => [...toDashboardLookupKey(workspaceId), "recent"] as const;
export const toDashboardKey = (workspaceId: string, id: string) => ["dashboard", workspaceId, id] as const;
/** Query key of all data of a dashboard, with any filters. */
export const toDashboardDataKey = (workspaceId: string, id: string) => ["dashboard-data", workspaceId, id] as const;

/** Pickers and the list show this many dashboards; searches find all. */
export const RECENT_MAX = 200;

/** Returns the source of the folders of dashboards. */
export function useDashboardSource(): FolderSource<DashboardSummary> {
  const { workspace } = useWorkspace();
  return useMemo(
    () => ({
      key: toDashboardTreeKey(workspace.id),
      read: (place, cursor, signal) => dashboardApi.readTree(workspace.id, place, cursor, signal),
    }),
    [workspace.id],
  );
}

/** Reads the dashboards saved last, latest first. */
export function useRecentDashboards() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toRecentKey(workspace.id),
    queryFn: ({ signal }) => dashboardApi.lookUp(workspace.id, { limit: `${RECENT_MAX}` }, signal),
  });
}

/** Reads the dashboards whose names or folders match a search, best first; reads nothing for an empty one. */
export function useDashboardsByName(q: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...toDashboardLookupKey(workspace.id), "by-name", q],
    queryFn: ({ signal }) => dashboardApi.lookUp(workspace.id, { q }, signal),
    enabled: q !== "",
  });
}

/** Reads dashboards by their ids. Those that the user cannot see are left out. */
export function useDashboardsById(ids: readonly string[]) {
  const { workspace } = useWorkspace();
  const list = [...new Set(ids)].sort().join(",");
  return useQuery({
    queryKey: [...toDashboardLookupKey(workspace.id), "by-id", list],
    queryFn: ({ signal }) => (list === "" ? [] : dashboardApi.lookUp(workspace.id, { ids: list }, signal)),
  });
}

/** Returns one dashboard with its content; reads nothing if `id` is null. */
export function useDashboard(id: string | null) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toDashboardKey(workspace.id, id ?? ""),
    queryFn: ({ signal }) => dashboardApi.read(workspace.id, id ?? "", signal),
    enabled: id !== null,
  });
}
