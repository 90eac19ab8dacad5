"use client";

import { useMemo } from "react";
import { showToast } from "@/components/ui/toast";
import type { ConsoleChange } from "@/components/workspace/console-service";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { ConsoleFolder, ConsoleSummary } from "@/lib/client/consoles";
import type { FolderChoice } from "@/lib/ui/console-tree";
import { toConsoleName } from "@/lib/ui/workbench";

/** Moving, sharing and folders: what the tree and the menus of a console do. Each move can be undone. */
export function useTreeActions() {
  const { consoles, workbench } = useWorkspace();
  const { open } = useConsoleActions();
  return useMemo(() => {
    const change = async (each: ConsoleSummary, to: ConsoleChange, back: ConsoleChange, said: string) => {
      const saved = await consoles.change(each.id, to);
      if (saved === null) return;
      const undo = () => void consoles.change(each.id, back);
      showToast(said, { id: `move-${each.id}`, action: { label: "Undo", onClick: undo } });
    };
    const changeFolder = async (
      folder: ConsoleFolder,
      to: Partial<Pick<ConsoleFolder, "parentId" | "access">>,
      said: string,
    ) => {
      if ((await consoles.changeFolder(folder.id, to)) === null) return;
      const { parentId, access } = folder;
      const undo = () => void consoles.changeFolder(folder.id, { parentId, access });
      showToast(said, { id: `move-${folder.id}`, action: { label: "Undo", onClick: undo } });
    };
    return {
      move: (each: ConsoleSummary, to: FolderChoice, placeName: string) => {
        const { folderId, access } = each;
        const isShared = access !== to.access && to.access === "workspace";
        const said = `${each.name} is in ${placeName} now.${isShared ? " Everybody in the workspace sees it." : ""}`;
        return change(each, to, { folderId, access }, said);
      },
      setAccess: (each: ConsoleSummary, access: FolderChoice["access"]) => {
        const before = { folderId: each.folderId, access: each.access };
        const said =
          access === "workspace"
            ? `${each.name} is shared with the workspace.`
            : `${each.name} is private now. Only you see it.`;
        return change(each, { access, folderId: null }, before, said);
      },
      moveFolder: (folder: ConsoleFolder, { folderId, access }: FolderChoice, placeName: string) =>
        changeFolder(folder, { parentId: folderId, access }, `${folder.name} is in ${placeName} now.`),
      setFolderAccess: (folder: ConsoleFolder, access: FolderChoice["access"]) =>
        changeFolder(
          folder,
          { access, parentId: null },
          access === "workspace"
            ? `${folder.name} and all in it is shared with the workspace.`
            : `${folder.name} and all in it is private now.`,
        ),
      renameFolder: (folder: ConsoleFolder, typed: string) => {
        const name = toConsoleName(typed);
        if (name !== null && name !== folder.name) void consoles.changeFolder(folder.id, { name });
      },
      /** Makes a folder with a name of its own. @returns its id, to type another name; null when it could not be made */
      createFolder: async ({ folderId, access }: FolderChoice, taken: string[]): Promise<string | null> => {
        const names = new Set(taken.map((each) => each.toLowerCase()));
        let name = "New folder";
        for (let n = 2; names.has(name.toLowerCase()); n++) name = `New folder ${n}`;
        const folder = await consoles.createFolder({ name, parentId: folderId, access });
        if (folder === null) return null;
        if (folderId !== null)
          workbench.change((each) => ({ ...each, toggled: { ...each.toggled, [folderId]: true } }));
        return folder.id;
      },
      /** Makes an empty console in a place and opens it. */
      createIn: async ({ folderId, access }: FolderChoice, taken: string[]) => {
        const names = new Set(taken.map((each) => each.toLowerCase()));
        let name = "untitled.sql";
        for (let n = 2; names.has(name); n++) name = `untitled-${n}.sql`;
        const saved = await consoles.tryCreate({ name, content: "", connectionId: null, folderId, access });
        if (saved !== null) open(saved.id);
      },
    };
  }, [consoles, workbench, open]);
}
