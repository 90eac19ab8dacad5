// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { GridHeads, nextSort, stepColumn } from "@/components/grid/grid-head";
import { GridRow, type PlacedColumn } from "@/components/grid/grid-row";
import { COLUMN_PX, type GridColumn, type ResultTable } from "@/components/grid/use-result-columns";
import { useScaledScroll } from "@/components/grid/use-scaled-scroll";
import { useFrame } from "@/components/workspace/use-frame";
import { isNumericField } from "@/lib/ui/cell-text";
import { ROW_HEIGHTS } from "@/lib/ui/frame-preferences";
import { type Bounds, type CellPosition, type CellRange, moveSelection, toBounds } from "@/lib/ui/grid-selection";
import type { RowsSource } from "@/lib/ui/results/rows-source";
import type { SortBy } from "@/lib/ui/results/sort-rows";
import "./grid.css";

const HEAD_PX = 42;
const RESIZE_STEP_PX = 16;
const INDEX_PX = { min: 46, padding: 24, digit: 8 };
/** Rows that are drawn above and below what is seen. */
const OVERSCAN_ROWS = 6;
/** Rows that are fetched around what is seen, while it moves slowly enough to get there row by row. */
const NEAR_ROWS = 128;

type ResultGridProps = {
  source: RowsSource;
  table: ResultTable;
  columns: GridColumn[];
  label: string;
  range: CellRange | null;
  onRange: (range: CellRange | null) => void;
  onSort: (sort: SortBy | null) => void;
  onInspect: (place: CellPosition) => void;
  /** Puts the selection on the clipboard of the event. */
  onCopy: (clipboard: DataTransfer) => void;
};

/**
 * The grid: virtual rows and columns, a pinned index, a two-line head. It is one stop for the Tab key and names its
 * active cell; the head is the row above the first one.
 */
export function ResultGrid(props: ResultGridProps) {
  const { source, table, columns, label, range, onRange, onSort, onInspect, onCopy } = props;
  const baseId = useId();
  const scrollRef = useRef<HTMLDivElement>(null);
  const viewWidth = useWidth(scrollRef);
  const isDragging = useRef(false);
  const rowPx = ROW_HEIGHTS[useFrame().frame.density];
  const { count } = source;
  const { sort } = source.arrangement;
  const indexWidth = Math.max(INDEX_PX.min, INDEX_PX.padding + String(source.total).length * INDEX_PX.digit);
  const scroll = useScaledScroll(scrollRef, count, rowPx, HEAD_PX);
  const { width, placed, pinnedWidth } = useMemo(
    () => placeColumns(columns, indexWidth, viewWidth),
    [columns, indexWidth, viewWidth],
  );
  const loose = useMemo(() => placed.filter(({ isPinned }) => !isPinned), [placed]);
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: loose.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: (i) => loose[i]?.width ?? 0,
    paddingStart: pinnedWidth,
    scrollPaddingStart: pinnedWidth,
    overscan: 3,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns are measured anew when one of them has changed
  useEffect(() => columnVirtual.measure(), [loose, columnVirtual]);
  const inSight = columnVirtual.getVirtualItems();
  const firstLoose = inSight[0]?.index ?? 0;
  const lastLoose = inSight.at(-1)?.index ?? -1;
  // Kept as long as the same columns are in sight, so that rows that only move are not drawn anew.
  const drawn = useMemo(
    () => [...placed.filter(({ isPinned }) => isPinned), ...loose.slice(firstLoose, lastLoose + 1)],
    [placed, loose, firstLoose, lastLoose],
  );
  const order = useMemo(() => columns.map(({ field }) => field.name), [columns]);

  const bounds = range && toBounds(range);
  const head = range?.head ?? null;
  const activeId = head === null ? undefined : `${baseId}-${head.row}-${head.column}`;
  const from = Math.max(0, scroll.first - OVERSCAN_ROWS);
  const to = Math.min(count, scroll.last + OVERSCAN_ROWS);
  const lastFrom = useRef(0);
  const { version } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another order the same places have other rows
  useEffect(() => {
    const isNear = Math.abs(from - lastFrom.current) < NEAR_ROWS;
    lastFrom.current = from;
    // What is seen comes first: a place that is only passed by has no surroundings.
    source.want(from, to);
    if (isNear) source.want(Math.max(0, from - NEAR_ROWS), Math.min(count, to + NEAR_ROWS));
  }, [source, version, from, to, count]);
  // A row takes over the element of a row that has left: as many elements as rows fit, rounded up, so that none is shared.
  const slots = Math.ceil(scroll.viewPx / rowPx) + 2 * OVERSCAN_ROWS + 2;

  const show = ({ row, column }: CellPosition) => {
    if (row >= 0) scroll.scrollToRow(row);
    const at = loose.findIndex(({ place }) => place === column);
    if (at >= 0) columnVirtual.scrollToIndex(at, { align: "auto" });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const isMod = event.metaKey || event.ctrlKey;
    const current = range ?? { anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } };
    const column = columns[current.head.column];
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (event.altKey && step !== 0 && column) {
      const id = column.field.name;
      if (event.shiftKey) {
        const next = Math.min(COLUMN_PX.max, Math.max(COLUMN_PX.min, column.width + step * RESIZE_STEP_PX));
        table.setColumnSizing((sizes) => ({ ...sizes, [id]: next }));
      } else {
        stepColumn(table, order, id, step);
        const at = current.head.column + step;
        if (columns[at]?.isPinned === column.isPinned) {
          const place = { row: current.head.row, column: at };
          onRange({ anchor: place, head: place });
        }
      }
    } else if (event.altKey && event.code === "KeyP" && column) {
      table.getColumn(column.field.name)?.pin(column.isPinned ? false : "start");
    } else if (event.key === "Enter" && current.head.row < 0) {
      if (column) onSort(nextSort(sort, column.index));
    } else if (event.key === "Enter" && count > 0) {
      onInspect(current.head);
    } else {
      const page = Math.max(1, Math.floor(scroll.viewPx / rowPx) - 1);
      const size = { rows: count, columns: columns.length, page };
      const next = event.altKey
        ? null
        : moveSelection(current, { key: event.key, isMod, isShift: event.shiftKey }, size);
      if (next === null) return;
      onRange(next);
      show(next.head);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const place = toPlace(event.target);
    if (place === null) return;
    isDragging.current = true;
    const end = { row: place.row, column: place.column < 0 ? columns.length - 1 : place.column };
    const start = place.column < 0 ? { row: place.row, column: 0 } : place;
    onRange({ anchor: event.shiftKey && range ? range.anchor : start, head: end });
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!isDragging.current || range === null) return;
    if (event.buttons === 0) {
      isDragging.current = false;
      return;
    }
    const place = toPlace(event.target);
    if (place === null || (place.row === range.head.row && place.column === range.head.column)) return;
    const end = { row: place.row, column: place.column < 0 ? columns.length - 1 : place.column };
    onRange({ anchor: range.anchor, head: end });
  };

  return (
    <div
      ref={scrollRef}
      className="rg"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-busy={source.isArranging}
      aria-activedescendant={activeId}
      tabIndex={0}
      data-region-start
      onScroll={scroll.onScroll}
      onKeyDown={onKeyDown}
      onCopy={(event: ClipboardEvent) => {
        onCopy(event.clipboardData);
        event.preventDefault();
      }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        isDragging.current = false;
      }}
      onDoubleClick={(event) => {
        const place = toPlace(event.target);
        if (place !== null && place.column >= 0) onInspect(place);
      }}
      onFocus={(event) =>
        event.target === event.currentTarget &&
        range === null &&
        count > 0 &&
        onRange({ anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } })
      }
    >
      <div className="rg-head" role="row" aria-rowindex={1} style={{ width }}>
        <div className="rg-index" role="columnheader" aria-colindex={1} style={{ width: indexWidth }}>
          #
        </div>
        <GridHeads
          baseId={baseId}
          table={table}
          columns={drawn}
          order={order}
          sort={sort}
          onSort={onSort}
          activePlace={head?.row === -1 ? head.column : -1}
        />
      </div>
      <div className="rg-body" role="presentation" style={{ height: scroll.trackPx, width }}>
        {Array.from({ length: Math.max(0, to - from) }, (_, i) => {
          const row = from + i;
          const isSelected = bounds !== null && isRowInside(bounds, row);
          return (
            <GridRow
              key={row % slots}
              baseId={baseId}
              source={source}
              edition={source.edition(row)}
              row={row}
              y={row * rowPx + scroll.shift}
              width={width}
              indexWidth={indexWidth}
              columns={drawn}
              selectedFrom={isSelected ? bounds.left : -1}
              selectedTo={isSelected ? bounds.right : -1}
              activePlace={range?.anchor.row === row ? range.anchor.column : -1}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Widths and places. A last column of text takes the room that is left; a number would stand far from its neighbours. */
function placeColumns(columns: GridColumn[], indexWidth: number, viewWidth: number) {
  const natural = columns.reduce((sum, { width }) => sum + width, indexWidth);
  const fill = Math.max(0, viewWidth - natural);
  let left = indexWidth;
  const placed = columns.map((column, place): PlacedColumn => {
    const isLast = place === columns.length - 1 && !isNumericField(column.field) && !column.isPinned;
    const width = column.width + (isLast ? fill : 0);
    const at = left;
    left += width;
    return { ...column, place, left: at, width };
  });
  const pinnedWidth = placed.reduce((sum, { isPinned, width }) => sum + (isPinned ? width : 0), indexWidth);
  return { width: natural + fill, placed, pinnedWidth };
}

function isRowInside({ top, bottom }: Bounds, row: number): boolean {
  return row >= top && row <= bottom;
}

function toPlace(target: EventTarget): CellPosition | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return cell === null ? null : { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

function useWidth(ref: RefObject<HTMLElement | null>): number {
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
