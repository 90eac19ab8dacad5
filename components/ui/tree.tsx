"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { type ContextItems, isMenuKey, useContextMenu } from "@/components/ui/context-menu";
import { useIsPhone } from "@/components/ui/use-browser";
import type { TreeNode } from "@/lib/platform/browser/tree-node";
import "./tree.css";

/** A rendered row. */
export type TreeRow = TreeNode & {
  content: ReactNode;
  isSelected?: boolean;
  /** Rows that only inform, such as a failure with its button, cannot be focused. */
  isNote?: boolean;
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
  const [draggedId, setDraggedId] = useState<string | null>(null);
  const [overId, setOverId] = useState<string | null>(null);
  const typed = useRef({ text: "", at: 0 });
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

  const toAction = (key: string, row: TreeRow, at: number): (() => void) | null => {
    const isLeaf = row.isExpanded === undefined;
    switch (key) {
      case "ArrowDown":
        return () => moveTo(items[at + 1]);
      case "ArrowUp":
        return () => moveTo(items[at - 1]);
      case "Home":
        return () => moveTo(items[0]);
      case "End":
        return () => moveTo(items.at(-1));
      case "ArrowRight":
        return () => (row.isExpanded === false ? onToggle?.(row.id) : !isLeaf && moveTo(items[at + 1]));
      case "ArrowLeft":
        return () => (row.isExpanded ? onToggle?.(row.id) : moveTo(items.find(({ id }) => id === row.parentId)));
      case "Enter":
      case " ":
        return () => (isLeaf ? onActivate?.(row.id, false) : onToggle?.(row.id));
      case "F2":
        return onRename ? () => onRename(row.id) : null;
      case "Delete":
        return onRemove ? () => onRemove(row.id) : null;
      case "ContextMenu":
        return () => toMenu && menu.openUnder(row.id, document.getElementById(`${baseId}-${row.id}`));
      default:
        return null;
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!active || event.metaKey || event.ctrlKey || event.altKey || event.target !== event.currentTarget) return;
    const key = isMenuKey(event) ? "ContextMenu" : event.key;
    const action = toAction(key, active, items.indexOf(active));
    if (action) {
      action();
    } else if (event.key.length === 1) {
      const at = items.indexOf(active);
      const now = performance.now();
      typed.current = {
        text: now - typed.current.at < TYPING_MS ? typed.current.text + event.key : event.key,
        at: now,
      };
      const text = typed.current.text.toLowerCase();
      const start = text.length === 1 ? at + 1 : at;
      moveTo([...items.slice(start), ...items.slice(0, start)].find((row) => row.label.toLowerCase().startsWith(text)));
    } else {
      return;
    }
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
            const place = { transform: `translateY(${item.start}px)`, "--d": row.level } as React.CSSProperties;
            if (row.isNote) {
              return (
                // A tree holds nothing else, so what is told, and its button, are an item that the arrows pass by.
                // biome-ignore lint/a11y/useFocusableInteractive: see above
                <div
                  key={row.id}
                  className="tree-note"
                  role="treeitem"
                  aria-level={row.level + 1}
                  aria-selected={false}
                  style={place}
                  data-index={item.index}
                  ref={virtual.measureElement}
                >
                  {row.content}
                </div>
              );
            }
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself takes the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the tree holds the focus and names its active item
              <div
                key={row.id}
                id={`${baseId}-${row.id}`}
                role="treeitem"
                aria-level={row.level + 1}
                aria-expanded={row.isExpanded}
                aria-selected={row.isSelected ?? false}
                aria-posinset={row.positionInSet}
                aria-setsize={row.setSize}
                className={[
                  "tree-row",
                  row.isSmall && "col",
                  row.isSelected && "on",
                  row === active && "active",
                  row.id === overId && "over",
                ]
                  .filter(Boolean)
                  .join(" ")}
                style={place}
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
                draggable={row.canDrag}
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = "move";
                  event.dataTransfer.setData("text/plain", row.label);
                  setDraggedId(row.id);
                }}
                onDragOver={(event) => {
                  const isTarget = draggedId !== null && (canDrop?.(draggedId, row.id) ?? false);
                  setOverId(isTarget ? row.id : null);
                  if (isTarget) event.preventDefault();
                }}
                onDrop={(event) => {
                  event.preventDefault();
                  if (draggedId !== null) onDrop?.(draggedId, row.id);
                  // The dragged row may be removed before its drag ends.
                  setDraggedId(null);
                  setOverId(null);
                }}
                onDragEnd={() => {
                  setDraggedId(null);
                  setOverId(null);
                }}
              >
                {row.isExpanded !== undefined &&
                  (row.isExpanded ? <ChevronDown className="xs chev" /> : <ChevronRight className="xs chev" />)}
                {row.content}
              </div>
            );
          })}
        </div>
      </div>
      {menu.layer}
    </>
  );
}
