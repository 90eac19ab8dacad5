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
/** Space in the head for the column's menu, in characters. */
const HEAD_EXTRA_LETTERS = 4;
/** Number of first values from which a column's width is measured. */
const JUDGED_ROWS = 60;
/** The table library manages only columns; the rows are kept elsewhere. */
const NO_ROWS: object[] = [];

/** A column of the grid: `index` is its position in the result's fields. */
export type GridColumn = {
  index: number;
  field: ResultField;
  width: number;
  isPinned: boolean;
  /** Number of decimals by which its numbers are aligned. */
  scale: number;
};

/** Returns the columns of a result: widths, order, hidden and pinned ones. */
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

/** Moves a column to the position of another one; a pinned one stays among the pinned. */
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

/** Returns the width that the head and the first values of a column need, in CSS pixels. */
function judgeWidth(field: ResultField, sample: CellTable, index: number): number {
  let letters = Math.max(field.name.length + HEAD_EXTRA_LETTERS, (field.dbType ?? field.type).length);
  for (let row = 0; row < Math.min(JUDGED_ROWS, sample.rowCount); row += 1) {
    letters = Math.max(letters, toCellText(sample.at(row, index), field).length);
  }
  return Math.round(Math.min(WIDTH_PX.max, Math.max(COLUMN_PX.min, letters * WIDTH_PX.perLetter + WIDTH_PX.padding)));
}
