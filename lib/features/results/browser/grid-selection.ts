/** Position of a cell in the shown rows and columns; row -1 is the header. */
export type CellPosition = { row: number; column: number };
/** A rectangle of cells: `anchor` is the fixed start of the selection, `head` moves. */
export type CellRange = { anchor: CellPosition; head: CellPosition };
export type Bounds = { top: number; bottom: number; left: number; right: number };

export function toBounds({ anchor, head }: CellRange): Bounds {
  return {
    top: Math.min(anchor.row, head.row),
    bottom: Math.max(anchor.row, head.row),
    left: Math.min(anchor.column, head.column),
    right: Math.max(anchor.column, head.column),
  };
}

export function isInside({ top, bottom, left, right }: Bounds, row: number, column: number): boolean {
  return row >= top && row <= bottom && column >= left && column <= right;
}

export function countCells({ top, bottom, left, right }: Bounds): number {
  return (bottom - top + 1) * (right - left + 1);
}

export type GridKey = { key: string; isMod: boolean; isShift: boolean };
export type GridSize = { rows: number; columns: number; page: number };

/**
 * Returns the selection after a key. Arrows move, with Cmd or Ctrl to the edge; Shift extends; Space selects the row,
 * Cmd+A all.
 * @param size number of rows and columns, and rows per page
 * @returns null for keys without a function here
 */
export function moveSelection(range: CellRange, { key, isMod, isShift }: GridKey, size: GridSize): CellRange | null {
  const lastRow = size.rows - 1;
  const lastColumn = size.columns - 1;
  const { head } = range;
  if (isMod && key.toLowerCase() === "a") {
    return { anchor: { row: 0, column: 0 }, head: { row: Math.max(0, lastRow), column: lastColumn } };
  }
  if (key === " ") return { anchor: { row: head.row, column: 0 }, head: { row: head.row, column: lastColumn } };
  const target = toTarget(head, key, isMod, lastRow, lastColumn, size.page);
  if (target === null) return null;
  // A column header can be focused, but is never part of a range.
  const top = isShift ? 0 : -1;
  const next = { row: clamp(target.row, Math.min(top, lastRow), lastRow), column: clamp(target.column, 0, lastColumn) };
  return isShift && range.anchor.row >= 0 ? { anchor: range.anchor, head: next } : { anchor: next, head: next };
}

function toTarget(
  { row, column }: CellPosition,
  key: string,
  isMod: boolean,
  lastRow: number,
  lastColumn: number,
  page: number,
): CellPosition | null {
  switch (key) {
    case "ArrowDown":
      return { row: isMod ? lastRow : row + 1, column };
    case "ArrowUp":
      return { row: isMod && row > 0 ? 0 : row - 1, column };
    case "ArrowRight":
      return { row, column: isMod ? lastColumn : column + 1 };
    case "ArrowLeft":
      return { row, column: isMod ? 0 : column - 1 };
    case "Home":
      return { row: isMod ? 0 : row, column: 0 };
    case "End":
      return { row: isMod ? lastRow : row, column: lastColumn };
    case "PageDown":
      return { row: row + page, column };
    case "PageUp":
      return { row: Math.max(0, row - page), column };
    default:
      return null;
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
