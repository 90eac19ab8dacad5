"use client";

import { Check, Folder, Lock, Users } from "lucide-react";
import { ListBones } from "@/components/ui/list-skeleton";
import { Modal } from "@/components/ui/modal";
import { useConsoleFolders } from "@/components/workspace/use-consoles";
import { isInside, isSamePlace, listPlaces, type Place } from "@/lib/ui/console-tree";

type MoveDialogProps = {
  name: string;
  /** Where it is now. */
  from: Place;
  /** The folder that is moved, which cannot go into itself; null for a console. */
  folderId: string | null;
  onMove: (to: Place, placeName: string) => void;
  onClose: () => void;
};

/** Where to move a console or a folder: the keyboard's way for what dragging does. */
export function MoveDialog({ name, from, folderId, onMove, onClose }: MoveDialogProps) {
  const { data: folders } = useConsoleFolders();
  const places = listPlaces(folders ?? []).filter(
    ({ place }) => folderId === null || !isInside(folders ?? [], place.folderId, folderId),
  );
  return (
    <Modal title={`Move ${name} to`} isOpen onClose={onClose}>
      {folders === undefined ? (
        <ListBones label="Reading the folders" />
      ) : (
        <ul className="places">
          {places.map(({ id, label, level, place }) => {
            const isHere = isSamePlace(place, from);
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
                      It is here
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
