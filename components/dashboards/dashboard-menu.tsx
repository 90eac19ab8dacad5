"use client";

import { CopyPlus, FileDown, FolderInput, Link2, Pencil, Trash2 } from "lucide-react";
import type { FiledDashboard, useFiledDashboards } from "@/components/dashboards/use-filed-dashboards";
import { copyLink } from "@/components/folders/copy-link";
import { AccessItem } from "@/components/folders/folder-menu";
import { MenuItem, MenuLine } from "@/components/ui/menu";

type DashboardMenuProps = {
  dashboard: FiledDashboard;
  filed: ReturnType<typeof useFiledDashboards>;
  onRename: () => void;
  onMove: () => void;
};

/** Actions on one dashboard; the body of its menus. */
export function DashboardMenu({ dashboard, filed, onRename, onMove }: DashboardMenuProps) {
  const { id, title, access } = dashboard;
  const named = { ...dashboard, name: title };
  return (
    <>
      <MenuItem icon={<Pencil />} onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<CopyPlus />} onSelect={() => void filed.duplicate(id)}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<FolderInput />} onSelect={onMove}>
        Move to
      </MenuItem>
      <AccessItem access={access} onAccess={(to) => void filed.setAccess(named, to)} />
      <MenuLine />
      <MenuItem
        icon={<Link2 />}
        onSelect={() => void copyLink(`${window.location.origin}${filed.toAddress(id)}`, named)}
      >
        Copy link
      </MenuItem>
      <MenuItem icon={<FileDown />} onSelect={() => void filed.export(dashboard)}>
        Export as JSON
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Trash2 />} onSelect={() => void filed.remove(dashboard)}>
        Delete
      </MenuItem>
    </>
  );
}
