"use client";

import { Braces, FileCode2, FolderPlus, Plus } from "lucide-react";
import { useState } from "react";
import { ConsoleMenu } from "@/components/consoles/console-menu";
import { useActiveConsoleId, useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsoleSource, useConsolesById, useDirtyIds, useSavedConsole } from "@/components/consoles/use-consoles";
import { useTreeActions } from "@/components/consoles/use-tree-actions";
import type { RemovedFolder } from "@/components/folders/delete-folder";
import { ItemTree } from "@/components/folders/item-tree";
import { useFolderPages } from "@/components/folders/use-folder-pages";
import { useReveal } from "@/components/folders/use-reveal";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { buildConsoleTree, CONSOLE_ROOTS } from "@/lib/features/consoles/browser/console-tree";
import { closeTab, openTab } from "@/lib/features/consoles/browser/workbench";
import { type FolderChoice, toTop } from "@/lib/features/folders/browser/item-tree";
import type { Folder as ConsoleFolder } from "@/lib/features/folders/schema";
import { later } from "@/lib/platform/browser/load-again";
import "./consoles.css";

const loadDeleteFolder = later(() => import("@/components/folders/delete-folder"));
const DeleteFolder = lazyComponent(loadDeleteFolder, (module) => module.DeleteFolder);

const NONE_TOGGLED: Record<string, boolean> = {};
const MINE: FolderChoice = { folderId: null, access: "private" };

/** The user's consoles and the workspace's, as listed in the explorer. */
export function ConsoleSection() {
  const { workbench: store, consoles: service } = useWorkspace();
  const workbench = useWorkbench();
  const activeId = useActiveConsoleId();
  const dirty = useDirtyIds();
  const source = useConsoleSource();
  const { open, create, rename, remove } = useConsoleActions();
  const tree = useTreeActions();
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [removing, setRemoving] = useState<ConsoleFolder | null>(null);

  const toggled = workbench?.toggled ?? NONE_TOGGLED;
  const tops = CONSOLE_ROOTS.filter(({ id }) => toggled[id] ?? true).map(toTop);
  const { data: shown } = useSavedConsole(activeId);
  const pages = useFolderPages(source, { tops, isExpanded: (id) => toggled[id] ?? false, revealed: shown ?? null });
  const { folders, items } = pages;
  const states = tops.map(pages.stateOf);
  // A top level that is expanded later loads below its row.
  const isRead = states.length === 0 || states.some(({ is }) => is === "whole" || is === "partial");
  const failure = states.find((each) => each.is === "failed");
  const isWhole = tops.length === CONSOLE_ROOTS.length && states.every(({ is }) => is === "whole");
  const isEmpty = isWhole && items.length + folders.length === 0;
  // The shown console may be on a later page of its folder.
  const consoles = shown === undefined || items.some(({ id }) => id === shown.id) ? items : [...items, shown];
  const nodes = buildConsoleTree({ ...pages, consoles, unsaved: workbench?.consoles ?? [], toggled });
  useReveal(shown, { trail: workbench === null ? null : pages.trail, roots: CONSOLE_ROOTS });

  // The console in the address reports this itself.
  const dirtyIds = [...dirty].filter((id) => id !== activeId);
  const known = useConsolesById(dirtyIds);
  const leftIds = known.isPending ? [] : dirtyIds.filter((id) => !known.data.some((each) => each.id === id));

  const namesIn = async (place: FolderChoice) => {
    const inside = await pages.load(place).catch(() => null);
    return [...(inside?.items ?? []), ...(inside?.folders ?? [])].map(({ name }) => name);
  };
  const newFolder = async (place: FolderChoice) => {
    const id = await tree.createFolder(place, await namesIn(place));
    if (id !== null) setRenamingId(id);
  };
  const toggle = (id: string) => {
    const isExpanded = nodes.find((each) => each.id === id)?.isExpanded ?? false;
    store.change((each) => ({ ...each, toggled: { ...each.toggled, [id]: !isExpanded } }));
  };
  const removeFolder = useFolderRemoval();

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
        {!isRead && !failure && <ExplorerBars label="Loading consoles" widths={BAR_WIDTHS} />}
        {!isRead && failure && (
          <ExplorerFailure message={failure.message} onRetry={() => void Promise.all(tops.map(pages.more))} />
        )}
        {isRead && isEmpty && (workbench?.consoles.length ?? 0) === 0 && (
          <p className="sec-note">No consoles yet. Create one to query your data.</p>
        )}
        {(isRead || (workbench?.consoles.length ?? 0) > 0) && (
          <ItemTree
            label="Consoles"
            noun="console"
            nodes={nodes}
            folders={folders}
            source={source}
            filing={tree}
            activeId={activeId}
            renamingId={renamingId}
            onRenaming={setRenamingId}
            onToggle={toggle}
            onOpen={open}
            onMore={(place) => void pages.more(place)}
            onNew={async (place) => void tree.createIn(place, await namesIn(place))}
            onNewFolder={(place) => void newFolder(place)}
            onRename={rename}
            onRenameFolder={tree.renameFolder}
            onRemove={remove}
            onRemoveFolder={setRemoving}
            toMovable={({ saved }) => saved}
            toIcon={({ saved }) => (saved?.language === "mongodb" ? <Braces /> : <FileCode2 />)}
            toMark={({ saved }) =>
              saved === null ? (
                <span className="dirty new" role="img" aria-label="Not saved yet" />
              ) : (
                dirty.has(saved.id) && <span className="dirty" role="img" aria-label="Unsaved changes" />
              )
            }
            toMenu={({ saved, unsaved }, acts) => (
              <ConsoleMenu
                id={(saved ?? unsaved).id}
                name={(saved ?? unsaved).name}
                saved={saved}
                hasUnsaved={saved === null || dirty.has(saved.id)}
                {...acts}
              />
            )}
          />
        )}
      </ExplorerSection>
      {removing && (
        <DeleteFolder
          folder={removing}
          count={pages.countOf({ folderId: removing.id, access: removing.access })}
          noun="console"
          onRemove={() => removeFolder(removing)}
          onCreate={async (body, like) => {
            const made = await service.createFolder(body);
            if (made !== null)
              store.change((now) => ({
                ...now,
                toggled: { ...now.toggled, [made.id]: now.toggled[like.id] ?? false },
              }));
            return made;
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

/** Returns a function that deletes a folder. Undo restores its consoles with their drafts and tabs. */
function useFolderRemoval() {
  const { workbench: store, consoles: service, drafts } = useWorkspace();
  return async (folder: ConsoleFolder): Promise<RemovedFolder | null> => {
    const tabs = store.read()?.tabs ?? [];
    const gone = await service.removeFolder(folder.id);
    if (gone === null) return null;
    const held = gone.items.map((each) => ({ ...each, draft: drafts.read(each.id), tabAt: tabs.indexOf(each.id) }));
    for (const { id } of held) {
      drafts.drop(id);
      store.change((each) => closeTab(each, id));
    }
    const bringBack: RemovedFolder["bringBack"] = async (anew) => {
      for (const { id, folderId, draft, tabAt } of held.sort((a, b) => a.tabAt - b.tabAt)) {
        const back = await service.undelete(id, anew.get(folderId) ?? null);
        if (back === null) continue;
        if (draft !== null) drafts.write(back, draft.content);
        if (tabAt >= 0) store.change((each) => openTab(each, id, tabAt));
      }
    };
    return { gone, bringBack };
  };
}

/** Lists drafts of consoles that others have deleted or made private, so that the texts are not lost. */
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
        {ids.length === 1 ? "A console" : `${ids.length} consoles`} with your unsaved changes{" "}
        {ids.length === 1 ? "was" : "were"} deleted.
      </p>
      <button type="button" className="btn sm" onClick={keep}>
        Save as new console
      </button>
      <button type="button" className="btn ghost sm" onClick={() => ids.map((id) => drafts.drop(id))}>
        Discard changes
      </button>
    </div>
  );
}

const BAR_WIDTHS = [44, 58, 50];
