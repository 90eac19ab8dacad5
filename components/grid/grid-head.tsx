// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
"use client";

import { ArrowDown, ArrowUp, ChevronDown, Pin } from "lucide-react";
import { memo, type PointerEvent, type ReactNode, useRef, useState } from "react";
import type { PlacedColumn } from "@/components/grid/grid-row";
import { moveColumn, type ResultTable } from "@/components/grid/use-result-columns";
import { Menu } from "@/components/ui/menu";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";

/** Pointer movement below which a press is a click. */
const DRAG_AFTER_PX = 6;

export type GridHeadProps = {
  baseId: string;
  table: ResultTable;
  columns: PlacedColumn[];
  /** All columns in order, including those out of sight: a column can be moved among them. */
  order: string[];
  sort: SortBy | null;
  onSort: (sort: SortBy | null) => void;
  activePlace: number;
  /** Returns the items of a column's menu, for its button and its context menu. */
  toItems: (column: Pick<PlacedColumn, "index" | "field">) => ReactNode;
};

/**
 * Heads of the visible columns: click sorts, drag moves, the edge resizes. The menu offers the same to the keyboard.
 */
export const GridHeads = memo(function GridHeads(props: GridHeadProps) {
  const { baseId, table, columns, order, sort, onSort, activePlace, toItems } = props;
  const drag = useRef<{ id: string; x: number; isMoving: boolean } | null>(null);
  const [over, setOver] = useState<{ id: string; isAfter: boolean } | null>(null);

  const onPointerDown = (event: PointerEvent, id: string) => {
    if (event.button === 0 && event.pointerType !== "touch") drag.current = { id, x: event.clientX, isMoving: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const moved = drag.current;
    if (moved === null) return;
    if (event.buttons === 0) {
      drag.current = null;
      setOver(null);
      return;
    }
    if (!moved.isMoving && Math.abs(event.clientX - moved.x) < DRAG_AFTER_PX) return;
    if (!moved.isMoving) {
      moved.isMoving = true;
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    const hit = document.elementFromPoint(event.clientX, event.clientY);
    const id = hit?.closest<HTMLElement>("[data-head]")?.dataset.head ?? null;
    const isKnown = id !== null && id !== moved.id;
    setOver(isKnown ? { id, isAfter: order.indexOf(id) > order.indexOf(moved.id) } : null);
  };
  const onPointerUp = () => {
    const moved = drag.current;
    if (moved?.isMoving && over !== null) moveColumn(table, moved.id, over.id);
    setOver(null);
    // The click event after a drag is ignored: its handler checks this first.
    if (!moved?.isMoving) drag.current = null;
  };
  const onClick = (index: number) => {
    if (drag.current?.isMoving) {
      drag.current = null;
      return;
    }
    drag.current = null;
    onSort(nextSort(sort, index));
  };

  return columns.map(({ index, field, place, left, width, isPinned }) => {
    const isSorted = sort?.column === index;
    const isDescending = isSorted && sort.isDescending;
    let className = "rg-th";
    if (isNumericField(field)) className += " r";
    if (isPinned) className += " pin";
    if (place === activePlace) className += " cur";
    if (over?.id === field.name) className += over.isAfter ? " drop-after" : " drop-before";
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the head does the same, through the grid
      <div
        key={field.name}
        id={`${baseId}--1-${place}`}
        role="columnheader"
        aria-colindex={place + 2}
        aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : "none"}
        className={className}
        style={{ left, width }}
        title={`${field.name}, ${field.dbType ?? field.type}`}
        data-head={field.name}
        onClick={() => onClick(index)}
        onPointerDown={(event) => onPointerDown(event, field.name)}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
      >
        <span className="rg-name">
          {isPinned && <Pin className="xs" />}
          {isSorted && (isDescending ? <ArrowDown className="xs" /> : <ArrowUp className="xs" />)}
          <span className="trunc">{field.name}</span>
        </span>
        <span className="ty trunc">{(field.dbType ?? field.type).toLowerCase()}</span>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only keeps presses on the menu from sorting */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same */}
        <span className="rg-more" onClick={stop} onPointerDown={stop}>
          <Menu
            trigger={
              <button type="button" tabIndex={-1} aria-label={`Column ${field.name}`}>
                <ChevronDown className="xs" />
              </button>
            }
          >
            {toItems({ index, field })}
          </Menu>
        </span>
        <ResizeHandle table={table} columnId={field.name} />
      </div>
    );
  });
});

/** Returns the next sort order: ascending, descending, original. */
export function nextSort(sort: SortBy | null, column: number): SortBy | null {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? null : { column, isDescending: true };
}

/** Moves a column one place to the left (-1) or the right (1). */
export function stepColumn(table: ResultTable, order: string[], id: string, step: number): void {
  const to = order[order.indexOf(id) + step];
  if (to !== undefined) moveColumn(table, id, to);
}

function ResizeHandle({ table, columnId }: { table: ResultTable; columnId: string }) {
  const header = table.getFlatHeaders().find(({ id }) => id === columnId);
  const start = header?.getResizeHandler();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; Alt+Shift and the arrows do it on the keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is only kept from sorting
    <span
      className="rg-resize"
      onPointerDown={stop}
      onMouseDown={(event) => {
        event.stopPropagation();
        start?.(event);
      }}
      onTouchStart={start}
      onClick={stop}
      onDoubleClick={() => table.setColumnSizing(({ [columnId]: _, ...others }) => others)}
    />
  );
}

function stop(event: { stopPropagation: () => void }): void {
  event.stopPropagation();
}
