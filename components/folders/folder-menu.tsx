"use client";

import { FolderInput, FolderPlus, Lock, Pencil, Plus, Trash2, Users } from "lucide-react";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import type { Access, Folder } from "@/lib/features/folders/schema";

type FolderMenuProps = {
  /** Singular noun of an item: "console". */
  noun: string;
  /** Null for the two roots of the tree, which cannot be changed. */
  folder: Folder | null;
  onNew: () => void;
  onNewFolder: () => void;
  onRename: () => void;
  onMove: () => void;
  onAccess: (access: Access) => void;
  onRemove: () => void;
};

/** Actions of a folder; the body of its menus. */
export function FolderMenu({
  noun,
  folder,
  onNew,
  onNewFolder,
  onRename,
  onMove,
  onAccess,
  onRemove,
}: FolderMenuProps) {
  return (
    <>
      <MenuItem icon={<Plus />} onSelect={onNew}>
        New {noun}
      </MenuItem>
      <MenuItem icon={<FolderPlus />} onSelect={onNewFolder}>
        New folder
      </MenuItem>
      {folder && (
        <>
          <MenuLine />
          <MenuItem icon={<Pencil />} keys="F2" onSelect={onRename}>
            Rename
          </MenuItem>
          <MenuItem icon={<FolderInput />} onSelect={onMove}>
            Move to folder
          </MenuItem>
          <AccessItem access={folder.access} onAccess={onAccess} />
          <MenuLine />
          <MenuItem icon={<Trash2 />} keys="Del" onSelect={onRemove}>
            Delete
          </MenuItem>
        </>
      )}
    </>
  );
}

/** Shares a private item, or makes a shared one private. */
export function AccessItem({ access, onAccess }: { access: Access; onAccess: (access: Access) => void }) {
  return access === "private" ? (
    <MenuItem icon={<Users />} onSelect={() => onAccess("workspace")}>
      Share with the workspace
    </MenuItem>
  ) : (
    <MenuItem icon={<Lock />} onSelect={() => onAccess("private")}>
      Make private
    </MenuItem>
  );
}
