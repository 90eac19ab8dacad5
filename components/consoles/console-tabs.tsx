"use client";

import { Braces, Copy, CopyPlus, FileCode2, LoaderCircle, PanelLeft, Pencil, Plus, X } from "lucide-react";
import { type DragEvent, type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useDirtyIds, useTabConsoles } from "@/components/consoles/use-consoles";
import { updateFrame } from "@/components/layout/use-frame";
import { useConsoleRuns, useWorkspace } from "@/components/layout/workspace-context";
import { useFindDatabase } from "@/components/schema/use-schema";
import { ColourTag } from "@/components/ui/colour-tag";
import { isMenuKey, useContextMenu } from "@/components/ui/context-menu";
import { copyName } from "@/components/ui/copy-text";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Tip } from "@/components/ui/tip";
import type { Tag } from "@/lib/features/connections/schema";
import { findConsole, findTitle, isSavedId, moveTab, type Workbench } from "@/lib/features/consoles/browser/workbench";

type OpenTab = {
  id: string;
  name: string;
  isMongo: boolean;
  /** Tag of its connection. */
  tag: Tag | null;
  mark: "not saved yet" | "unsaved changes" | null;
};

/**
 * Tabs of the open consoles. Arrow keys move between them, Delete or a middle click closes, F2 or a double click
 * renames. Tabs are moved by dragging, or with Alt+Shift and an arrow key.
 */
export function ConsoleTabs({ workbench, activeId }: { workbench: Workbench; activeId: string | null }) {
  const { workbench: store } = useWorkspace();
  const { open, create, close, rename } = useConsoleActions();
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [draggedId, setDraggedId] = useState<string | null>(null);
  const listRef = useRef<HTMLDivElement>(null);
  const dirty = useDirtyIds();
  const list = useTabConsoles();
  const findDatabase = useFindDatabase();
  const tabs = workbench.tabs.map((id): OpenTab => {
    const listed = list.find((each) => each.id === id);
    const known = listed ?? findConsole(workbench, id);
    return {
      id,
      name: listed?.name ?? findTitle(workbench, id) ?? "Console",
      tag: (known && findDatabase(known.connectionId)?.tag) ?? null,
      isMongo: (listed ?? workbench.titles[id])?.language === "mongodb",
      mark: !isSavedId(id) ? "not saved yet" : dirty.has(id) ? "unsaved changes" : null,
    };
  });

  const menu = useContextMenu((id: string) => {
    const tab = tabs.find((each) => each.id === id);
    if (tab === undefined) return null;
    const items = <TabMenu tab={tab} tabs={tabs} onRename={() => setRenamingId(id)} />;
    return { about: tab.name, items };
  });

  useEffect(() => {
    if (activeId === null) return;
    listRef.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [activeId]);

  const onKeyDown = (event: KeyboardEvent, id: string) => {
    const at = workbench.tabs.indexOf(id);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0 && event.altKey && event.shiftKey) {
      store.change((each) => moveTab(each, id, at + step));
      // A moved node loses the focus.
      requestAnimationFrame(() => document.getElementById(`tab-${id}`)?.focus());
    } else if (step !== 0) goTo((at + step + workbench.tabs.length) % workbench.tabs.length);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(workbench.tabs.length - 1);
    else if (event.key === "Delete") {
      const next = workbench.tabs[at + 1] ?? workbench.tabs[at - 1];
      close(id);
      requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
    } else if (event.key === "F2") setRenamingId(id);
    else if (isMenuKey(event)) menu.openUnder(id, event.currentTarget);
    else return;
    event.preventDefault();
  };
  const goTo = (at: number) => {
    const id = workbench.tabs[at];
    if (id === undefined) return;
    open(id);
    listRef.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at]?.focus();
  };
  const onDragOver = (event: DragEvent, overId: string) => {
    if (draggedId === null) return;
    event.preventDefault();
    if (draggedId !== overId) store.change((each) => moveTab(each, draggedId, each.tabs.indexOf(overId)));
  };

  return (
    <div className="tabs" data-region tabIndex={-1}>
      <Tip label="Show explorer" keys="mod+b">
        <button
          type="button"
          className="btn ghost icon sm show-side"
          aria-label="Show explorer"
          onClick={() => updateFrame({ explorerOpen: true })}
        >
          <PanelLeft />
        </button>
      </Tip>
      <div ref={listRef} className="tab-list" role="tablist" aria-label="Open consoles" {...menu.near}>
        {tabs.map((tab) => (
          <Tab
            key={tab.id}
            tab={tab}
            isActive={tab.id === activeId}
            isRenaming={tab.id === renamingId}
            isFirstStop={activeId === null && tab === tabs[0]}
            onOpen={() => open(tab.id)}
            onClose={() => close(tab.id)}
            onRename={() => setRenamingId(tab.id)}
            onRenamed={(typed) => {
              setRenamingId(null);
              if (typed !== null) rename(tab.id, typed);
            }}
            onKeyDown={(event) => onKeyDown(event, tab.id)}
            onContextMenu={(event) => menu.openHere(tab.id, event)}
            onDragStart={() => setDraggedId(tab.id)}
            onDragOver={(event) => onDragOver(event, tab.id)}
            onDragEnd={() => setDraggedId(null)}
          />
        ))}
      </div>
      {menu.layer}
      <Tip label="New console" keys="c">
        <button type="button" className="tab-add" aria-label="New console" onClick={() => create()}>
          <Plus className="s" />
        </button>
      </Tip>
    </div>
  );
}

type TabMenuProps = { tab: OpenTab; tabs: OpenTab[]; onRename: () => void };

function TabMenu({ tab, tabs, onRename }: TabMenuProps) {
  const { workbench: store } = useWorkspace();
  const { close, closeOthers, duplicate } = useConsoleActions();
  const { id } = tab;
  const at = tabs.indexOf(tab);
  const isLast = at === tabs.length - 1;
  const move = (to: number) => store.change((each) => moveTab(each, id, to));
  return (
    <>
      <MenuItem icon={<X />} keys="Del" onSelect={() => close(id)}>
        Close
      </MenuItem>
      {tabs.length > 1 && <MenuItem onSelect={() => closeOthers(id, "all")}>Close others</MenuItem>}
      {!isLast && <MenuItem onSelect={() => closeOthers(id, "right")}>Close to the right</MenuItem>}
      <MenuLine />
      <MenuItem icon={<Pencil />} keys="F2" onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<CopyPlus />} onSelect={() => void duplicate(id)}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={() => void copyName(tab.name)}>
        Copy name
      </MenuItem>
      {tabs.length > 1 && <MenuLine />}
      {at > 0 && <MenuItem onSelect={() => move(at - 1)}>Move left</MenuItem>}
      {!isLast && <MenuItem onSelect={() => move(at + 1)}>Move right</MenuItem>}
    </>
  );
}

type TabProps = {
  tab: OpenTab;
  isActive: boolean;
  isRenaming: boolean;
  isFirstStop: boolean;
  onOpen: () => void;
  onClose: () => void;
  onRename: () => void;
  onRenamed: (typed: string | null) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onContextMenu: (event: MouseEvent) => void;
  onDragStart: () => void;
  onDragOver: (event: DragEvent) => void;
  onDragEnd: () => void;
};

function Tab({ tab, isActive, isRenaming, isFirstStop, ...on }: TabProps) {
  const { latest } = useConsoleRuns(tab.id);
  const isRunning = latest?.status === "running";
  const Icon = isRunning ? LoaderCircle : tab.isMongo ? Braces : FileCode2;
  if (isRenaming) {
    return (
      <div className="tab on" role="presentation">
        <FileCode2 className="s" />
        <NameInput label="Console name" value={tab.name} onDone={on.onRenamed} />
      </div>
    );
  }
  return (
    <div
      role="tab"
      className={isActive ? "tab on" : "tab"}
      id={`tab-${tab.id}`}
      aria-label={[tab.name, tab.tag?.name, isRunning && "running", tab.mark].filter(Boolean).join(", ")}
      aria-selected={isActive}
      aria-controls={isActive ? "console-panel" : undefined}
      aria-keyshortcuts="Delete F2"
      tabIndex={isActive || isFirstStop ? 0 : -1}
      data-region-start={isActive || undefined}
      draggable
      onClick={on.onOpen}
      onDoubleClick={on.onRename}
      onAuxClick={(event) => event.button === 1 && on.onClose()}
      onMouseDown={(event) => event.button === 1 && event.preventDefault()}
      // On Linux, a middle click would paste the primary selection into the focused editor.
      onMouseUp={(event) => event.button === 1 && event.preventDefault()}
      onKeyDown={(event) => (event.key === "Enter" || event.key === " " ? on.onOpen() : on.onKeyDown(event))}
      onContextMenu={on.onContextMenu}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", tab.name);
        on.onDragStart();
      }}
      onDragOver={on.onDragOver}
      onDragEnd={on.onDragEnd}
    >
      <Icon className={isRunning ? "s turning moving" : "s"} />
      <span className="trunc">{tab.name}</span>
      {tab.tag !== null && <ColourTag tag={tab.tag} />}
      {tab.mark !== null && (
        <span className={tab.mark === "not saved yet" ? "dirty new" : "dirty"} aria-hidden="true" />
      )}
      {/* For the pointer alone: on the keyboard Delete closes a tab. */}
      <span
        className="tab-close"
        aria-hidden="true"
        title="Close"
        onClick={(event) => {
          event.stopPropagation();
          on.onClose();
        }}
      >
        <X className="xs" />
      </span>
    </div>
  );
}
