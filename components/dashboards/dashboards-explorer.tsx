"use client";

import { FolderPlus, LayoutDashboard, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { DashboardMenu } from "@/components/dashboards/dashboard-menu";
import { useDashboardActions, useNewDashboard } from "@/components/dashboards/use-dashboard-actions";
import { useDashboardFolders, useDashboardList } from "@/components/dashboards/use-dashboards";
import { useActiveDashboardId, usePlacedDashboards } from "@/components/dashboards/use-placed-dashboards";
import type { BringBack } from "@/components/folders/delete-folder";
import { ItemTree } from "@/components/folders/item-tree";
import { useReveal } from "@/components/folders/use-reveal";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { NavFind } from "@/components/layout/nav-find";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import type { DashboardFolder } from "@/lib/features/dashboards/browser/client";
import type { DashboardSummary } from "@/lib/features/dashboards/schema";
import { buildItemTree, type FolderChoice, isSameChoice, toRoots } from "@/lib/features/folders/browser/item-tree";
import { later } from "@/lib/platform/browser/load-again";

const loadDeleteFolder = later(() => import("@/components/folders/delete-folder"));
const DeleteFolder = lazyComponent(loadDeleteFolder, (module) => module.DeleteFolder<DashboardSummary>);

/** Separate from the consoles: each tree keeps its own collapsed folders. */
const ROOTS = toRoots("dashboards-");
const MINE: FolderChoice = { folderId: null, access: "private" };
const NO_DASHBOARDS: DashboardSummary[] = [];
const NO_FOLDERS: DashboardFolder[] = [];
const NONE_TOGGLED: Record<string, boolean> = {};
const BAR_WIDTHS = [44, 58, 50];

const toPlacedItem = ({ id, title, folderId, access }: DashboardSummary) => ({ id, name: title, folderId, access });

/** The private dashboards of the user, and those of the workspace. */
export function DashboardsExplorer() {
  const { workspace, workbench: store } = useWorkspace();
  const toggled = useWorkbench()?.toggled ?? NONE_TOGGLED;
  const isAwake = useWorkbench() !== null;
  const list = useDashboardList();
  const folderList = useDashboardFolders();
  const dashboards = list.data ?? NO_DASHBOARDS;
  const folders = folderList.data ?? NO_FOLDERS;
  const isRead = list.data !== undefined && folderList.data !== undefined;
  const failure = list.error ?? folderList.error;
  const activeId = useActiveDashboardId();
  const actions = useDashboardActions();
  const newDashboard = useNewDashboard();
  const find = useMemo(() => (id: string) => dashboards.find((each) => each.id === id), [dashboards]);
  const placed = usePlacedDashboards(find);
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [removing, setRemoving] = useState<DashboardFolder | null>(null);
  const nodes = useMemo(
    () => buildItemTree({ items: dashboards, toPlacedItem, folders, roots: ROOTS, toggled }),
    [dashboards, folders, toggled],
  );
  const shown = dashboards.find(({ id }) => id === activeId);
  useReveal(shown, { folders, roots: ROOTS, isReady: isRead && isAwake });

  const setToggled = (id: string, isOpen: boolean) =>
    store.change((each) => ({ ...each, toggled: { ...each.toggled, [id]: isOpen } }));
  const newFolder = async (place: FolderChoice) => {
    const taken = folders
      .filter((each) => isSameChoice({ folderId: each.parentId, access: each.access }, place))
      .map(({ name }) => name);
    const id = await placed.createFolder(place, taken);
    if (id === null) return;
    if (place.folderId !== null) setToggled(place.folderId, true);
    setRenamingId(id);
  };
  const removeFolder = async (
    folder: DashboardFolder,
    held: readonly DashboardSummary[],
  ): Promise<BringBack | null> => {
    if ((await actions.removeFolder(folder.id)) === null) return null;
    return async (anew) => {
      for (const { id, folderId } of held) await actions.undelete(id, anew.get(folderId ?? "") ?? null);
    };
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
          <ExplorerFailure
            message={failure.message}
            onRetry={() => void Promise.all([list.refetch(), folderList.refetch()])}
          />
        )}
        {isRead && (
          <ItemTree
            label="Dashboards"
            noun="dashboard"
            nodes={nodes}
            folders={folders}
            filing={placed}
            activeId={activeId}
            renamingId={renamingId}
            onRenaming={setRenamingId}
            onToggle={(id) => setToggled(id, !(nodes.find((each) => each.id === id)?.isExpanded ?? false))}
            onOpen={placed.open}
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
            toIcon={() => <LayoutDashboard />}
            toMenu={(each, acts) => <DashboardMenu dashboard={each} placed={placed} {...acts} />}
          />
        )}
      </ExplorerSection>
      {removing && (
        <DeleteFolder
          folder={removing}
          folders={folders}
          items={dashboards}
          noun="dashboard"
          onRemove={(held) => removeFolder(removing, held)}
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
