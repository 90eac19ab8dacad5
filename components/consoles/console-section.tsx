"use client";

import { Braces, Ellipsis, FileCode2, Folder, FolderOpen, FolderPlus, Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { ConsoleMenu, FolderMenu } from "@/components/consoles/console-menu";
import { useTreeActions } from "@/components/consoles/use-tree-actions";
import { Menu } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Tree, type TreeRow } from "@/components/ui/tree";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/workspace/explorer-section";
import { useActiveConsoleId, useConsoleActions } from "@/components/workspace/use-console-actions";
import { useConsoleFolders, useConsoleList, useDirtyIds } from "@/components/workspace/use-consoles";
import { useWorkbench, useWorkspace } from "@/components/workspace/workspace-context";
import type { ConsoleFolder, ConsoleSummary } from "@/lib/client/consoles";
import { loadAgain } from "@/lib/client/load-again";
import {
  buildConsoleTree,
  type ConsoleNode,
  type FolderChoice,
  isInside,
  isSameChoice,
  ROOTS,
} from "@/lib/ui/console-tree";
import "./consoles.css";

const MoveDialog = dynamic(
  () => loadAgain(() => import("@/components/consoles/move-dialog")).then((module) => module.MoveDialog),
  {
    ssr: false,
  },
);
const DeleteFolder = dynamic(
  () => loadAgain(() => import("@/components/consoles/delete-folder")).then((module) => module.DeleteFolder),
  {
    ssr: false,
  },
);

const NO_CONSOLES: ConsoleSummary[] = [];
const NO_FOLDERS: ConsoleFolder[] = [];
const MINE: FolderChoice = { folderId: null, access: "private" };

/** The person's own consoles and the workspace's, as the explorer lists them. */
export function ConsoleSection() {
  const { workbench: store } = useWorkspace();
  const workbench = useWorkbench();
  const activeId = useActiveConsoleId();
  const dirty = useDirtyIds();
  const list = useConsoleList();
  const folderList = useConsoleFolders();
  const { open, create, rename, remove } = useConsoleActions();
  const tree = useTreeActions();
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [movingId, setMovingId] = useState<string | null>(null);
  const [removing, setRemoving] = useState<ConsoleFolder | null>(null);

  const isRead = list.data !== undefined && folderList.data !== undefined;
  const consoles = list.data ?? NO_CONSOLES;
  const folders = folderList.data ?? NO_FOLDERS;
  const nodes = useMemo(
    () =>
      buildConsoleTree({ consoles, folders, unsaved: workbench?.consoles ?? [], toggled: workbench?.toggled ?? {} }),
    [consoles, folders, workbench?.consoles, workbench?.toggled],
  );
  useReveal(activeId, { consoles, folders, isReady: isRead && workbench !== null });
  const find = (id: string | null) => nodes.find((each) => each.id === id);
  const failure = list.error ?? folderList.error;

  // The one that the address names says so itself.
  const leftIds = [...dirty].filter((id) => id !== activeId && !consoles.some((each) => each.id === id));

  const namesIn = (place: FolderChoice) => [
    ...consoles.filter((each) => isSameChoice(each, place)).map(({ name }) => name),
    ...folders
      .filter((each) => isSameChoice({ folderId: each.parentId, access: each.access }, place))
      .map(({ name }) => name),
  ];
  const newFolder = async (place: FolderChoice) => {
    const id = await tree.createFolder(place, namesIn(place));
    if (id !== null) setRenamingId(id);
  };
  const toggle = (id: string) => {
    const isExpanded = find(id)?.isExpanded ?? false;
    store.change((each) => ({ ...each, toggled: { ...each.toggled, [id]: !isExpanded } }));
  };
  const renameNode = (id: string, typed: string) => {
    const node = find(id);
    if (node?.kind === "folder") tree.renameFolder(node.folder, typed);
    else rename(id, typed);
  };
  const removeNode = (id: string) => {
    const node = find(id);
    if (node?.kind === "folder") setRemoving(node.folder);
    else if (node?.kind !== "root") remove(id);
  };

  /** The place that a row stands for, or stands in. */
  const toFolderChoice = (node: ConsoleNode | undefined): { place: FolderChoice; name: string } | null => {
    if (node === undefined) return null;
    if (node.kind === "root" || node.kind === "folder") return { place: node.place, name: node.label };
    return toFolderChoice(find(node.parentId));
  };
  const canDrop = (draggedId: string, targetId: string) => {
    const dragged = find(draggedId);
    const target = toFolderChoice(find(targetId));
    if (!dragged || !target) return false;
    if (dragged.kind === "console") return !isSameChoice(dragged.console, target.place);
    if (dragged.kind !== "folder" || isInside(folders, target.place.folderId, dragged.id)) return false;
    return !isSameChoice({ folderId: dragged.folder.parentId, access: dragged.folder.access }, target.place);
  };
  const moveTo = (id: string, place: FolderChoice, name: string) => {
    const node = find(id);
    if (node?.kind === "console") void tree.move(node.console, place, name);
    if (node?.kind === "folder") void tree.moveFolder(node.folder, place, name);
  };

  const rows = nodes.map(
    (node): TreeRow => ({
      ...node,
      isSelected: node.id === activeId,
      canDrag: renamingId === null && (node.kind === "console" || node.kind === "folder"),
      content: (
        <>
          <NodeIcon node={node} />
          {renamingId === node.id ? (
            <NameInput
              label={node.kind === "folder" ? "Name of the folder" : "Name of the console"}
              value={node.label}
              onDone={(typed) => {
                setRenamingId(null);
                if (typed !== null) renameNode(node.id, typed);
              }}
            />
          ) : (
            <>
              <span className="trunc grow">{node.label}</span>
              <NodeMark node={node} isDirty={dirty.has(node.id)} />
              <Menu
                align="end"
                trigger={
                  <button
                    type="button"
                    className="row-act"
                    aria-label={`More about ${node.label}`}
                    tabIndex={-1}
                    onClick={(event) => event.stopPropagation()}
                  >
                    <Ellipsis className="s" />
                  </button>
                }
              >
                {node.kind === "root" || node.kind === "folder" ? (
                  <FolderMenu
                    place={node.place}
                    folder={node.kind === "folder" ? node.folder : null}
                    onNewConsole={() => void tree.createIn(node.place, namesIn(node.place))}
                    onNewFolder={() => void newFolder(node.place)}
                    onRename={() => setRenamingId(node.id)}
                    onMove={() => setMovingId(node.id)}
                    onRemove={() => removeNode(node.id)}
                  />
                ) : (
                  <ConsoleMenu
                    id={node.id}
                    saved={node.kind === "console" ? node.console : null}
                    hasUnsaved={node.kind === "unsaved" || dirty.has(node.id)}
                    onRename={() => setRenamingId(node.id)}
                    onMove={() => setMovingId(node.id)}
                  />
                )}
              </Menu>
            </>
          )}
        </>
      ),
    }),
  );

  const moving = find(movingId);
  return (
    <>
      <ExplorerSection
        title="Consoles"
        className="console-box"
        acts={[
          { label: "New console", keys: "c", icon: <Plus className="s" />, onPress: () => create() },
          { label: "New folder", icon: <FolderPlus className="s" />, onPress: () => void newFolder(MINE) },
        ]}
        notice={isRead && <LeftTexts ids={leftIds} />}
      >
        {!isRead && !failure && <ExplorerBars label="Reading the consoles" widths={BAR_WIDTHS} />}
        {!isRead && failure && (
          <ExplorerFailure
            message={failure.message}
            onRetry={() => void Promise.all([list.refetch(), folderList.refetch()])}
          />
        )}
        {isRead && consoles.length + folders.length + (workbench?.consoles.length ?? 0) === 0 && (
          <p className="sec-note">No consoles yet. Make one to ask your data something.</p>
        )}
        {(isRead || (workbench?.consoles.length ?? 0) > 0) && (
          <Tree
            label="Consoles"
            rows={rows}
            onToggle={toggle}
            onActivate={(id) => open(id)}
            onRename={(id) => find(id)?.kind !== "root" && setRenamingId(id)}
            onRemove={removeNode}
            canDrop={canDrop}
            onDrop={(draggedId, targetId) => {
              const target = toFolderChoice(find(targetId));
              if (target) moveTo(draggedId, target.place, target.name);
            }}
          />
        )}
      </ExplorerSection>
      {(moving?.kind === "console" || moving?.kind === "folder") && (
        <MoveDialog
          name={moving.label}
          from={
            moving.kind === "console"
              ? moving.console
              : { folderId: moving.folder.parentId, access: moving.folder.access }
          }
          folderId={moving.kind === "folder" ? moving.id : null}
          onMove={(place, name) => moveTo(moving.id, place, name)}
          onClose={() => setMovingId(null)}
        />
      )}
      {removing && <DeleteFolder folder={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

/** Opens the folders around a console once it is shown; a folder that is closed after that stays closed. */
function useReveal(
  activeId: string | null,
  { consoles, folders, isReady }: { consoles: ConsoleSummary[]; folders: ConsoleFolder[]; isReady: boolean },
): void {
  const { workbench: store } = useWorkspace();
  const shown = consoles.find(({ id }) => id === activeId);
  const folderId = shown?.folderId ?? null;
  const reveal = useEffectEvent(() => {
    const around = folders.filter(({ id }) => isInside(folders, folderId, id)).map(({ id }) => id);
    if (shown !== undefined) around.push(...ROOTS.filter(({ access }) => access === shown.access).map(({ id }) => id));
    const opened = Object.fromEntries(around.map((id) => [id, true]));
    if (around.length > 0) store.change((each) => ({ ...each, toggled: { ...each.toggled, ...opened } }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for another console, and for another place of it
  useEffect(() => {
    if (isReady) reveal();
  }, [activeId, folderId, isReady]);
}

/** Texts that were typed in consoles which others have deleted since, or may no longer be seen: they are not lost. */
function LeftTexts({ ids }: { ids: string[] }) {
  const { drafts } = useWorkspace();
  const { create } = useConsoleActions();
  if (ids.length === 0) return null;
  const keep = () => {
    for (const id of ids) {
      const draft = drafts.read(id);
      if (draft !== null) create(null, { content: draft.content });
      drafts.drop(id);
    }
  };
  return (
    <div className="sec-note" role="status">
      <p>
        {ids.length === 1 ? "A console is gone in which you had" : `${ids.length} consoles are gone in which you had`}{" "}
        something unsaved.
      </p>
      <button type="button" className="btn sm" onClick={keep}>
        Put my text in a new console
      </button>
      <button type="button" className="btn ghost sm" onClick={() => ids.map((id) => drafts.drop(id))}>
        Drop it
      </button>
    </div>
  );
}

function NodeIcon({ node }: { node: ConsoleNode }) {
  if (node.kind === "root" || node.kind === "folder") return node.isExpanded ? <FolderOpen /> : <Folder />;
  if (node.kind === "console" && node.console.language === "mongodb") return <Braces />;
  return <FileCode2 />;
}

/** How many a closed folder holds, or the dot of what is not saved. */
function NodeMark({ node, isDirty }: { node: ConsoleNode; isDirty: boolean }) {
  if (node.kind === "unsaved") return <span className="dirty new" role="img" aria-label="Never saved" />;
  if (node.kind === "console") return isDirty ? <span className="dirty" role="img" aria-label="Not saved" /> : null;
  return node.isExpanded || node.count === 0 ? null : <span className="meta num">{node.count}</span>;
}

const BAR_WIDTHS = [44, 58, 50];
