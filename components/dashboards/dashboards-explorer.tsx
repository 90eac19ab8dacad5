"use client";

import { FolderPlus, LayoutDashboard, Plus, Star } from "lucide-react";
import { useMemo, useState } from "react";
import { DashboardMenu } from "@/components/dashboards/dashboard-menu";
import { useDashboardActions, useNewDashboard } from "@/components/dashboards/use-dashboard-actions";
import { useDashboard, useDashboardSource } from "@/components/dashboards/use-dashboards";
import { useActiveDashboardId, usePlacedDashboards } from "@/components/dashboards/use-placed-dashboards";
import type { RemovedFolder } from "@/components/folders/delete-folder";
import { ItemTree } from "@/components/folders/item-tree";
import { useFolderPages } from "@/components/folders/use-folder-pages";
import { useReveal } from "@/components/folders/use-reveal";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { NavFind } from "@/components/layout/nav-find";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import type { DashboardFolder } from "@/lib/features/dashboards/browser/client";
import type { DashboardSummary } from "@/lib/features/dashboards/schema";
import { buildItemTree, type FolderChoice, toRoots, toTop } from "@/lib/features/folders/browser/item-tree";
import { later } from "@/lib/platform/browser/load-again";

const loadDeleteFolder = later(() => import("@/components/folders/delete-folder"));
const DeleteFolder = lazyComponent(loadDeleteFolder, (module) => module.DeleteFolder);

/** Separate from the consoles: each tree keeps its own collapsed folders. */
const ROOTS = toRoots("dashboards-");
const MINE: FolderChoice = { folderId: null, access: "private" };
const NONE_TOGGLED: Record<string, boolean> = {};
const NO_IDS: string[] = [];
const BAR_WIDTHS = [44, 58, 50];

const toPlacedItem = ({ id, title, folderId, access }: DashboardSummary) => ({ id, name: title, folderId, access });

/** The private dashboards of the user, and those of the workspace. */
export function DashboardsExplorer() {
  const { workspace, workbench: store } = useWorkspace();
  const toggled = useWorkbench()?.toggled ?? NONE_TOGGLED;
  const isAwake = useWorkbench() !== null;
  const favourites = useWorkbench()?.favouriteDashboards ?? NO_IDS;
  const source = useDashboardSource();
  const activeId = useActiveDashboardId();
  const { data: shown } = useDashboard(activeId);
  const tops = ROOTS.filter(({ id }) => toggled[id] ?? true).map(toTop);
  const pages = useFolderPages(source, { tops, isExpanded: (id) => toggled[id] ?? false, revealed: shown ?? null });
  const { folders, items } = pages;
  const states = tops.map(pages.stateOf);
  // A top level that is expanded later loads below its row.
  const isRead = states.length === 0 || states.some(({ is }) => is === "whole" || is === "partial");
  const failure = states.find((each) => each.is === "failed");
  // The shown dashboard may be on a later page of its folder.
  const dashboards = useMemo(
    () => (shown === undefined || items.some(({ id }) => id === shown.id) ? items : [...items, shown]),
    [items, shown],
  );
  const actions = useDashboardActions();
  const newDashboard = useNewDashboard();
  const find = useMemo(() => (id: string) => dashboards.find((each) => each.id === id), [dashboards]);
  const placed = usePlacedDashboards(find);
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [removing, setRemoving] = useState<DashboardFolder | null>(null);
  const nodes = buildItemTree({ ...pages, items: dashboards, toPlacedItem, roots: ROOTS, toggled });
  useReveal(shown, { trail: isAwake ? pages.trail : null, roots: ROOTS });

  const setToggled = (id: string, isOpen: boolean) =>
    store.change((each) => ({ ...each, toggled: { ...each.toggled, [id]: isOpen } }));
  const newFolder = async (place: FolderChoice) => {
    const inside = await pages.load(place).catch(() => null);
    const taken = (inside?.folders ?? []).map(({ name }) => name);
    const id = await placed.createFolder(place, taken);
    if (id === null) return;
    if (place.folderId !== null) setToggled(place.folderId, true);
    setRenamingId(id);
  };
  const removeFolder = async (folder: DashboardFolder): Promise<RemovedFolder | null> => {
    const gone = await actions.removeFolder(folder.id);
    if (gone === null) return null;
    const bringBack: RemovedFolder["bringBack"] = async (anew) => {
      for (const { id, folderId } of gone.items) await actions.undelete(id, anew.get(folderId) ?? null);
    };
    return { gone, bringBack };
  };
  const renameFolder = (folder: DashboardFolder, typed: string) => {
    const name = typed.trim();
    if (name !== "" && name !== folder.name) void actions.changeFolder(folder.id, { name });
  };
  const remove = (id: string) => {
    const each = find(id);
    if (each) void placed.remove(each);
  };

  return (
    <>
      <NavFind label="Search dashboards" root={`/w/${workspace.slug}/dashboards`} />
      <ExplorerSection
        title="Dashboards"
        className="dashboard-box"
        acts={[
          { label: "New dashboard", keys: "c", icon: <Plus className="s" />, onPress: () => void newDashboard() },
          { label: "New folder", icon: <FolderPlus className="s" />, onPress: () => void newFolder(MINE) },
        ]}
      >
        {!isRead && !failure && <ExplorerBars label="Loading dashboards" widths={BAR_WIDTHS} />}
        {!isRead && failure && (
          <ExplorerFailure message={failure.message} onRetry={() => void Promise.all(tops.map(pages.more))} />
        )}
        {isRead && (
          <ItemTree
            label="Dashboards"
            noun="dashboard"
            nodes={nodes}
            folders={folders}
            source={source}
            filing={placed}
            activeId={activeId}
            renamingId={renamingId}
            onRenaming={setRenamingId}
            onToggle={(id) => setToggled(id, !(nodes.find((each) => each.id === id)?.isExpanded ?? false))}
            onOpen={placed.open}
            onMore={(place) => void pages.more(place)}
            onNew={(place) => void newDashboard(place)}
            onNewFolder={(place) => void newFolder(place)}
            onRename={(id, typed) => {
              const each = find(id);
              if (each) placed.rename(each, typed);
            }}
            onRenameFolder={renameFolder}
            onRemove={remove}
            onRemoveFolder={setRemoving}
            toMovable={toPlacedItem}
            toIcon={({ id }) => (favourites.includes(id) ? <Star aria-label="Favourite" /> : <LayoutDashboard />)}
            toMenu={(each, acts) => <DashboardMenu dashboard={each} placed={placed} {...acts} />}
          />
        )}
      </ExplorerSection>
      {removing && (
        <DeleteFolder
          folder={removing}
          count={pages.countOf({ folderId: removing.id, access: removing.access })}
          noun="dashboard"
          onRemove={() => removeFolder(removing)}
          onCreate={async (body, like) => {
            const made = await actions.createFolder(body);
            if (made !== null) setToggled(made.id, toggled[like.id] ?? false);
            return made;
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}
