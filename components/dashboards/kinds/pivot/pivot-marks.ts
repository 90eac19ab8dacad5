import type { ResultField } from "@/lib/base/values/json-rows";
import { isWithin, type PivotHead, type PivotLayout } from "@/lib/features/dashboards/kinds/pivot/layout";
import type { PivotPlace } from "./use-pivot-grid";

/** A head or a cell of the table. */
export type PivotMark = { row: PivotHead | null; column: PivotHead | null; measure: ResultField | null };

/** The visible lines and columns of the table. */
export type PivotGrid = {
  /** Rows outside of closed groups. */
  rows: PivotHead[];
  /** One column for each column head and measure. */
  pairs: { column: PivotHead; measure: ResultField }[];
  /** Number of lines above the rows. */
  headLines: number;
};

/** Returns the lines and columns that the table shows. @param closed keys of the closed groups */
export function toPivotGrid(layout: PivotLayout, closed: ReadonlySet<string>): PivotGrid {
  const { rows, columns, columnFields, measures } = layout;
  const closedHeads = rows.filter(({ key }) => closed.has(key));
  const hasMeasureLine = measures.length > 1 || columnFields.length === 0;
  return {
    rows: rows.filter((row) => !closedHeads.some((head) => isWithin(row, head))),
    pairs: columns.flatMap((column) => measures.map((measure) => ({ column, measure }))),
    headLines: columnFields.length + (hasMeasureLine ? 1 : 0),
  };
}

/** Returns the head or cell at a place of the table. */
export function toPivotMark(
  { rows, pairs, headLines }: PivotGrid,
  { columnFields }: PivotLayout,
  { line, column }: PivotPlace,
): PivotMark {
  const pair = column === 0 ? undefined : pairs[column - 1];
  const isHead = line < headLines;
  const head = pair?.column ?? null;
  return {
    row: isHead ? null : (rows[line - headLines] ?? null),
    // The head of a group has the first values of its columns.
    column: head && line < columnFields.length ? { ...head, values: head.values.slice(0, line + 1) } : head,
    measure: isHead ? null : (pair?.measure ?? null),
  };
}

/** Returns whether rows below a head can be hidden. */
export function isPivotGroup(row: PivotHead): boolean {
  return row.isTotal && row.values.length > 0;
}
