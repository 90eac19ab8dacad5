"use client";

import { Check, ChevronDown, ChevronRight, Folder, Lock, Users } from "lucide-react";
import { useState } from "react";
import { type FolderSource, useFolderPages } from "@/components/folders/use-folder-pages";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { Modal } from "@/components/ui/modal";
import {
  buildItemTree,
  type FolderChoice,
  isSameChoice,
  toRoots,
  toTop,
} from "@/lib/features/folders/browser/item-tree";
import "./folders.css";

type MoveDialogProps = {
  name: string;
  /** Current folder. */
  from: FolderChoice;
  source: FolderSource;
  /** Id of the folder to move, which cannot go into itself; null for an item. */
  folderId: string | null;
  onMove: (to: FolderChoice, placeName: string) => void;
  onClose: () => void;
};

const ROOTS = toRoots();
const TOPS = ROOTS.map(toTop);
const NO_ITEMS: never[] = [];

/** Moves an item or a folder: the keyboard's alternative to dragging. Folders open one at a time. */
export function MoveDialog({ name, from, source, folderId, onMove, onClose }: MoveDialogProps) {
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const isExpanded = (id: string) => toggled[id] === true;
  const { folders, trail, stateOf, more } = useFolderPages(source, { tops: TOPS, isExpanded, revealed: from });
  const opened = { ...Object.fromEntries((trail ?? []).slice(0, -1).map(({ id }) => [id, true])), ...toggled };
  const nodes = buildItemTree<never>({
    items: NO_ITEMS,
    toPlacedItem: (item) => item,
    folders: folders.filter(({ id }) => id !== folderId),
    roots: ROOTS,
    toggled: opened,
    countOf: () => 0,
    stateOf,
  });
  const isLoading = TOPS.some((top) => stateOf(top).is === "loading");
  return (
    <Modal title={`Move ${name} to`} isOpen onClose={onClose}>
      {isLoading ? (
        <ListSkeleton label="Loading folders" />
      ) : (
        <ul className="places">
          {nodes.map((node) => {
            if (node.kind === "item") return null;
            const { id, label, level, place } = node;
            const indent = { paddingLeft: 8 + level * 18 };
            if (node.kind === "rest") {
              if (node.state.is === "loading")
                return (
                  <li key={id}>
                    <ListSkeleton label="Loading folder" rows={1} />
                  </li>
                );
              return (
                <li key={id}>
                  <button type="button" className="menu-item place t2" style={indent} onClick={() => void more(place)}>
                    {node.state.is === "failed" ? `${node.state.message} Retry` : "Show more folders"}
                  </button>
                </li>
              );
            }
            const isHere = isSameChoice(place, from);
            const Icon = level > 0 ? Folder : place.access === "private" ? Lock : Users;
            return (
              <li key={id} className="row">
                <button
                  type="button"
                  className="menu-item place grow"
                  style={indent}
                  disabled={isHere}
                  onClick={() => {
                    onMove(place, label);
                    onClose();
                  }}
                >
                  <Icon />
                  <span id={`place-${id}`} className="trunc grow">
                    {label}
                  </span>
                  {isHere && (
                    <span className="end">
                      <Check className="s" />
                      Current folder
                    </span>
                  )}
                </button>
                {node.kind === "folder" && (
                  <button
                    type="button"
                    className="btn ghost icon sm"
                    aria-label="Subfolders"
                    aria-describedby={`place-${id}`}
                    aria-expanded={node.isExpanded}
                    onClick={() => setToggled({ ...opened, [id]: !node.isExpanded })}
                  >
                    {node.isExpanded ? <ChevronDown className="s" /> : <ChevronRight className="s" />}
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Modal>
  );
}
