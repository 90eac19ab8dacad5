import type { KeyboardEvent, ReactNode } from "react";
import type { ToStats } from "@/components/grid/column-stats-card";
import type { CellLinks } from "@/components/grid/grid-menu";
import type { GridColumn, ResultTable } from "@/components/grid/use-result-columns";
import type { MenuAction } from "@/components/ui/menu-actions";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";

export type ResultGridProps = {
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
  /** Takes the focus of a grid that it replaces. */
  takesFocus?: boolean;
  /** Computes the statistics of a column. Default: those of the loaded rows. */
  toStats?: ToStats;
  /** Returns the links of a cell and its row; absent without foreign keys. */
  toLinks?: (row: number, column: string) => CellLinks;
  /** Returns actions of a row, first in its menu. */
  toActions?: ((row: number) => readonly MenuAction[]) | undefined;
  /** Absent where rows cannot be edited. */
  editing?: GridEditing | undefined;
};

/** The grid's part of editing rows. */
export type GridEditing = {
  /** Cell under the editor; null while none is edited. */
  at: CellPosition | null;
  editor: ReactNode;
  /** Opens the editor. @returns false for a cell that cannot be edited */
  begin: (cell: CellPosition) => boolean;
  /** @returns whether the key was handled */
  onKey: (event: KeyboardEvent, range: CellRange) => boolean;
  onPaste: (text: string, range: CellRange) => void;
  /** Returns items for the menu of a cell. */
  items: (cell: CellPosition) => ReactNode;
};
