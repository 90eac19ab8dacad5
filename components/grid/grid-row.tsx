// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
"use client";

import { memo } from "react";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { type CellLook, toPadding, toShownText } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toPlainText } from "@/lib/features/results/browser/cell-text";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";

/** Maximum number of characters shown in a cell; the inspector shows the whole value. */
const SHOWN_LETTERS_MAX = 400;
/** The same for the old value of a changed cell. */
const OLD_LETTERS_MAX = 40;

/** A column with its position: `left` is relative to the row, or to the viewport for a pinned column. */
export type PlacedColumn = GridColumn & { place: number; left: number };

type GridRowProps = {
  baseId: string;
  source: RowsSource;
  /** Changes with the order of the rows and when rows arrive; cells are then read again. */
  edition: number;
  row: number;
  y: number;
  width: number;
  indexWidth: number;
  look: CellLook;
  columns: PlacedColumn[];
  /** First and last selected column in this row, inclusive; -1 for none. */
  selectedFrom: number;
  selectedTo: number;
  activePlace: number;
  /** Tests of the columns that are searched, by their index; null without a search. */
  hits: CellTests | null;
};
export type CellTests = ReadonlyMap<number, (value: CellValue) => boolean>;

/** One row. Rendered again only when its own props change: scrolling moves it without rendering. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { baseId, source, row, y, width, indexWidth, look, columns, selectedFrom, selectedTo, activePlace } = props;
  const { hits } = props;
  const rowMark = source.mark?.(row) ?? null;
  return (
    <div
      className={rowMark === null ? "rg-row" : `rg-row ${rowMark.className}`}
      role="row"
      aria-rowindex={row + 2}
      style={{ transform: `translateY(${y}px)`, width, height: "var(--h-row)" }}
    >
      <div
        className="rg-index"
        role="rowheader"
        aria-colindex={1}
        style={{ width: indexWidth }}
        data-row={row}
        data-column={-1}
      >
        {rowMark?.sign ?? row + 1}
      </div>
      {columns.map(({ index, field, place, left, width, isPinned, scale }) => {
        const value = source.cell(row, index);
        const shown = value === undefined || value === null ? "" : toShownText(value, field, look);
        const isSelected = place >= selectedFrom && place <= selectedTo;
        let className = "rg-td";
        if (isNumericField(field)) className += " r";
        if (isPinned) className += " pin";
        if (value === null) className += " null";
        // Drawn by CSS alone: a row that is scrolled past creates no elements.
        if (value === undefined) className += " wait";
        if (value !== undefined && hits?.get(index)?.(value)) className += " hit";
        const mark = rowMark?.cell(index) ?? null;
        if (mark !== null) className += ` ${mark.className}`;
        if (isSelected) className += " sel";
        if (place === activePlace) className += " cur";
        const was = mark?.was === undefined ? undefined : toWasText(mark.was, field, look);
        return (
          <div
            key={index}
            id={`${baseId}-${row}-${place}`}
            role="gridcell"
            aria-colindex={place + 2}
            aria-selected={isSelected}
            className={className}
            style={{ left, width }}
            title={was === undefined ? toTitle(value, shown) : `Was ${was.slice(0, SHOWN_LETTERS_MAX)}`}
            data-row={row}
            data-column={place}
          >
            {was !== undefined && <s>{was.slice(0, OLD_LETTERS_MAX)}</s>}
            {mark?.substitute ?? (value === null ? "null" : shown.slice(0, SHOWN_LETTERS_MAX))}
            {toPadding(shown, field, scale)}
          </div>
        );
      })}
    </div>
  );
});

function toWasText(was: CellValue, field: ResultField, look: CellLook): string {
  return was === null ? "null" : toShownText(was, field, look);
}

/** Returns the exact value if the cell shows it in another form. */
function toTitle(value: CellValue | undefined, shown: string): string | undefined {
  if (value === undefined || value === null || typeof value === "object") return undefined;
  const exact = toPlainText(value);
  return exact === shown ? undefined : exact;
}
