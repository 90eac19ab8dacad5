"use client";

import { useMemo } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { makeFiling } from "@/components/folders/item-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toConsoleName } from "@/lib/features/consoles/browser/workbench";
import type { FolderChoice } from "@/lib/features/folders/browser/item-tree";
import type { Folder as ConsoleFolder } from "@/lib/features/folders/schema";

/** Returns the actions of the tree and the console menus: moving, sharing and folders. */
export function useTreeActions() {
  const { consoles, workbench } = useWorkspace();
  const { open } = useConsoleActions();
  return useMemo(() => {
    const filing = makeFiling({
      change: (id, to) => consoles.change(id, to),
      createFolder: (body) => consoles.createFolder(body),
      changeFolder: (id, { parentId, ...to }) =>
        consoles.changeFolder(id, { ...to, ...(parentId !== undefined && { parentId }) }),
    });
    return {
      ...filing,
      renameFolder: (folder: ConsoleFolder, typed: string) => {
        const name = toConsoleName(typed);
        if (name !== null && name !== folder.name) void consoles.changeFolder(folder.id, { name });
      },
      createFolder: async (place: FolderChoice, taken: readonly string[]): Promise<string | null> => {
        const { folderId } = place;
        const id = await filing.createFolder(place, taken);
        if (id !== null && folderId !== null)
          workbench.change((each) => ({ ...each, toggled: { ...each.toggled, [folderId]: true } }));
        return id;
      },
      /** Creates an empty console in a folder and opens it. */
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
