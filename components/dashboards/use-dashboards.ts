"use client";

import { useQuery } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";

export const toDashboardsKey = (workspaceId: string) => ["dashboards", workspaceId] as const;
export const toDashboardFoldersKey = (workspaceId: string) => ["dashboard-folders", workspaceId] as const;
export const toDashboardKey = (workspaceId: string, id: string) => ["dashboard", workspaceId, id] as const;
/** Query key of all data of a dashboard, with any filters. */
export const toDashboardDataKey = (workspaceId: string, id: string) => ["dashboard-data", workspaceId, id] as const;

/** Returns all dashboards that the user can see, without their content. @param isWanted false makes no request */
export function useDashboardList(isWanted = true) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toDashboardsKey(workspace.id),
    queryFn: ({ signal }) => dashboardApi.list(workspace.id, signal),
    enabled: isWanted,
  });
}

export function useDashboardFolders() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toDashboardFoldersKey(workspace.id),
    queryFn: ({ signal }) => dashboardApi.listFolders(workspace.id, signal),
  });
}

/** Returns one dashboard with its content. */
export function useDashboard(id: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toDashboardKey(workspace.id, id),
    queryFn: ({ signal }) => dashboardApi.read(workspace.id, id, signal),
  });
}
