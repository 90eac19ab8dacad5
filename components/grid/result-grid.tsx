// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import type { ResultTable } from "@/components/grid/use-result-table";
import { useFrame } from "@/components/shell/use-frame";
import { isNumericField, type ResultField, toCellText } from "@/lib/ui/cell-text";
import { ROW_HEIGHTS } from "@/lib/ui/frame-preferences";
import { type CellPlace, type CellRange, isInside, moveSelection, toBounds } from "@/lib/ui/grid-selection";
import "./grid.css";

const HEAD_PX = 42;
const RESIZE_STEP_PX = 16;

type ResultGridProps = {
  table: ResultTable;
  fields: Map<string, ResultField>;
  label: string;
  range: CellRange | null;
  onRange: (range: CellRange | null) => void;
  onInspect: (place: CellPlace) => void;
  /** The selection as text, when it is copied by the keyboard. */
  toClipboard: () => string;
};

/**
 * The grid: virtual rows and columns, a pinned index, a two-line head. It is one stop for the Tab key and names its
 * active cell; the head is the row above the first one.
 */
export function ResultGrid({ table, fields, label, range, onRange, onInspect, toClipboard }: ResultGridProps) {
  const baseId = useId();
  const scrollRef = useRef<HTMLDivElement>(null);
  const viewWidth = useWidth(scrollRef);
  const isDragging = useRef(false);
  const rowPx = ROW_HEIGHTS[useFrame().frame.density];
  const rows = table.getRowModel().rows;
  const columns = table.getVisibleLeafColumns();
  const indexWidth = Math.max(46, 24 + String(rows.length).length * 8);
  const natural = columns.reduce((sum, column) => sum + column.getSize(), indexWidth);
  const fill = Math.max(0, viewWidth - natural);
  // A last column of text takes the room that is left; a number would stand far from its neighbours.
  const last = columns.at(-1);
  const lastField = last && fields.get(last.id);
  const lastFill = lastField === undefined || isNumericField(lastField) ? 0 : fill;
  const widthOf = (i: number) => (columns[i]?.getSize() ?? 0) + (i === columns.length - 1 ? lastFill : 0);

  const rowVirtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowPx,
    scrollPaddingStart: HEAD_PX,
    overscan: 10,
  });
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: widthOf,
    scrollPaddingStart: indexWidth,
    overscan: 3,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured anew when their height is another one
  useEffect(() => rowVirtual.measure(), [rowPx, rowVirtual]);
  const widths = columns.map((_, i) => widthOf(i)).join();
  useEffect(() => {
    if (widths !== "") columnVirtual.measure();
  }, [widths, columnVirtual]);

  const bounds = range && toBounds(range);
  const head = range?.head ?? null;
  const activeId = head === null ? undefined : `${baseId}-${head.row}-${head.column}`;
  const show = ({ row, column }: CellPlace) => {
    if (row >= 0) rowVirtual.scrollToIndex(row, { align: "auto" });
    columnVirtual.scrollToIndex(column, { align: "auto" });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const isMod = event.metaKey || event.ctrlKey;
    const from = range ?? { anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } };
    const column = columns[from.head.column];
    if (event.altKey && event.shiftKey && (event.key === "ArrowRight" || event.key === "ArrowLeft") && column) {
      const step = event.key === "ArrowRight" ? RESIZE_STEP_PX : -RESIZE_STEP_PX;
      table.setColumnSizing((sizes) => ({ ...sizes, [column.id]: Math.max(60, column.getSize() + step) }));
    } else if (event.key === "Enter" && from.head.row < 0) {
      column?.toggleSorting();
    } else if (event.key === "Enter" && rows.length > 0) {
      onInspect(from.head);
    } else {
      const page = Math.max(1, Math.floor(((scrollRef.current?.clientHeight ?? 0) - HEAD_PX) / rowPx) - 1);
      const size = { rows: rows.length, columns: columns.length, page };
      const next = event.altKey ? null : moveSelection(from, { key: event.key, isMod, isShift: event.shiftKey }, size);
      if (next === null) return;
      onRange(next);
      show(next.head);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData.setData("text/plain", toClipboard());
    event.preventDefault();
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const place = toPlace(event.target);
    if (place === null) return;
    isDragging.current = true;
    const isRow = place.column < 0;
    const anchor = event.shiftKey && range ? range.anchor : { row: place.row, column: Math.max(0, place.column) };
    onRange({ anchor, head: { row: place.row, column: isRow ? columns.length - 1 : place.column } });
    if (isRow && !event.shiftKey)
      onRange({ anchor: { row: place.row, column: 0 }, head: { row: place.row, column: columns.length - 1 } });
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!isDragging.current || range === null) return;
    if (event.buttons === 0) {
      isDragging.current = false;
      return;
    }
    const place = toPlace(event.target);
    if (place === null || (place.row === range.head.row && place.column === range.head.column)) return;
    onRange({
      anchor: range.anchor,
      head: { row: place.row, column: place.column < 0 ? columns.length - 1 : place.column },
    });
  };

  const total = natural + fill;
  return (
    <div
      ref={scrollRef}
      className="rg"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={activeId}
      tabIndex={0}
      data-region-start
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        isDragging.current = false;
      }}
      onFocus={(event) =>
        event.target === event.currentTarget &&
        range === null &&
        rows.length > 0 &&
        onRange({ anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } })
      }
    >
      <div className="rg-head" role="row" aria-rowindex={1} style={{ width: total }}>
        <div className="rg-index" role="columnheader" aria-colindex={1} style={{ width: indexWidth }}>
          #
        </div>
        {columnVirtual.getVirtualItems().map(({ index, start, size }) => {
          const column = columns[index];
          const field = column && fields.get(column.id);
          if (!column || !field) return null;
          const sorted = column.getIsSorted();
          const isActive = head?.row === -1 && head.column === index;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the head does the same, through the grid
            <div
              key={column.id}
              id={`${baseId}--1-${index}`}
              role="columnheader"
              aria-colindex={index + 2}
              aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
              className={["rg-th", isNumericField(field) && "r", isActive && "cur"].filter(Boolean).join(" ")}
              style={{ left: indexWidth + start, width: size }}
              title={`${field.name}, ${field.dbType ?? field.type}`}
              onClick={() => column.toggleSorting()}
            >
              <span className="rg-name">
                {sorted === "asc" && <ArrowUp className="xs" />}
                {sorted === "desc" && <ArrowDown className="xs" />}
                <span className="trunc">{field.name}</span>
              </span>
              <span className="ty trunc">{(field.dbType ?? field.type).toLowerCase()}</span>
              <ResizeHandle table={table} columnId={column.id} />
            </div>
          );
        })}
      </div>
      <div role="presentation" style={{ height: rowVirtual.getTotalSize(), width: total, position: "relative" }}>
        {rowVirtual.getVirtualItems().map(({ index: r, start: top }) => {
          const row = rows[r];
          if (!row) return null;
          return (
            <div
              key={row.id}
              className="rg-row"
              role="row"
              aria-rowindex={r + 2}
              style={{ transform: `translateY(${top}px)`, width: total }}
            >
              <div
                className="rg-index"
                role="rowheader"
                aria-colindex={1}
                style={{ width: indexWidth }}
                data-row={r}
                data-column={-1}
              >
                {r + 1}
              </div>
              {columnVirtual.getVirtualItems().map(({ index: c, start, size }) => {
                const column = columns[c];
                const field = column && fields.get(column.id);
                if (!column || !field) return null;
                const value = row.original[field.name];
                const isNull = value === null || value === undefined;
                const isSelected = bounds !== null && isInside(bounds, r, c);
                const isActive = range?.anchor.row === r && range.anchor.column === c;
                const classes = [
                  "rg-td",
                  isNumericField(field) && "r",
                  isNull && "null",
                  isSelected && "sel",
                  isActive && "cur",
                ];
                return (
                  <div
                    key={column.id}
                    id={`${baseId}-${r}-${c}`}
                    role="gridcell"
                    aria-colindex={c + 2}
                    aria-selected={isSelected}
                    className={classes.filter(Boolean).join(" ")}
                    style={{ left: indexWidth + start, width: size }}
                    data-row={r}
                    data-column={c}
                    onDoubleClick={() => onInspect({ row: r, column: c })}
                  >
                    {isNull ? "null" : toCellText(value, field).slice(0, 400)}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function ResizeHandle({ table, columnId }: { table: ResultTable; columnId: string }) {
  const header = table.getFlatHeaders().find(({ id }) => id === columnId);
  const start = header?.getResizeHandler();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; Alt+Shift and the arrows do it on the keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is only kept from sorting
    <span
      className={header?.column.getIsResizing() ? "rg-resize on" : "rg-resize"}
      onMouseDown={(event) => {
        event.stopPropagation();
        start?.(event);
      }}
      onTouchStart={start}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={() => table.setColumnSizing(({ [columnId]: _, ...others }) => others)}
    />
  );
}

function toPlace(target: EventTarget): CellPlace | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return cell === null ? null : { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

function useWidth(ref: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
