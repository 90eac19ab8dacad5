"use client";

import { CopyPlus, FileDown, FolderInput, Link2, Pencil, Star, StarOff, Trash2 } from "lucide-react";
import type { PlacedDashboard, usePlacedDashboards } from "@/components/dashboards/use-placed-dashboards";
import { copyLink } from "@/components/folders/copy-link";
import { AccessItem } from "@/components/folders/folder-menu";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import { toggleFavouriteDashboard } from "@/lib/features/consoles/browser/workbench";

type DashboardMenuProps = {
  dashboard: PlacedDashboard;
  placed: ReturnType<typeof usePlacedDashboards>;
  onRename: () => void;
  onMove: () => void;
};

/** Actions on one dashboard; the body of its menus. */
export function DashboardMenu({ dashboard, placed, onRename, onMove }: DashboardMenuProps) {
  const { id, title, access } = dashboard;
  const named = { ...dashboard, name: title };
  const { workbench } = useWorkspace();
  const isFavourite = useWorkbench()?.favouriteDashboards.includes(id) ?? false;
  return (
    <>
      <MenuItem
        icon={isFavourite ? <StarOff /> : <Star />}
        onSelect={() => workbench.change((each) => toggleFavouriteDashboard(each, id))}
      >
        {isFavourite ? "Remove from favourites" : "Add to favourites"}
      </MenuItem>
      <MenuItem icon={<Pencil />} onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<CopyPlus />} onSelect={() => void placed.duplicate(id)}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={onMove}>
        Move to folder
      </MenuItem>
      <AccessItem access={access} onAccess={(to) => void placed.setAccess(named, to)} />
      <MenuLine />
      <MenuItem
        icon={<Link2 />}
        onSelect={() => void copyLink(`${window.location.origin}${placed.toAddress(id)}`, named)}
      >
        Copy link
      </MenuItem>
      <MenuItem icon={<FileDown />} onSelect={() => void placed.export(dashboard)}>
        Export JSON
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Trash2 />} onSelect={() => void placed.remove(dashboard)}>
        Delete
      </MenuItem>
    </>
  );
}
