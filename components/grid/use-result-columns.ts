"use client";

import {
  columnOrderingFeature, columnPinningFeature, columnResizingFeature, columnSizingFeature, columnVisibilityFeature, createColumnHelper,
  tableFeatures, useTable,
} from "@tanstack/react-table"; // biome-ignore format: one look at the whole list
import { useMemo } from "react";
import { toScale } from "@/lib/base/values/cell-look";
import type { ResultField } from "@/lib/base/values/json-rows";
import { toCellText } from "@/lib/features/results/browser/cell-text";
import type { CellTable } from "@/lib/features/results/browser/row-table";

const features = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnResizingFeature,
  columnVisibilityFeature,
});
const helper = createColumnHelper<typeof features, object>();

export const COLUMN_PX = { min: 60, max: 1200 } as const;
const WIDTH_PX = { max: 360, perLetter: 7.3, padding: 26 };
/** Room in the head for the menu of a column. */
const HEAD_EXTRA_LETTERS = 4;
/** A column's width is judged by so many of its first values. */
const JUDGED_ROWS = 60;
/** The rows are kept elsewhere: the table looks after columns alone. */
const NO_ROWS: object[] = [];

/** One column as the grid draws it: `index` is its place in the result's fields. */
export type GridColumn = {
  index: number;
  field: ResultField;
  width: number;
  isPinned: boolean;
  /** Digits behind the point that its numbers are lined up by. */
  scale: number;
};

/** The columns of a result: their widths and order, which are hidden, which stay at the left. */
export function useResultColumns(fields: readonly ResultField[], sample: CellTable) {
  const defs = useMemo(
    () =>
      helper.columns(
        fields.map((field, index) =>
          helper.display({
            id: field.name,
            header: field.name,
            size: judgeWidth(field, sample, index),
            minSize: COLUMN_PX.min,
            maxSize: COLUMN_PX.max,
          }),
        ),
      ),
    [fields, sample],
  );
  const table = useTable({ features, columns: defs, data: NO_ROWS, columnResizeMode: "onChange" });
  const shown = [...table.getStartVisibleLeafColumns(), ...table.getCenterVisibleLeafColumns()];
  const scales = useMemo(() => fields.map((field, index) => toScale(field, firstOf(sample, index))), [fields, sample]);
  const layout = shown
    .map((column) => `${column.id}\u0000${column.getSize()}\u0000${column.getIsPinned()}`)
    .join("\u0001");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layout says all that the columns are made of
  const columns = useMemo<GridColumn[]>(() => {
    const places = new Map(fields.map((field, index) => [field.name, index]));
    return shown.flatMap((column) => {
      const index = places.get(column.id);
      const field = index === undefined ? undefined : fields[index];
      if (index === undefined || field === undefined) return [];
      return [
        { index, field, width: column.getSize(), isPinned: column.getIsPinned() !== false, scale: scales[index] ?? 0 },
      ];
    });
  }, [layout, fields, scales]);
  return { table, columns };
}

export type ResultTable = ReturnType<typeof useResultColumns>["table"];

/** Moves a column to the place of another one; a pinned one stays among the pinned. */
export function moveColumn(table: ResultTable, id: string, to: string): void {
  const isPinned = table.getColumn(id)?.getIsPinned() === "start";
  if (isPinned !== (table.getColumn(to)?.getIsPinned() === "start")) return;
  const all = isPinned
    ? table.getStartLeafColumns().map((column) => column.id)
    : table.getAllLeafColumns().map((column) => column.id);
  const from = all.indexOf(id);
  const at = all.indexOf(to);
  if (from < 0 || at < 0 || from === at) return;
  const moved = all.toSpliced(from, 1).toSpliced(at, 0, id);
  if (isPinned) table.setColumnPinning((pinning) => ({ ...pinning, start: moved }));
  else table.setColumnOrder(moved);
}

function* firstOf(sample: CellTable, index: number) {
  for (let row = 0; row < Math.min(JUDGED_ROWS, sample.rowCount); row += 1) yield sample.at(row, index);
}

/** The width that the head and the first values of a column ask for, in CSS pixels. */
function judgeWidth(field: ResultField, sample: CellTable, index: number): number {
  let letters = Math.max(field.name.length + HEAD_EXTRA_LETTERS, (field.dbType ?? field.type).length);
  for (let row = 0; row < Math.min(JUDGED_ROWS, sample.rowCount); row += 1) {
    letters = Math.max(letters, toCellText(sample.at(row, index), field).length);
  }
  return Math.round(Math.min(WIDTH_PX.max, Math.max(COLUMN_PX.min, letters * WIDTH_PX.perLetter + WIDTH_PX.padding)));
}
