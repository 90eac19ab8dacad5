"use client";

import { useState } from "react";
import { Confirm } from "@/components/ui/confirm";
import { showToast } from "@/components/ui/toast";
import { type FolderChoice, isInside, toTrail } from "@/lib/features/folders/browser/filed-tree";
import type { Folder } from "@/lib/features/folders/schema";

/** Brings back what was in a folder, into the folders that were made anew, by the ids that they had. */
export type BringBack = (anew: ReadonlyMap<string, string>) => Promise<void>;

type DeleteFolderProps<I> = {
  folder: Folder;
  folders: readonly Folder[];
  /** Everything that is filed; what is in the folder goes with it. */
  items: readonly (I & Pick<FolderChoice, "folderId">)[];
  /** What is filed, in one word: "console". */
  noun: string;
  /** @returns how all that was in it comes back; null when nothing was deleted */
  onRemove: (held: readonly I[]) => Promise<BringBack | null>;
  /** Makes a folder as it was. @returns the new one; null when that has failed, and was said */
  onCreate: (folder: Pick<Folder, "name" | "access" | "parentId">, isLike: Folder) => Promise<Folder | null>;
  onClose: () => void;
};

/** Asks before a folder goes with all that it holds. Undo makes it anew, and brings all back to where it was. */
export function DeleteFolder<I>(props: DeleteFolderProps<I>) {
  const { folder, folders, items, noun, onRemove, onCreate, onClose } = props;
  const held = items.filter(({ folderId }) => isInside(folders, folderId, folder.id));
  const inner = folders.filter(({ id }) => isInside(folders, id, folder.id));
  const [isBusy, setIsBusy] = useState(false);

  const remove = async () => {
    setIsBusy(true);
    const bringBack = await onRemove(held);
    setIsBusy(false);
    if (bringBack === null) return;
    onClose();
    showToast(`${folder.name} is deleted.`, {
      id: `remove-${folder.id}`,
      action: { label: "Undo", onClick: () => void undo(bringBack) },
    });
  };

  const undo = async (bringBack: BringBack) => {
    const anew = new Map<string, string>();
    for (const each of [...inner].sort((a, b) => toTrail(a.path).length - toTrail(b.path).length)) {
      const { id, name, access, parentId } = each;
      const made = await onCreate({ name, access, parentId: anew.get(parentId ?? "") ?? parentId }, each);
      // It has said why; what was in it comes back to the top level then.
      if (made === null) break;
      anew.set(id, made.id);
    }
    await bringBack(anew);
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
          : `${held.length === 1 ? `The ${noun}` : `The ${held.length} ${noun}s`} in it ${held.length === 1 ? "goes" : "go"} too. Their history stays.`}
      </p>
    </Confirm>
  );
}
