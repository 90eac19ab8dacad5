// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
"use client";

import {
  type ClipboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { toLoadedStats } from "@/components/grid/column-stats-words";
import { FilterRow, toFilterId } from "@/components/grid/filter-row";
import { FindBar } from "@/components/grid/find-bar";
import { GridHeads } from "@/components/grid/grid-head";
import type { GridActions } from "@/components/grid/grid-menu";
import { GridRow } from "@/components/grid/grid-row";
import type { ResultGridProps } from "@/components/grid/result-grid-props";
import { useFind } from "@/components/grid/use-find";
import { useGridKeys } from "@/components/grid/use-grid-keys";
import { useGridLayout } from "@/components/grid/use-grid-layout";
import { useGridMenu } from "@/components/grid/use-grid-menu";
import { isInput, toCell, useGridPointer } from "@/components/grid/use-grid-pointer";
import { useFrame } from "@/components/layout/use-frame";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ROW_HEIGHTS } from "@/lib/features/accounts/browser/frame-preferences";
import type { ColumnFilter } from "@/lib/features/results/browser/column-filter";
import { type Bounds, type CellPosition, toBounds } from "@/lib/features/results/browser/grid-selection";
import { later } from "@/lib/platform/browser/load-again";
import "./grid.css";

const loadColumnStats = later(() => import("@/components/grid/column-stats-card"));
const ColumnStatsCard = lazyComponent(loadColumnStats, (module) => module.ColumnStatsCard);

const HEAD_PX = 42;
const FILTERS_PX = 34;
/** Height of the list of a cell's editor. */
const EDITOR_ROOM_PX = 340;

/**
 * Grid with virtual rows and columns, a pinned index and a two-line head. It is one tab stop and names its active cell;
 * the head is the row above the first one.
 */
export function ResultGrid(props: ResultGridProps) {
  const { source, table, columns, label, range, onRange, onSort, onInspect, onCopy, editing } = props;
  const baseId = useId();
  const scrollRef = useRef<HTMLDivElement>(null);
  const [isFocusLost] = useState(() => props.takesFocus === true && range !== null);
  useEffect(() => {
    if (isFocusLost && document.activeElement === document.body) scrollRef.current?.focus();
  }, [isFocusLost]);
  const { density, digits, times } = useFrame().frame;
  const rowPx = ROW_HEIGHTS[density];
  const look = useMemo(() => ({ digits, times }), [digits, times]);
  const { count } = source;
  const { sort, columns: filters } = source.arrangement;
  const filterRow = useFilterRow(baseId, filters);
  const headPx = HEAD_PX + (filterRow.isShown ? FILTERS_PX : 0);
  const layout = useGridLayout(scrollRef, { source, columns, rowPx, headPx });
  const { scroll, width, indexWidth, drawn, from, to } = layout;
  const order = useMemo(() => columns.map(({ field }) => field.name), [columns]);
  const setFilter = (column: number, filter: ColumnFilter | null) => {
    onRange(null);
    const others = filters.filter((each) => each.column !== column);
    source.arrange({ ...source.arrangement, columns: filter === null ? others : [...others, filter] });
  };
  const [stats, setStats] = useState<{ column: number; place: DOMRect } | null>(null);
  const statsField = stats && source.fields[stats.column];
  const find = useFind({ source, columns, look, range, onRange, show: layout.show });
  const actions: GridActions = {
    sort: onSort,
    filter: (column, condition) => setFilter(column, { ...condition, column }),
    copy: props.onCopyAs,
    typeFilter: filterRow.focus,
    openRow: (row, column) => onInspect({ row, column: columns.findIndex(({ index }) => index === column) }),
    find: find.open,
    showStats: (column) => {
      const place = columns.findIndex(({ index }) => index === column);
      const head = document.getElementById(toCellId(baseId, { row: -1, column: place }));
      setStats({ column, place: (head ?? scrollRef.current)?.getBoundingClientRect() ?? new DOMRect() });
    },
  };
  const menu = useGridMenu({ ...props, sort, order, actions });
  const page = Math.max(1, Math.floor(scroll.viewPx / rowPx) - 1);
  const { show } = layout;
  const onKeyDown = useGridKeys({ ...props, baseId, sort, order, page, show, typeFilter: filterRow.focus, menu });
  const pointer = useGridPointer(range, onRange, columns.length);
  const bounds = range && toBounds(range);
  const head = range?.head ?? null;

  return (
    <>
      {find.isOpen && <FindBar find={find} columns={columns} onLeave={() => scrollRef.current?.focus()} />}
      <div
        ref={scrollRef}
        className="rg"
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-busy={source.isArranging}
        aria-activedescendant={head === null ? undefined : toCellId(baseId, head)}
        tabIndex={0}
        data-region-start
        onScroll={scroll.onScroll}
        onKeyDown={(event) => !find.onKeyDown(event) && onKeyDown(event)}
        onContextMenu={menu.onContextMenu}
        {...menu.near}
        onCopy={(event: ClipboardEvent) => {
          if (isInput(event.target)) return;
          onCopy(event.clipboardData);
          event.preventDefault();
        }}
        onPaste={(event: ClipboardEvent) => {
          if (isInput(event.target) || !editing || range === null) return;
          editing.onPaste(event.clipboardData.getData("text/plain"), range);
          event.preventDefault();
        }}
        {...pointer}
        onDoubleClick={(event) => {
          const pressed = toCell(event.target);
          if (pressed !== null && pressed.column >= 0 && !editing?.begin(pressed)) onInspect(pressed);
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
            toItems={menu.headItems}
          />
        </div>
        {filterRow.isShown && (
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
                key={row % layout.slots}
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
                hits={find.tests}
              />
            );
          })}
          {editing?.at && (
            <CellPlace baseId={baseId} at={editing.at} rowPx={rowPx}>
              {editing.editor}
            </CellPlace>
          )}
        </div>
      </div>
      {menu.layer}
      {stats && statsField && (
        <ColumnStatsCard
          key={stats.column}
          field={statsField}
          place={stats.place}
          load={(signal) => (props.toStats ?? toLoadedStats(source))(stats.column, signal)}
          look={look}
          onFilter={(value) => setFilter(stats.column, { op: "is", value, column: stats.column })}
          onClose={() => {
            setStats(null);
            scrollRef.current?.focus();
          }}
        />
      )}
    </>
  );
}

type CellPlaceProps = { baseId: string; at: CellPosition; rowPx: number; children: ReactNode };

/** Places an editor over a cell; above it where there is no room below. */
function CellPlace({ baseId, at, rowPx, children }: CellPlaceProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [box, setBox] = useState<{ left: number; top: number; width: number; isAbove: boolean } | null>(null);
  const id = toCellId(baseId, at);
  useLayoutEffect(() => {
    const cell = document.getElementById(id)?.getBoundingClientRect();
    const body = ref.current?.parentElement?.getBoundingClientRect();
    const grid = ref.current?.closest(".rg")?.getBoundingClientRect();
    if (!cell || !body || !grid) return;
    const below = grid.bottom - cell.bottom;
    const isAbove = below < EDITOR_ROOM_PX && cell.top - grid.top > below;
    setBox({ left: cell.left - body.left, top: cell.top - body.top, width: cell.width, isAbove });
  }, [id]);
  const style = { ...box, height: rowPx, visibility: box ? ("visible" as const) : ("hidden" as const) };
  return (
    <div ref={ref} className={box?.isAbove ? "rg-edits above" : "rg-edits"} style={style}>
      {box && children}
    </div>
  );
}

function toCellId(baseId: string, { row, column }: CellPosition): string {
  return `${baseId}-${row}-${column}`;
}

function isRowInside({ top, bottom }: Bounds, row: number): boolean {
  return row >= top && row <= bottom;
}

/** Returns whether the row of filters is shown, and a function that shows it with the focus in a column's filter. */
function useFilterRow(baseId: string, filters: readonly ColumnFilter[]) {
  const [isAsked, setIsAsked] = useState(false);
  // The input may not be rendered yet.
  const [wanted, setWanted] = useState<number | null>(null);
  const isShown = isAsked || filters.length > 0;
  useEffect(() => {
    if (wanted === null || !isShown) return;
    document.getElementById(toFilterId(baseId, wanted))?.focus();
    setWanted(null);
  }, [wanted, isShown, baseId]);
  return {
    isShown,
    focus: (column: number) => {
      setIsAsked(true);
      setWanted(column);
    },
  };
}
