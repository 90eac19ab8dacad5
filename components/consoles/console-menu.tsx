"use client";

import {
  CalendarClock,
  Copy,
  CopyPlus,
  FolderInput,
  History,
  Link2,
  NotebookPen,
  Pencil,
  Save,
  Trash2,
} from "lucide-react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useTreeActions } from "@/components/consoles/use-tree-actions";
import { copyLink } from "@/components/folders/copy-link";
import { AccessItem } from "@/components/folders/folder-menu";
import { copyName } from "@/components/ui/copy-text";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import type { ConsoleSummary } from "@/lib/features/consoles/schema";

type ConsoleMenuProps = {
  id: string;
  name: string;
  /** null for a console that was never saved. */
  saved: ConsoleSummary | null;
  hasUnsaved: boolean;
  onRename: () => void;
  onMove: () => void;
  /** Absent in lists, which lack the details. */
  onDetails?: () => void;
};

/** Menu items of one console. */
export function ConsoleMenu({ id, name, saved, hasUnsaved, onRename, onMove, onDetails }: ConsoleMenuProps) {
  const { duplicate, remove, save, openHistory, openSchedule, toLink } = useConsoleActions();
  const { setAccess } = useTreeActions();
  return (
    <>
      {hasUnsaved && (
        <MenuItem icon={<Save />} keys="mod+s" onSelect={() => void save(id)}>
          Save
        </MenuItem>
      )}
      <MenuItem icon={<Pencil />} keys="F2" onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<CopyPlus />} onSelect={() => void duplicate(id)}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={() => void copyName(name)}>
        Copy name
      </MenuItem>
      {saved && (
        <>
          <MenuItem icon={<FolderInput />} onSelect={onMove}>
            Move to folder
          </MenuItem>
          <AccessItem access={saved.access} onAccess={(access) => void setAccess(saved, access)} />
          {onDetails && (
            <MenuItem icon={<NotebookPen />} onSelect={onDetails}>
              Details
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem icon={<History />} onSelect={() => openHistory(id)}>
            History
          </MenuItem>
          <MenuItem icon={<CalendarClock />} onSelect={() => openSchedule(id)}>
            Schedule
          </MenuItem>
          <MenuItem icon={<Link2 />} onSelect={() => void copyLink(toLink(id), saved)}>
            Copy link
          </MenuItem>
        </>
      )}
      <MenuLine />
      <MenuItem icon={<Trash2 />} keys="Del" onSelect={() => remove(id)}>
        Delete
      </MenuItem>
    </>
  );
}
