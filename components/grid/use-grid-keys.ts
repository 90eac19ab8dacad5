"use client";

import type { KeyboardEvent } from "react";
import { type GridCommand, toGridCommand } from "@/components/grid/grid-command";
import { nextSort, stepColumn } from "@/components/grid/grid-head";
import type { ResultGridProps } from "@/components/grid/result-grid-props";
import { COLUMN_PX } from "@/components/grid/use-result-columns";
import { useFrame } from "@/components/layout/use-frame";
import { announce } from "@/components/ui/live-region";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";

const RESIZE_STEP_PX = 16;
const FIRST: CellRange = { anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } };

type GridKeysProps = Pick<
  ResultGridProps,
  "source" | "table" | "columns" | "range" | "onRange" | "onSort" | "onInspect" | "isWalking" | "toLinks" | "editing"
> & {
  baseId: string;
  sort: SortBy | null;
  order: string[];
  page: number;
  show: (cell: CellPosition) => void;
  typeFilter: (column: number) => void;
  menu: { openUnder: (cell: CellPosition, element: HTMLElement | null) => void };
};

/** Returns the handler of a grid's keys (`toGridCommand`). */
export function useGridKeys(props: GridKeysProps) {
  const { source, columns, isWalking = false, toLinks, page } = props;
  const { areLettersOn } = useFrame().frame;
  return (event: KeyboardEvent) => {
    // Elements over the grid handle their own keys, and their events bubble through here.
    if (event.target !== event.currentTarget) return;
    const range = props.range ?? FIRST;
    if (props.editing?.onKey(event, range)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const command = toGridCommand(event.nativeEvent, {
      range,
      rowCount: source.count,
      columnCount: columns.length,
      page,
      areLettersOn,
      isWalking,
      hasLinks: toLinks !== undefined,
    });
    if (command === null) return;
    apply(props, range, command);
    event.preventDefault();
    event.stopPropagation();
  };
}

function apply(props: GridKeysProps, { head }: CellRange, command: GridCommand): void {
  const { baseId, table, columns, order, sort, toLinks } = props;
  const column = columns[head.column];
  if (command.kind === "select") {
    props.onRange(command.range);
    props.show(command.range.head);
  } else if (command.kind === "menu") {
    props.menu.openUnder(head, document.getElementById(`${baseId}-${head.row}-${head.column}`));
  } else if (command.kind === "inspect") {
    props.onInspect(head);
  } else if (column === undefined) {
    return;
  } else if (command.kind === "resize") {
    const next = Math.min(COLUMN_PX.max, Math.max(COLUMN_PX.min, column.width + command.step * RESIZE_STEP_PX));
    table.setColumnSizing((sizes) => ({ ...sizes, [column.field.name]: next }));
  } else if (command.kind === "move") {
    stepColumn(table, order, column.field.name, command.step);
    const at = head.column + command.step;
    if (columns[at]?.isPinned !== column.isPinned) return;
    const cell = { row: head.row, column: at };
    props.onRange({ anchor: cell, head: cell });
  } else if (command.kind === "pin") {
    table.getColumn(column.field.name)?.pin(column.isPinned ? false : "start");
  } else if (command.kind === "filter") {
    props.typeFilter(column.index);
  } else if (command.kind === "sort") {
    props.onSort(nextSort(sort, column.index));
  } else {
    const link = toLinks?.(head.row, column.field.name).to[0];
    if (link === undefined) announce("This value does not reference another table.");
    else link.open();
  }
}
