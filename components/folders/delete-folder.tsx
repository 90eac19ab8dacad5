"use client";

import { useState } from "react";
import { Confirm } from "@/components/ui/confirm";
import { showToast } from "@/components/ui/toast";
import { type FolderChoice, isInside, toTrail } from "@/lib/features/folders/browser/item-tree";
import type { Folder } from "@/lib/features/folders/schema";

/** Restores the contents of a folder into the recreated folders, keyed by their old ids. */
export type BringBack = (anew: ReadonlyMap<string, string>) => Promise<void>;

type DeleteFolderProps<I> = {
  folder: Folder;
  folders: readonly Folder[];
  /** All items; those in the folder are deleted with it. */
  items: readonly (I & Pick<FolderChoice, "folderId">)[];
  /** Singular noun of an item: "console". */
  noun: string;
  /** @returns a function that restores the folder's contents; null if nothing was deleted */
  onRemove: (held: readonly I[]) => Promise<BringBack | null>;
  /** Recreates a folder. @returns the new one; null after a failure, which was reported */
  onCreate: (folder: Pick<Folder, "name" | "access" | "parentId">, isLike: Folder) => Promise<Folder | null>;
  onClose: () => void;
};

/** Asks before deleting a folder with all of its contents. Undo recreates the folder and restores the contents. */
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
    showToast(`${folder.name} deleted`, {
      id: `remove-${folder.id}`,
      action: { label: "Undo", onClick: () => void undo(bringBack) },
    });
  };

  const undo = async (bringBack: BringBack) => {
    const anew = new Map<string, string>();
    for (const each of [...inner].sort((a, b) => toTrail(a.path).length - toTrail(b.path).length)) {
      const { id, name, access, parentId } = each;
      const made = await onCreate({ name, access, parentId: anew.get(parentId ?? "") ?? parentId }, each);
      // The failure was reported; the folder's contents are then restored to the top level.
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
          ? "The folder is empty."
          : `${held.length === 1 ? `The ${noun}` : `The ${held.length} ${noun}s`} in it ${held.length === 1 ? "is" : "are"} also deleted. History is kept.`}
      </p>
    </Confirm>
  );
}
