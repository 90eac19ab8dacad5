"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo } from "react";
import {
  RECENT_MAX,
  toDashboardKey,
  toDashboardLookupKey,
  toDashboardsKey,
  toDashboardTreeKey,
  toRecentKey,
} from "@/components/dashboards/use-dashboards";
import { dropFromFolders, placeInFolders } from "@/components/folders/use-folder-pages";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showFailure } from "@/components/ui/toast";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type {
  CreateDashboardBody,
  Dashboard,
  DashboardSummary,
  UpdateDashboardBody,
} from "@/lib/features/dashboards/schema";
import type { FolderChoice } from "@/lib/features/folders/browser/item-tree";
import type { CreateFolderBody, UpdateFolderBody } from "@/lib/features/folders/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** Properties of a dashboard that change without its editor. */
export type DashboardChange = Pick<UpdateDashboardBody, "title" | "folderId" | "access">;

/**
 * Returns the actions on dashboards and keeps the lists up to date. Each action reports its own failure to the user and
 * then resolves to null.
 */
export function useDashboardActions() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useMemo(() => makeActions(client, workspace.id), [client, workspace.id]);
}

const UNTITLED = "Untitled dashboard";

/** Creates an empty dashboard and opens its editor. */
export function useNewDashboard(): (place?: FolderChoice) => Promise<void> {
  const { workspace } = useWorkspace();
  const { create } = useDashboardActions();
  const router = useRouter();
  const [createNew] = useSingleFlight(async (place?: FolderChoice) => {
    const made = await create({ title: UNTITLED, ...place });
    if (made !== null) router.push(`/w/${workspace.slug}/dashboards/${made.id}/edit`);
  });
  return createNew;
}

function makeActions(client: QueryClient, workspaceId: string) {
  const listKey = toDashboardsKey(workspaceId);
  const readListsAnew = () => client.invalidateQueries({ queryKey: listKey });
  /** Caches a dashboard that the server returned. */
  const note = (saved: Dashboard): Dashboard => {
    const { datasets: _, widgets: __, filters: ___, ...summary } = saved;
    client.setQueryData(toDashboardKey(workspaceId, saved.id), saved);
    placeInFolders(client, toDashboardTreeKey(workspaceId), summary);
    client.setQueriesData<DashboardSummary[]>({ queryKey: toDashboardLookupKey(workspaceId) }, (list) =>
      list?.map((each) => (each.id === saved.id ? summary : each)),
    );
    client.setQueryData<DashboardSummary[]>(
      toRecentKey(workspaceId),
      (list) => list && [summary, ...list.filter(({ id }) => id !== saved.id)].slice(0, RECENT_MAX),
    );
    return saved;
  };
  const attempt = async <T>(effect: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showFailure(`${effect} ${error.message}`);
      void readListsAnew();
      return null;
    }
  };
  /** Runs an action on a folder, which also affects its items, and then reloads the lists. */
  const withFolders = async <T>(effect: string, work: () => Promise<T>): Promise<T | null> => {
    const done = await attempt(effect, work);
    if (done !== null) await readListsAnew();
    void client.invalidateQueries({ queryKey: ["dashboard", workspaceId] });
    return done;
  };
  return {
    note,
    create: (body: CreateDashboardBody) =>
      attempt("Couldn't create the dashboard.", async () => note(await dashboardApi.create(workspaceId, body))),
    /** Renames, moves or shares a dashboard. A save by someone else in between does not block it. */
    change: ({ id, version }: Pick<DashboardSummary, "id" | "version">, change: DashboardChange) =>
      attempt("Couldn't save the change.", async () => {
        const saved = await dashboardApi.update(workspaceId, id, { version, ...change }).catch((error: unknown) => {
          const current = toCurrentVersion(error);
          if (current === null) throw error;
          return dashboardApi.update(workspaceId, id, { version: current, ...change });
        });
        return note(saved);
      }),
    duplicate: (id: string) =>
      attempt("Couldn't duplicate the dashboard.", async () => note(await dashboardApi.duplicate(workspaceId, id))),
    remove: (id: string) =>
      attempt("Couldn't delete the dashboard.", async () => {
        await dashboardApi.remove(workspaceId, id);
        dropFromFolders(client, toDashboardTreeKey(workspaceId), id);
        client.setQueriesData<DashboardSummary[]>({ queryKey: toDashboardLookupKey(workspaceId) }, (list) =>
          list?.filter((each) => each.id !== id),
        );
        client.removeQueries({ queryKey: toDashboardKey(workspaceId, id) });
        return true;
      }),
    undelete: (id: string, folderId?: string | null) =>
      attempt("Couldn't restore the dashboard.", async () =>
        note(await dashboardApi.undelete(workspaceId, id, folderId)),
      ),
    export: (id: string) => attempt("Couldn't export the dashboard.", () => dashboardApi.export(workspaceId, id)),
    createFolder: (body: CreateFolderBody) =>
      withFolders("Couldn't create the folder.", () => dashboardApi.createFolder(workspaceId, body)),
    changeFolder: (id: string, change: UpdateFolderBody) =>
      withFolders("Couldn't save the change.", () => dashboardApi.updateFolder(workspaceId, id, change)),
    removeFolder: (id: string) =>
      withFolders("Couldn't delete the folder.", () => dashboardApi.removeFolder(workspaceId, id)),
  };
}

/** Returns the current version from a save conflict; null for any other failure. */
function toCurrentVersion(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { current } = (error.details ?? {}) as { current?: { version?: unknown } };
  return typeof current?.version === "number" ? current.version : null;
}
