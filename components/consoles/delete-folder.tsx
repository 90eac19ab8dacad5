"use client";

import { useState } from "react";
import { useConsoleFolders, useConsoleList } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/shell/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { showToast } from "@/components/ui/toast";
import type { ConsoleFolder } from "@/lib/console-client";
import { isInside } from "@/lib/ui/console-tree";
import { closeTab } from "@/lib/ui/desk";

/** Asks before a folder goes with all that it holds. Undo makes it anew and brings its consoles back into it. */
export function DeleteFolder({ folder, onClose }: { folder: ConsoleFolder; onClose: () => void }) {
  const { consoles, desk } = useWorkspace();
  const folders = useConsoleFolders().data ?? [];
  const held = (useConsoleList().data ?? []).filter(({ folderId }) => isInside(folders, folderId, folder.id));
  const [isBusy, setIsBusy] = useState(false);
  const remove = async () => {
    setIsBusy(true);
    const isDone = await consoles.removeFolder(folder.id);
    setIsBusy(false);
    if (!isDone) return;
    for (const { id } of held) desk.change((each) => closeTab(each, id));
    onClose();
    showToast(`${folder.name} is deleted.`, {
      id: `remove-${folder.id}`,
      action: { label: "Undo", onClick: () => void bringBack() },
    });
  };
  const bringBack = async () => {
    const { name, parentId, access } = folder;
    const made = await consoles.createFolder({ name, parentId, access });
    for (const { id } of held) {
      const back = await consoles.undelete(id);
      if (back !== null && made !== null) await consoles.change(id, { folderId: made.id });
    }
  };
  return (
    <Confirm
      title={`Delete ${folder.name}?`}
      action="Delete folder"
      isOpen
      isBusy={isBusy}
      failure={null}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>
        {held.length === 0
          ? "It is empty."
          : `${held.length === 1 ? "The console" : `The ${held.length} consoles`} in it ${held.length === 1 ? "goes" : "go"} too. Their history stays.`}
      </p>
    </Confirm>
  );
}
