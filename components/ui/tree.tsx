"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type CSSProperties, type DragEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"; // biome-ignore format: one look
import { type ContextItems, isMenuKey, useContextMenu } from "@/components/ui/context-menu";
import { useIsPhone } from "@/components/ui/use-browser";
import { findTyped, type TreeStep, toTreeStep } from "@/lib/platform/browser/tree-keys";
import type { TreeNode } from "@/lib/platform/browser/tree-node";
import "./tree.css";

/** A rendered row. */
export type TreeRow = TreeNode & {
  content: ReactNode;
  isSelected?: boolean;
  /** Rows that only inform, such as a failure with its button, cannot be focused. */
  isNote?: boolean;
  /** Accessible name of such a row if it has no text. */
  noteLabel?: string;
  /** Whether it can be dragged onto another row, if the tree accepts drops. */
  canDrag?: boolean;
};

type TreeProps = {
  label: string;
  rows: TreeRow[];
  onToggle?: (id: string) => void;
  /** A click or Enter on a leaf, or a double click on any row. */
  onActivate?: (id: string, isDouble: boolean) => void;
  onRename?: (id: string) => void;
  onRemove?: (id: string) => void;
  /** Returns a row's context menu for a right click or the menu key; null for a row without a menu. */
  toMenu?: (id: string) => ContextItems | null;
  canDrop?: (draggedId: string, targetId: string) => boolean;
  onDrop?: (draggedId: string, targetId: string) => void;
};

const ROW_PX = { normal: 26, small: 22, note: 60 } as const;
/** Row heights on a phone, where a finger must hit them. */
const TOUCH_ROW_PX = { normal: 44, small: 36, note: 60 } as const;
/** Time within which typed letters form one search, in ms. */
const TYPING_MS = 700;

/** A tree with virtual rows and a single tab stop. Arrow keys move, typing jumps. */
export function Tree(props: TreeProps) {
  const { label, rows, onToggle, onActivate, onRename, onRemove, toMenu, canDrop, onDrop } = props;
  const baseId = useId();
  const scrollRef = useRef<HTMLDivElement>(null);
  const [activeId, setActiveId] = useState<string | null>(null);
  const drag = useRowDrag({ canDrop, onDrop });
  const type = useTyping();
  const items = rows.filter((row) => !row.isNote);
  const selected = items.find((row) => row.isSelected);
  const active = items.find((row) => row.id === activeId) ?? selected ?? items[0];
  const heights = useIsPhone() ? TOUCH_ROW_PX : ROW_PX;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: (i) => (rows[i]?.isNote ? heights.note : rows[i]?.isSmall ? heights.small : heights.normal),
    getItemKey: (i) => rows[i]?.id ?? i,
    overscan: 12,
  });
  useEffect(() => {
    if (heights) virtual.measure();
  }, [heights, virtual]);
  const selectedId = selected?.id;
  useEffect(() => {
    if (selectedId !== undefined) setActiveId(selectedId);
  }, [selectedId]);

  const moveTo = (row: TreeRow | undefined) => {
    if (!row) return;
    setActiveId(row.id);
    virtual.scrollToIndex(rows.indexOf(row), { align: "auto" });
  };

  const menu = useContextMenu((id: string) => toMenu?.(id) ?? null);

  const act = (step: TreeStep<TreeRow>, row: TreeRow): boolean => {
    switch (step.do) {
      case "move":
        moveTo(step.to);
        return true;
      case "toggle":
        onToggle?.(row.id);
        return true;
      case "activate":
        onActivate?.(row.id, false);
        return true;
      case "rename":
        onRename?.(row.id);
        return onRename !== undefined;
      case "remove":
        onRemove?.(row.id);
        return onRemove !== undefined;
      case "menu":
        if (toMenu) menu.openUnder(row.id, document.getElementById(`${baseId}-${row.id}`));
        return true;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!active || event.metaKey || event.ctrlKey || event.altKey || event.target !== event.currentTarget) return;
    const key = isMenuKey(event) ? "ContextMenu" : event.key;
    const step = toTreeStep(key, items, active);
    if (step === null) {
      if (key.length !== 1) return;
      moveTo(findTyped(items, active, type(key)));
    } else if (!act(step, active)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div
        ref={scrollRef}
        className="tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={active ? `${baseId}-${active.id}` : undefined}
        onKeyDown={onKeyDown}
        {...menu.near}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            const shared = { row, top: item.start };
            if (row.isNote)
              return <NoteRow key={row.id} {...shared} index={item.index} measure={virtual.measureElement} />;
            return (
              <NodeRow
                key={row.id}
                {...shared}
                id={`${baseId}-${row.id}`}
                isActive={row === active}
                isOver={row.id === drag.overId}
                dragHandlers={drag.handlersOf(row)}
                onClick={() => {
                  setActiveId(row.id);
                  if (row.isExpanded === undefined) onActivate?.(row.id, false);
                  else onToggle?.(row.id);
                }}
                onDoubleClick={() => onActivate?.(row.id, true)}
                onContextMenu={(event) => {
                  setActiveId(row.id);
                  if (toMenu?.(row.id)) menu.openHere(row.id, event);
                }}
              />
            );
          })}
        </div>
      </div>
      {menu.layer}
    </>
  );
}

/** Returns a function that adds a letter to the text being typed, and returns the text. A pause starts a new one. */
function useTyping(): (letter: string) => string {
  const typed = useRef({ text: "", at: 0 });
  return (letter) => {
    const now = performance.now();
    const text = now - typed.current.at < TYPING_MS ? typed.current.text + letter : letter;
    typed.current = { text, at: now };
    return text;
  };
}

/** Returns the drag and drop of rows onto each other. */
function useRowDrag({ canDrop, onDrop }: Pick<TreeProps, "canDrop" | "onDrop">) {
  const [draggedId, setDraggedId] = useState<string | null>(null);
  const [overId, setOverId] = useState<string | null>(null);
  const end = () => {
    setDraggedId(null);
    setOverId(null);
  };
  return {
    /** Row that would take the dragged one; null without such a row. */
    overId,
    handlersOf: (row: TreeRow) => ({
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", row.label);
        setDraggedId(row.id);
      },
      onDragOver: (event: DragEvent) => {
        const isTarget = draggedId !== null && (canDrop?.(draggedId, row.id) ?? false);
        setOverId(isTarget ? row.id : null);
        if (isTarget) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        if (draggedId !== null) onDrop?.(draggedId, row.id);
        // The dragged row may be removed before its drag ends.
        end();
      },
      onDragEnd: end,
    }),
  };
}

type NodeRowProps = {
  id: string;
  row: TreeRow;
  /** Offset from the top of the tree, in pixels. */
  top: number;
  isActive: boolean;
  /** Whether a dragged row would be dropped here. */
  isOver: boolean;
  dragHandlers: ReturnType<ReturnType<typeof useRowDrag>["handlersOf"]>;
  onClick: () => void;
  onDoubleClick: () => void;
  onContextMenu: (event: MouseEvent) => void;
};

function NodeRow({ id, row, top, isActive, isOver, dragHandlers, ...on }: NodeRowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree holds the focus and names its active item
    <div
      id={id}
      role="treeitem"
      aria-level={row.level + 1}
      aria-expanded={row.isExpanded}
      aria-selected={row.isSelected ?? false}
      aria-posinset={row.positionInSet}
      aria-setsize={row.setSize}
      className={["tree-row", row.isSmall && "col", row.isSelected && "on", isActive && "active", isOver && "over"]
        .filter(Boolean)
        .join(" ")}
      style={placeOf(row, top)}
      draggable={row.canDrag}
      {...dragHandlers}
      {...on}
    >
      {row.isExpanded !== undefined &&
        (row.isExpanded ? <ChevronDown className="xs chev" /> : <ChevronRight className="xs chev" />)}
      {row.content}
    </div>
  );
}

type NoteRowProps = { row: TreeRow; top: number; index: number; measure: (element: Element | null) => void };

function NoteRow({ row, top, index, measure }: NoteRowProps) {
  return (
    // A tree holds nothing else, so what is told, and its button, are an item that the arrows pass by.
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      className="tree-note"
      role="treeitem"
      aria-label={row.noteLabel}
      aria-level={row.level + 1}
      aria-selected={false}
      style={placeOf(row, top)}
      data-index={index}
      ref={measure}
    >
      {row.content}
    </div>
  );
}

function placeOf(row: TreeRow, top: number): CSSProperties {
  return { transform: `translateY(${top}px)`, "--d": row.level } as CSSProperties;
}
