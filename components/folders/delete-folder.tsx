"use client";

import { useState } from "react";
import { Confirm } from "@/components/ui/confirm";
import { showToast } from "@/components/ui/toast";
import { FOLDER_COUNT_MAX } from "@/lib/features/folders/limits";
import type { DeletedFolder, Folder } from "@/lib/features/folders/schema";

/** A deletion: its content, and a function that restores the items into the recreated folders, keyed by their old ids. */
export type RemovedFolder = { gone: DeletedFolder; bringBack: (anew: ReadonlyMap<string, string>) => Promise<void> };

type DeleteFolderProps = {
  folder: Folder;
  /** Items below it, counted up to FOLDER_COUNT_MAX. */
  count: number;
  /** Singular noun of an item: "console". */
  noun: string;
  /** @returns null if nothing was deleted */
  onRemove: () => Promise<RemovedFolder | null>;
  /** Recreates a folder. @returns the new one; null after a failure, which was reported */
  onCreate: (folder: Pick<Folder, "name" | "access" | "parentId">, isLike: Folder) => Promise<Folder | null>;
  onClose: () => void;
};

/** Asks before deleting a folder with all of its contents. Undo recreates the folder and restores the contents. */
export function DeleteFolder({ folder, count, noun, onRemove, onCreate, onClose }: DeleteFolderProps) {
  const [isBusy, setIsBusy] = useState(false);

  const remove = async () => {
    setIsBusy(true);
    const removed = await onRemove();
    setIsBusy(false);
    if (removed === null) return;
    onClose();
    showToast(`${folder.name} deleted`, {
      id: `remove-${folder.id}`,
      action: { label: "Undo", onClick: () => void undo(removed) },
    });
  };

  const undo = async ({ gone, bringBack }: RemovedFolder) => {
    const anew = new Map<string, string>();
    for (const each of gone.folders) {
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
      <p>{toWarning(count, noun)}</p>
    </Confirm>
  );
}

function toWarning(count: number, noun: string): string {
  if (count === 0) return "The folder is empty.";
  if (count === 1) return `The ${noun} in it is also deleted. History is kept.`;
  const many = count < FOLDER_COUNT_MAX ? `The ${count} ${noun}s` : `All ${noun}s`;
  return `${many} in it are also deleted. History is kept.`;
}
