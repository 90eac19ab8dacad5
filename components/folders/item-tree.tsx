"use client";

import { Ellipsis, Folder as FolderIcon, FolderOpen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { FolderMenu } from "@/components/folders/folder-menu";
import type { Filing } from "@/components/folders/item-actions";
import type { FolderSource } from "@/components/folders/use-folder-pages";
import { ExplorerBars, ExplorerFailure } from "@/components/layout/explorer-section";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Menu } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Tree, type TreeRow } from "@/components/ui/tree";
import { type FolderChoice, type ItemNode, isInside, isSameChoice } from "@/lib/features/folders/browser/item-tree";
import { FOLDER_COUNT_MAX } from "@/lib/features/folders/limits";
import type { Folder } from "@/lib/features/folders/schema";
import { later } from "@/lib/platform/browser/load-again";

const loadMoveDialog = later(() => import("@/components/folders/move-dialog"));
const MoveDialog = lazyComponent(loadMoveDialog, (module) => module.MoveDialog);

/** Actions that a row's menu requests from the tree. */
export type RowActs = { onRename: () => void; onMove: () => void };

type ItemTreeProps<I> = {
  label: string;
  /** Singular noun of an item: "console". */
  noun: string;
  nodes: readonly ItemNode<I>[];
  /** Loaded folders. */
  folders: readonly Folder[];
  /** Reads the folders to which a row can be moved. */
  source: FolderSource;
  filing: Filing;
  /** Item that the page shows. */
  activeId: string | null;
  renamingId: string | null;
  onRenaming: (id: string | null) => void;
  onToggle: (id: string) => void;
  onOpen: (id: string) => void;
  /** Loads more of a folder, or loads it again. */
  onMore: (place: FolderChoice) => void;
  onNew: (place: FolderChoice) => void;
  onNewFolder: (place: FolderChoice) => void;
  onRename: (id: string, typed: string) => void;
  onRenameFolder: (folder: Folder, typed: string) => void;
  onRemove: (id: string) => void;
  onRemoveFolder: (folder: Folder) => void;
  /** Returns the item in movable form; null if it cannot be moved. */
  toMovable: (item: I) => (FolderChoice & { id: string; name: string }) | null;
  toIcon: (item: I) => ReactNode;
  toMark?: (item: I) => ReactNode;
  toMenu: (item: I, acts: RowActs) => ReactNode;
};

/** Shows items in folders for the explorer: expandable, renamed in place, draggable, with a menu for each row. */
export function ItemTree<I>(props: ItemTreeProps<I>) {
  const { label, noun, nodes, folders, filing, activeId, renamingId, onRenaming, toMovable } = props;
  const [movingId, setMovingId] = useState<string | null>(null);
  const find = (id: string | null) => nodes.find((each) => each.id === id);

  const rename = (id: string, typed: string) => {
    const node = find(id);
    if (node?.kind === "folder") props.onRenameFolder(node.folder, typed);
    else if (node?.kind === "item") props.onRename(id, typed);
  };
  const remove = (id: string) => {
    const node = find(id);
    if (node?.kind === "folder") props.onRemoveFolder(node.folder);
    else if (node?.kind === "item") props.onRemove(id);
  };

  /** Returns the folder that a row is, or the folder that contains it. */
  const toTarget = (node: ItemNode<I> | undefined): { place: FolderChoice; name: string } | null => {
    if (node === undefined) return null;
    if (node.kind === "item" || node.kind === "rest") return toTarget(find(node.parentId));
    return { place: node.place, name: node.label };
  };
  const canDrop = (draggedId: string, targetId: string) => {
    const dragged = find(draggedId);
    const target = toTarget(find(targetId));
    if (!dragged || !target) return false;
    if (dragged.kind === "item") return !isSameChoice(dragged.place, target.place);
    if (dragged.kind !== "folder" || isInside(folders, target.place.folderId, dragged.id)) return false;
    return !isSameChoice({ folderId: dragged.folder.parentId, access: dragged.folder.access }, target.place);
  };
  const moveTo = (id: string, place: FolderChoice, name: string) => {
    const node = find(id);
    const movable = node?.kind === "item" ? toMovable(node.item) : null;
    if (movable) void filing.move(movable, place, name);
    if (node?.kind === "folder") void filing.moveFolder(node.folder, place, name);
  };

  /** Actions of a row, for the button at its end and for the context menu. */
  const toItems = (node: Exclude<ItemNode<I>, { kind: "rest" }>) => {
    const acts = { onRename: () => onRenaming(node.id), onMove: () => setMovingId(node.id) };
    if (node.kind === "item") return props.toMenu(node.item, acts);
    const folder = node.kind === "folder" ? node.folder : null;
    return (
      <FolderMenu
        noun={noun}
        folder={folder}
        onNew={() => props.onNew(node.place)}
        onNewFolder={() => props.onNewFolder(node.place)}
        onAccess={(access) => folder && void filing.setFolderAccess(folder, access)}
        onRemove={() => remove(node.id)}
        {...acts}
      />
    );
  };

  const rows = nodes.map(
    (node): TreeRow =>
      node.kind === "rest"
        ? toRestRow(node, () => props.onMore(node.place))
        : {
            ...node,
            isSelected: node.id === activeId,
            canDrag:
              renamingId === null && (node.kind === "item" ? toMovable(node.item) !== null : node.kind === "folder"),
            content: (
              <RowContent
                node={node}
                noun={noun}
                icon={
                  node.kind === "item" ? props.toIcon(node.item) : node.isExpanded ? <FolderOpen /> : <FolderIcon />
                }
                mark={node.kind === "item" && props.toMark?.(node.item)}
                menu={() => toItems(node)}
                isRenaming={renamingId === node.id}
                onRenamed={(typed) => {
                  onRenaming(null);
                  if (typed !== null) rename(node.id, typed);
                }}
              />
            ),
          },
  );

  const moving = find(movingId);
  const from =
    moving?.kind === "item"
      ? moving.place
      : moving?.kind === "folder"
        ? { folderId: moving.folder.parentId, access: moving.folder.access }
        : null;
  return (
    <>
      <Tree
        label={label}
        rows={rows}
        onToggle={props.onToggle}
        onActivate={(id) => {
          const node = find(id);
          if (node?.kind === "rest") props.onMore(node.place);
          else props.onOpen(id);
        }}
        onRename={(id) => {
          const kind = find(id)?.kind;
          if (kind === "folder" || kind === "item") onRenaming(id);
        }}
        onRemove={remove}
        toMenu={(id) => {
          const node = find(id);
          return node === undefined || node.kind === "rest" ? null : { about: node.label, items: toItems(node) };
        }}
        canDrop={canDrop}
        onDrop={(draggedId, targetId) => {
          const target = toTarget(find(targetId));
          if (target) moveTo(draggedId, target.place, target.name);
        }}
      />
      {moving && from && (
        <MoveDialog
          name={moving.label}
          from={from}
          source={props.source}
          folderId={moving.kind === "folder" ? moving.id : null}
          onMove={(place, name) => moveTo(moving.id, place, name)}
          onClose={() => setMovingId(null)}
        />
      )}
    </>
  );
}

const REST_WIDTHS = [52, 40];

/** Returns the last row of a folder that is not loaded as a whole. */
function toRestRow<I>(node: Extract<ItemNode<I>, { kind: "rest" }>, onRetry: () => void): TreeRow {
  const { state } = node;
  if (state.is === "partial") return { ...node, content: <span className="trunc grow t2">{node.label}</span> };
  return {
    ...node,
    isNote: true,
    ...(state.is === "loading"
      ? { noteLabel: "Loading folder", content: <ExplorerBars label="Loading folder" widths={REST_WIDTHS} /> }
      : { content: <ExplorerFailure message={state.message} onRetry={onRetry} /> }),
  };
}

type RowContentProps<I> = {
  node: Exclude<ItemNode<I>, { kind: "rest" }>;
  noun: string;
  icon: ReactNode;
  mark: ReactNode;
  menu: () => ReactNode;
  isRenaming: boolean;
  /** Called with null if the name is unchanged. */
  onRenamed: (typed: string | null) => void;
};

function RowContent<I>({ node, noun, icon, mark, menu, isRenaming, onRenamed }: RowContentProps<I>) {
  if (isRenaming) {
    const label = node.kind === "folder" ? "Folder name" : `${noun[0]?.toUpperCase()}${noun.slice(1)} name`;
    return (
      <>
        {icon}
        <NameInput label={label} value={node.label} onDone={onRenamed} />
      </>
    );
  }
  return (
    <>
      {icon}
      <span className="trunc grow">{node.label}</span>
      {mark}
      {node.kind !== "item" && !node.isExpanded && node.count > 0 && (
        <span className="meta num">{toCountText(node.count)}</span>
      )}
      <Menu
        align="end"
        trigger={
          <button
            type="button"
            className="row-act"
            aria-label={`Actions for ${node.label}`}
            tabIndex={-1}
            onClick={(event) => event.stopPropagation()}
          >
            <Ellipsis className="s" />
          </button>
        }
      >
        {menu()}
      </Menu>
    </>
  );
}

/** "12", or "99+" at the number up to which folders are counted. */
function toCountText(count: number): string {
  return count < FOLDER_COUNT_MAX ? `${count}` : `${FOLDER_COUNT_MAX - 1}+`;
}
