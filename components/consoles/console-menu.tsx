"use client";

import {
  CalendarClock,
  CopyPlus,
  FolderInput,
  FolderPlus,
  History,
  Link2,
  Lock,
  Pencil,
  Plus,
  Save,
  Trash2,
  Users,
} from "lucide-react";
import { useTreeActions } from "@/components/consoles/use-tree-actions";
import { copyText } from "@/components/ui/copy-text";
import { announce } from "@/components/ui/live-region";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import { showFailure, showToast } from "@/components/ui/toast";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import type { ConsoleFolder, ConsoleSummary } from "@/lib/client/consoles";
import type { FolderChoice } from "@/lib/ui/console-tree";

type ConsoleMenuProps = {
  id: string;
  /** null for a console that was never saved. */
  saved: ConsoleSummary | null;
  hasUnsaved: boolean;
  onRename: () => void;
  onMove: () => void;
};

/** All that can be done with one console; the body of its menus. */
export function ConsoleMenu({ id, saved, hasUnsaved, onRename, onMove }: ConsoleMenuProps) {
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
      {saved && (
        <>
          <MenuItem icon={<FolderInput />} onSelect={onMove}>
            Move to
          </MenuItem>
          {saved.access === "private" ? (
            <MenuItem icon={<Users />} onSelect={() => void setAccess(saved, "workspace")}>
              Share with the workspace
            </MenuItem>
          ) : (
            <MenuItem icon={<Lock />} onSelect={() => void setAccess(saved, "private")}>
              Make private
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem icon={<History />} onSelect={() => openHistory(id)}>
            History
          </MenuItem>
          <MenuItem icon={<CalendarClock />} onSelect={() => openSchedule(id)}>
            Schedule and runs
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

type FolderMenuProps = {
  place: FolderChoice;
  /** null for the two ends of the tree, which stay. */
  folder: ConsoleFolder | null;
  onNewConsole: () => void;
  onNewFolder: () => void;
  onRename: () => void;
  onMove: () => void;
  onRemove: () => void;
};

export function FolderMenu({ folder, onNewConsole, onNewFolder, onRename, onMove, onRemove }: FolderMenuProps) {
  const { setFolderAccess } = useTreeActions();
  return (
    <>
      <MenuItem icon={<Plus />} onSelect={onNewConsole}>
        New console here
      </MenuItem>
      <MenuItem icon={<FolderPlus />} onSelect={onNewFolder}>
        New folder here
      </MenuItem>
      {folder && (
        <>
          <MenuLine />
          <MenuItem icon={<Pencil />} keys="F2" onSelect={onRename}>
            Rename
          </MenuItem>
          <MenuItem icon={<FolderInput />} onSelect={onMove}>
            Move to
          </MenuItem>
          {folder.access === "private" ? (
            <MenuItem icon={<Users />} onSelect={() => void setFolderAccess(folder, "workspace")}>
              Share with the workspace
            </MenuItem>
          ) : (
            <MenuItem icon={<Lock />} onSelect={() => void setFolderAccess(folder, "private")}>
              Make private
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem icon={<Trash2 />} keys="Del" onSelect={onRemove}>
            Delete
          </MenuItem>
        </>
      )}
    </>
  );
}

type CopiedLink = { isRun: boolean };

/** Copies the address of a console or of one run of it, and says who can open it. */
export async function copyLink(
  link: string,
  { name, access }: Pick<ConsoleSummary, "name" | "access">,
  { isRun }: CopiedLink = { isRun: false },
): Promise<void> {
  if (!(await copyText(link))) {
    showFailure(`The browser did not allow copying. The link is ${link}`);
    return;
  }
  announce("The link is copied");
  const whose = isRun ? " You and the admins see the run." : "";
  showToast(
    access === "workspace"
      ? `The link to ${name} is copied. Everybody in the workspace can open it.${whose}`
      : `The link to ${name} is copied. It is private: share it with the workspace before others can open it.`,
    { id: "link" },
  );
}
