"use client";

import { useState } from "react";
import { Confirm } from "@/components/ui/confirm";
import { showToast } from "@/components/ui/toast";
import type { LocalDraft } from "@/components/workspace/draft-store";
import { useConsoleFolders, useConsoleList } from "@/components/workspace/use-consoles";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { ConsoleFolder, ConsoleSummary } from "@/lib/client/consoles";
import { isInside, toTrail } from "@/lib/ui/console-tree";
import { closeTab, openTab } from "@/lib/ui/workbench";

type Gone = ConsoleSummary & { draft: LocalDraft | null; tabAt: number };

/** Asks before a folder goes with all that it holds. Undo makes it anew, and brings all back to where it was. */
export function DeleteFolder({ folder, onClose }: { folder: ConsoleFolder; onClose: () => void }) {
  const { consoles, workbench, drafts } = useWorkspace();
  const folders = useConsoleFolders().data ?? [];
  const held = (useConsoleList().data ?? []).filter(({ folderId }) => isInside(folders, folderId, folder.id));
  const inner = folders.filter(({ id }) => isInside(folders, id, folder.id));
  const [isBusy, setIsBusy] = useState(false);

  const remove = async () => {
    setIsBusy(true);
    const tabs = workbench.read()?.tabs ?? [];
    const gone = held.map((each) => ({ ...each, draft: drafts.read(each.id), tabAt: tabs.indexOf(each.id) }));
    const heldIds = held.map(({ id }) => id);
    const isDone = await consoles.removeFolder(folder.id, heldIds);
    setIsBusy(false);
    if (!isDone) return;
    for (const id of heldIds) workbench.change((each) => closeTab(each, id));
    onClose();
    showToast(`${folder.name} is deleted.`, {
      id: `remove-${folder.id}`,
      action: { label: "Undo", onClick: () => void bringBack(gone) },
    });
  };

  const bringBack = async (gone: Gone[]) => {
    /** The folders that were made anew, by the ids that they had. */
    const anew = new Map<string, string>();
    for (const each of [...inner].sort((a, b) => toTrail(a.path).length - toTrail(b.path).length)) {
      const { id, name, access, parentId } = each;
      const made = await consoles.createFolder({ name, access, parentId: anew.get(parentId ?? "") ?? parentId });
      // It has said why; the consoles come back to the top level then.
      if (made === null) break;
      anew.set(id, made.id);
      workbench.change((now) => ({ ...now, toggled: { ...now.toggled, [made.id]: now.toggled[id] ?? false } }));
    }
    for (const { id, folderId, draft, tabAt } of gone.sort((a, b) => a.tabAt - b.tabAt)) {
      const back = await consoles.undelete(id, anew.get(folderId ?? "") ?? null);
      if (back === null) continue;
      if (draft !== null) drafts.write(back, draft.content);
      if (tabAt >= 0) workbench.change((each) => openTab(each, id, tabAt));
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
