"use client";

import { type MouseEvent, useCallback, useRef } from "react";
import { ColumnMenu, type GridActions, toCellMenu } from "@/components/grid/grid-menu";
import type { ResultGridProps } from "@/components/grid/result-grid-props";
import { isInput, toCell } from "@/components/grid/use-grid-pointer";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { useContextMenu } from "@/components/ui/context-menu";
import { ANY_VALUES_MAX } from "@/lib/base/sql/conditions";
import { toFilterValue } from "@/lib/features/results/browser/column-filter";
import { type CellPosition, type CellRange, isInside, toBounds } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";

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

type GridMenuProps = Pick<
  ResultGridProps,
  "source" | "table" | "columns" | "range" | "onRange" | "toLinks" | "toActions" | "editing"
> & {
  sort: SortBy | null;
  order: string[];
  actions: GridActions;
};

/** Returns the menu of a grid's cells and heads. */
export function useGridMenu(props: GridMenuProps) {
  const { source, table, columns, range, onRange, toLinks, toActions, editing, sort, order, actions } = props;
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
    const links = toLinks?.(row, column.field.name);
    const edits = editing?.items({ row, column: place });
    const rowActions = toActions?.(row);
    return toCellMenu({ row, value, selected, column, range, sort, table, actions, links, edits, rowActions });
  });
  /** Selects a cell, unless it is inside the selection. */
  const selectFor = (cell: CellPosition) => {
    if (range !== null && isInside(toBounds(range), cell.row, cell.column)) return;
    onRange({ anchor: cell, head: cell });
  };
  const onContextMenu = (event: MouseEvent) => {
    // In an input, the browser's context menu is the useful one.
    if (isInput(event.target)) return;
    const id = event.target instanceof Element && event.target.closest<HTMLElement>("[data-head]")?.dataset.head;
    const headAt = columns.findIndex(({ field }) => field.name === id);
    const pressed = toCell(event.target);
    if (headAt >= 0) menu.openHere({ row: -1, column: headAt }, event);
    else if (pressed !== null) {
      const cell = { row: pressed.row, column: Math.max(0, pressed.column) };
      if (pressed.column >= 0) selectFor(cell);
      else onRange({ anchor: { row: cell.row, column: 0 }, head: { row: cell.row, column: columns.length - 1 } });
      menu.openHere(cell, event);
    }
  };
  return { ...menu, headItems, onContextMenu };
}
