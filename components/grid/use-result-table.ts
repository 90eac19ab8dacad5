"use client";

import {
  columnFilteringFeature, columnResizingFeature, columnSizingFeature, columnVisibilityFeature, createColumnHelper, createFilteredRowModel,
  createSortedRowModel, globalFilteringFeature, rowSortingFeature, tableFeatures, useTable,
} from "@tanstack/react-table"; // biome-ignore format: one look at the whole list
import { useMemo } from "react";
import type { ExecuteAnswer } from "@/lib/api-client";
import { type CellValue, type ResultField, type ResultRow, toCellText, toPlainText } from "@/lib/ui/cell-text";
import { compareCells } from "@/lib/ui/sort-values";

const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  columnSizingFeature,
  columnResizingFeature,
  columnVisibilityFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
});
const helper = createColumnHelper<typeof features, ResultRow>();

const WIDTH_PX = { min: 60, max: 360, perLetter: 7.3, padding: 26 };
/** A column's width is judged by so many of its first values. */
const JUDGED_ROWS = 60;

/** The result as a table: sorted, filtered, with columns that have widths and can be hidden. */
export function useResultTable({ fields, rows }: Pick<ExecuteAnswer, "fields" | "rows">) {
  const columns = useMemo(
    () =>
      helper.columns(
        fields.map((field) =>
          helper.accessor((row) => row[field.name] ?? undefined, {
            id: field.name,
            header: field.name,
            size: judgeWidth(field, rows),
            minSize: WIDTH_PX.min,
            maxSize: 1200,
            // Null is undefined to the table, and stands last in both directions.
            sortUndefined: "last",
            sortDescFirst: false,
            sortFn: (a, b, id) => compareCells(a.getValue<CellValue>(id), b.getValue<CellValue>(id), field),
          }),
        ),
      ),
    [fields, rows],
  );
  const fieldsByName = useMemo(() => new Map(fields.map((field) => [field.name, field])), [fields]);
  return useTable({
    features,
    columns,
    data: rows,
    columnResizeMode: "onChange",
    enableMultiSort: false,
    getColumnCanGlobalFilter: () => true,
    globalFilterFn: (row, id, wanted: string) => {
      const field = fieldsByName.get(id);
      const value = row.getValue<CellValue>(id);
      const needle = wanted.toLowerCase();
      if (field === undefined || value === undefined) return false;
      return (
        toPlainText(value).toLowerCase().includes(needle) || toCellText(value, field).toLowerCase().includes(needle)
      );
    },
  });
}

export type ResultTable = ReturnType<typeof useResultTable>;

/** The width that the head and the first values of a column ask for, in CSS pixels. */
export function judgeWidth(field: ResultField, rows: ResultRow[]): number {
  let letters = Math.max(field.name.length + 2, (field.dbType ?? field.type).length);
  for (const row of rows.slice(0, JUDGED_ROWS)) letters = Math.max(letters, toCellText(row[field.name], field).length);
  return Math.round(Math.min(WIDTH_PX.max, Math.max(WIDTH_PX.min, letters * WIDTH_PX.perLetter + WIDTH_PX.padding)));
}
