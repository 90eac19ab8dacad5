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
export const toDashboardKey = (workspaceId: string, id: string) => ["dashboard", workspaceId, id] as const;
/** Query key of all data of a dashboard, with any filters. */
export const toDashboardDataKey = (workspaceId: string, id: string) => ["dashboard-data", workspaceId, id] as const;

/** Pickers offer this many dashboards; the palette searches all. */
const RECENT = { limit: "200" };

/** Returns all dashboards that the user can see, without their content. @param isWanted false makes no request */
export function useDashboardList(isWanted = true) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...toDashboardsKey(workspace.id), "all"],
    queryFn: ({ signal }) => dashboardApi.list(workspace.id, signal),
    enabled: isWanted,
  });
}

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
    queryKey: [...toDashboardsKey(workspace.id), "recent"],
    queryFn: ({ signal }) => dashboardApi.lookUp(workspace.id, RECENT, signal),
  });
}

/** Reads the dashboards whose names or folders match a search, best first; reads nothing for an empty one. */
export function useDashboardsByName(q: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...toDashboardsKey(workspace.id), "by-name", q],
    queryFn: ({ signal }) => dashboardApi.lookUp(workspace.id, { q }, signal),
    enabled: q !== "",
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
