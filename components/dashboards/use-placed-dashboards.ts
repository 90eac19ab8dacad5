"use client";

import { usePathname, useRouter } from "next/navigation";
import { useMemo } from "react";
import { useDashboardActions } from "@/components/dashboards/use-dashboard-actions";
import { makeFiling } from "@/components/folders/item-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showToast } from "@/components/ui/toast";
import type { Dashboard, DashboardSummary } from "@/lib/features/dashboards/schema";
import { saveFile } from "@/lib/platform/browser/save-file";

/** Target of a menu: a row of the list, or the open dashboard. */
export type PlacedDashboard = Pick<DashboardSummary, "id" | "title" | "folderId" | "access" | "version">;

/** Returns the dashboard id in the address; null on the list. */
export function useActiveDashboardId(): string | null {
  return /^\/w\/[^/]+\/dashboards\/([0-9a-f]{24})/.exec(usePathname())?.[1] ?? null;
}

/** Returns the actions of dashboard menus, including moves between folders. Actions that can be undone say so. */
export function usePlacedDashboards(find: (id: string) => Pick<DashboardSummary, "id" | "version"> | undefined) {
  const { workspace } = useWorkspace();
  const actions = useDashboardActions();
  const router = useRouter();
  const activeId = useActiveDashboardId();
  return useMemo(() => {
    const root = `/w/${workspace.slug}/dashboards`;
    const filing = makeFiling({
      change: async (id, to) => {
        const known = find(id);
        return known ? actions.change(known, to) : null;
      },
      createFolder: (body) => actions.createFolder(body),
      changeFolder: (id, to) => actions.changeFolder(id, to),
    });
    return {
      ...filing,
      open: (id: string) => router.push(`${root}/${id}`),
      toAddress: (id: string) => `${root}/${id}`,
      rename: (each: PlacedDashboard, typed: string) => {
        const title = typed.trim();
        if (title !== "" && title !== each.title) void actions.change(each, { title });
      },
      duplicate: async (id: string) => {
        const copy: Dashboard | null = await actions.duplicate(id);
        if (copy !== null) router.push(`${root}/${copy.id}`);
      },
      /** Exports the dashboard as a file for import elsewhere. */
      export: async ({ id, title }: PlacedDashboard) => {
        const file = await actions.export(id);
        if (file === null) return;
        saveFile(new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: "application/json" }), `${title}.json`);
      },
      remove: async ({ id, title }: PlacedDashboard) => {
        if ((await actions.remove(id)) === null) return;
        const wasActive = activeId === id;
        if (wasActive) router.push(root);
        const undo = async () => {
          const back = await actions.undelete(id);
          if (back !== null && wasActive) router.push(`${root}/${id}`);
        };
        showToast(`${title} deleted`, {
          id: `remove-${id}`,
          action: { label: "Undo", onClick: () => void undo() },
        });
      },
    };
  }, [workspace.slug, actions, router, activeId, find]);
}
