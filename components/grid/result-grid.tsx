// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { FilterRow, toFilterId } from "@/components/grid/filter-row";
import { GridHeads, nextSort, stepColumn } from "@/components/grid/grid-head";
import { type CellLinks, ColumnMenu, type GridActions, toCellMenu } from "@/components/grid/grid-menu";
import { GridRow, type PlacedColumn } from "@/components/grid/grid-row";
import { COLUMN_PX, type GridColumn, type ResultTable } from "@/components/grid/use-result-columns";
import { useScaledScroll } from "@/components/grid/use-scaled-scroll";
import { useFrame } from "@/components/layout/use-frame";
import { isMenuKey, useContextMenu } from "@/components/ui/context-menu";
import { announce } from "@/components/ui/live-region";
import { ANY_VALUES_MAX } from "@/lib/base/sql/conditions";
import { ROW_HEIGHTS } from "@/lib/features/accounts/browser/frame-preferences";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import { type ColumnFilter, toFilterValue } from "@/lib/features/results/browser/column-filter";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";
import {
  type Bounds,
  type CellPosition,
  type CellRange,
  isInside,
  moveSelection,
  toBounds,
} from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";
import "./grid.css";

const HEAD_PX = 42;
const FILTERS_PX = 34;
const RESIZE_STEP_PX = 16;
const INDEX_PX = { min: 46, padding: 24, digit: 8 };
/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 6;
/** Rows fetched around the visible ones while scrolling is slow enough to reach them row by row. */
const NEAR_ROWS = 128;

/** Maximum number of selected cells that are searched for distinct values. */
const SELECTED_ROWS_MAX = 1000;

/** Returns the distinct values of a selection within one column; null for another selection or too many values. */
function toSelectedValues(
  source: RowsSource,
  range: CellRange,
  { place, column }: { place: number; column: number },
): (string | null)[] | null {
  const { top, bottom, left, right } = toBounds(range);
  if (left !== place || right !== place || bottom - top >= SELECTED_ROWS_MAX) return null;
  const values = new Set<string | null>();
  for (let row = top; row <= bottom; row += 1) values.add(toFilterValue(source.cell(row, column)));
  return values.size > 1 && values.size <= ANY_VALUES_MAX ? [...values] : null;
}

type ResultGridProps = {
  source: RowsSource;
  table: ResultTable;
  columns: GridColumn[];
  label: string;
  range: CellRange | null;
  onRange: (range: CellRange | null) => void;
  onSort: (sort: SortBy | null) => void;
  onInspect: (place: CellPosition) => void;
  /** Writes the selection to the event's clipboard. */
  onCopy: (clipboard: DataTransfer) => void;
  /** Copies the selection in another format, from a cell's menu. */
  onCopyAs: (format: CopyFormat) => void;
  /** A panel beside the grid shows the active row: J and K move like the arrow keys. */
  isWalking?: boolean;
  /** Returns the links of a cell and its row; absent without foreign keys. */
  toLinks?: (row: number, column: string) => CellLinks;
};

/**
 * Grid with virtual rows and columns, a pinned index and a two-line head. It is one tab stop and names its active cell;
 * the head is the row above the first one.
 */
export function ResultGrid(props: ResultGridProps) {
  const { source, table, columns, label, range, onRange, onSort, onInspect, onCopy } = props;
  const { onCopyAs, isWalking = false, toLinks } = props;
  const baseId = useId();
  const scrollRef = useRef<HTMLDivElement>(null);
  const viewWidth = useWidth(scrollRef);
  const isDragging = useRef(false);
  const { density, digits, times, areLettersOn } = useFrame().frame;
  const rowPx = ROW_HEIGHTS[density];
  const look = useMemo(() => ({ digits, times }), [digits, times]);
  const { count } = source;
  const { sort, columns: filters } = source.arrangement;
  const [areFiltersAsked, setAreFiltersAsked] = useState(false);
  const areFiltersShown = areFiltersAsked || filters.length > 0;
  const headPx = HEAD_PX + (areFiltersShown ? FILTERS_PX : 0);
  const indexWidth = Math.max(INDEX_PX.min, INDEX_PX.padding + String(source.total).length * INDEX_PX.digit);
  const scroll = useScaledScroll(scrollRef, count, rowPx, headPx);
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns are measured again after one has changed
  useEffect(() => columnVirtual.measure(), [loose, columnVirtual]);
  const inSight = columnVirtual.getVirtualItems();
  const firstLoose = inSight[0]?.index ?? 0;
  const lastLoose = inSight.at(-1)?.index ?? -1;
  // Kept while the same columns are visible, so that rows that only move are not rendered again.
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
    // Visible rows come first: while scrolling fast, no surrounding rows are fetched.
    source.want(from, to);
    if (isNear) source.want(Math.max(0, from - NEAR_ROWS), Math.min(count, to + NEAR_ROWS), false);
  }, [source, version, from, to, count]);
  // A row reuses the element of a row that has left. There are as many elements as rows fit, rounded up, so that none
  // is shared.
  const slots = Math.ceil(scroll.viewPx / rowPx) + 2 * OVERSCAN_ROWS + 2;

  const show = ({ row, column }: CellPosition) => {
    if (row >= 0) scroll.scrollToRow(row);
    const at = loose.findIndex(({ place }) => place === column);
    if (at >= 0) columnVirtual.scrollToIndex(at, { align: "auto" });
  };

  const setFilter = (column: number, filter: ColumnFilter | null) => {
    onRange(null);
    const others = filters.filter((each) => each.column !== column);
    source.arrange({ ...source.arrangement, columns: filter === null ? others : [...others, filter] });
  };
  // The input may not be rendered yet.
  const [wantedFilter, setWantedFilter] = useState<number | null>(null);
  useEffect(() => {
    if (wantedFilter === null || !areFiltersShown) return;
    document.getElementById(toFilterId(baseId, wantedFilter))?.focus();
    setWantedFilter(null);
  }, [wantedFilter, areFiltersShown, baseId]);
  const typeFilter = (column: number) => {
    setAreFiltersAsked(true);
    setWantedFilter(column);
  };
  const actions: GridActions = {
    sort: onSort,
    filter: (column, condition) => setFilter(column, { ...condition, column }),
    copy: onCopyAs,
    typeFilter,
    openRow: (row, column) => onInspect({ row, column: columns.findIndex(({ index }) => index === column) }),
  };
  const toColumnItems = ({ index }: Pick<GridColumn, "index">) => {
    const column = columns.find((each) => each.index === index);
    return column && <ColumnMenu column={column} sort={sort} table={table} actions={actions} order={order} />;
  };
  const latestItems = useRef(toColumnItems);
  latestItems.current = toColumnItems;
  // Heads are rendered when they change, not with each row that moves.
  const headItems = useCallback((column: Pick<GridColumn, "index">) => latestItems.current(column), []);
  const menu = useContextMenu(({ row, column: place }: CellPosition) => {
    const column = columns[place];
    if (column === undefined) return null;
    if (row < 0) return { about: column.field.name, items: toColumnItems(column) };
    const value = source.cell(row, column.index);
    const selected = range === null ? null : toSelectedValues(source, range, { place, column: column.index });
    return toCellMenu({
      row,
      value,
      selected,
      column,
      range,
      sort,
      table,
      actions,
      links: toLinks?.(row, column.field.name),
    });
  });
  /** Selects a cell, unless it is inside the selection. */
  const selectFor = (place: CellPosition) => {
    if (range !== null && isInside(toBounds(range), place.row, place.column)) return;
    onRange({ anchor: place, head: place });
  };
  const onContextMenu = (event: MouseEvent) => {
    // In an input, the browser's context menu is the useful one.
    if (event.target instanceof HTMLInputElement) return;
    const id = event.target instanceof Element && event.target.closest<HTMLElement>("[data-head]")?.dataset.head;
    const headAt = columns.findIndex(({ field }) => field.name === id);
    const pressed = toPlace(event.target);
    if (headAt >= 0) menu.openHere({ row: -1, column: headAt }, event);
    else if (pressed !== null) {
      const place = { row: pressed.row, column: Math.max(0, pressed.column) };
      if (pressed.column >= 0) selectFor(place);
      else {
        onRange({ anchor: { row: place.row, column: 0 }, head: { row: place.row, column: columns.length - 1 } });
      }
      menu.openHere(place, event);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Elements over the grid handle their own keys, and their events bubble through here.
    if (event.target !== event.currentTarget) return;
    const isMod = event.metaKey || event.ctrlKey;
    // Mod+Enter runs the statement, also from the grid.
    if (isMod && event.key === "Enter") return;
    const current = range ?? { anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } };
    const column = columns[current.head.column];
    // Single-letter shortcuts can be turned off, for users of speech input.
    const isBare = areLettersOn && !isMod && !event.altKey && !event.shiftKey;
    const walk = isWalking && isBare ? { j: "ArrowDown", k: "ArrowUp" }[event.key] : undefined;
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
    } else if (isMenuKey(event)) {
      menu.openUnder(current.head, document.getElementById(`${baseId}-${current.head.row}-${current.head.column}`));
    } else if (event.key === "f" && isBare && column) {
      typeFilter(column.index);
    } else if (event.key === "g" && isBare && column && current.head.row >= 0 && toLinks) {
      const [link] = toLinks(current.head.row, column.field.name).to;
      if (link === undefined) announce("This value is no key of another table.");
      else link.open();
    } else if (event.key === "Enter" && current.head.row < 0) {
      if (column) onSort(nextSort(sort, column.index));
    } else if (event.key === "Enter" && count > 0) {
      onInspect(current.head);
    } else {
      const page = Math.max(1, Math.floor(scroll.viewPx / rowPx) - 1);
      const size = { rows: count, columns: columns.length, page };
      const next = event.altKey
        ? null
        : moveSelection(current, { key: walk ?? event.key, isMod, isShift: event.shiftKey }, size);
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
    <>
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
        onContextMenu={onContextMenu}
        {...menu.near}
        onCopy={(event: ClipboardEvent) => {
          if (event.target instanceof HTMLInputElement) return;
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
        onFocus={(event) => {
          menu.near.onFocus();
          if (event.target !== event.currentTarget || range !== null || count === 0) return;
          onRange({ anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } });
        }}
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
            toItems={headItems}
          />
        </div>
        {areFiltersShown && (
          <FilterRow
            baseId={baseId}
            columns={drawn}
            filters={filters}
            width={width}
            indexWidth={indexWidth}
            onFilter={setFilter}
            onLeave={() => scrollRef.current?.focus()}
          />
        )}
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
                look={look}
                columns={drawn}
                selectedFrom={isSelected ? bounds.left : -1}
                selectedTo={isSelected ? bounds.right : -1}
                activePlace={range?.anchor.row === row ? range.anchor.column : -1}
              />
            );
          })}
        </div>
      </div>
      {menu.layer}
    </>
  );
}

/**
 * Assigns widths and positions. A text column at the end takes the remaining width; a number would be far from its
 * neighbour.
 */
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
