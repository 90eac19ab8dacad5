"use client";

import { Check, Folder, Lock, Users } from "lucide-react";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { Modal } from "@/components/ui/modal";
import { type FolderChoice, isInside, isSameChoice, listFolderChoices } from "@/lib/features/folders/browser/item-tree";
import type { Folder as StoredFolder } from "@/lib/features/folders/schema";
import "./folders.css";

type MoveDialogProps = {
  name: string;
  /** Current folder. */
  from: FolderChoice;
  /** All folders; undefined while they load. */
  folders: readonly StoredFolder[] | undefined;
  /** The folder to move, which cannot go into itself; null for an item. */
  folderId: string | null;
  onMove: (to: FolderChoice, placeName: string) => void;
  onClose: () => void;
};

/** Moves an item or a folder: the keyboard's alternative to dragging. */
export function MoveDialog({ name, from, folders, folderId, onMove, onClose }: MoveDialogProps) {
  const places = listFolderChoices(folders ?? []).filter(
    ({ place }) => folderId === null || !isInside(folders ?? [], place.folderId, folderId),
  );
  return (
    <Modal title={`Move ${name} to`} isOpen onClose={onClose}>
      {folders === undefined ? (
        <ListSkeleton label="Loading folders" />
      ) : (
        <ul className="places">
          {places.map(({ id, label, level, place }) => {
            const isHere = isSameChoice(place, from);
            const Icon = level > 0 ? Folder : place.access === "private" ? Lock : Users;
            return (
              <li key={id}>
                <button
                  type="button"
                  className="menu-item place"
                  style={{ paddingLeft: 8 + level * 18 }}
                  disabled={isHere}
                  onClick={() => {
                    onMove(place, label);
                    onClose();
                  }}
                >
                  <Icon />
                  <span className="trunc grow">{label}</span>
                  {isHere && (
                    <span className="end">
                      <Check className="s" />
                      Current folder
                    </span>
                  )}
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </Modal>
  );
}
