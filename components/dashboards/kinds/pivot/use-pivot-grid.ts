import { type KeyboardEvent, useRef, useState } from "react";

const PAGE_LINES = 10;

export type PivotPlace = { line: number; column: number };
type Keys = {
  onRows: (place: PivotPlace) => void;
  onFilter: (place: PivotPlace) => void;
  onToggle: (place: PivotPlace) => void;
  onMenu: (place: PivotPlace, cell: Element) => void;
};

/** Moves the focus over the cells of a table by the keyboard. Tab reaches one of them. */
export function usePivotGrid(lineCount: number, columnCount: number, keys: Keys) {
  const gridRef = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<PivotPlace>({ line: 0, column: 0 });
  // Filters remove lines and columns.
  const reached = { line: Math.min(at.line, lineCount - 1), column: Math.min(at.column, columnCount - 1) };
  const focus = (line: number, column: number) => {
    const cells = [...(gridRef.current?.querySelectorAll<HTMLElement>("[data-line]") ?? [])];
    const to = {
      line: Math.min(lineCount - 1, Math.max(0, line)),
      column: Math.min(columnCount - 1, Math.max(0, column)),
    };
    // The head of a group spans its columns, and that of a total spans lines.
    const cell = cells.findLast((each) => isIn(each, to));
    cell?.focus();
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const place = toPlace(event.target);
    if (place === null || event.altKey) return;
    const { cell } = place;
    const isModified = event.metaKey || event.ctrlKey;
    const spans = { lines: spanOf(cell, "rowspan"), columns: spanOf(cell, "colspan") };
    const next = toNextPlace(event.key, place, spans, isModified);
    if (next !== null) focus(next.line, next.column);
    else if (isModified) return;
    else if (event.key === "Enter") keys.onRows(place);
    else if (event.key === " ") keys.onToggle(place);
    else if (event.key === "f" || event.key === "F") keys.onFilter(place);
    else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) keys.onMenu(place, cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** Returns the properties of a cell. */
  const cellProps = (line: number, column: number) => ({
    "data-line": line,
    "data-column": column,
    tabIndex: reached.line === line && reached.column === column ? 0 : -1,
    onFocus: () => setAt({ line, column }),
  });
  return { gridRef, onKeyDown, cellProps };
}

/** Returns the place that a key moves to, maybe beyond the table; null for any other key. */
function toNextPlace(
  key: string,
  { line, column }: PivotPlace,
  spans: { lines: number; columns: number },
  isModified: boolean,
): PivotPlace | null {
  switch (key) {
    case "ArrowUp":
      return { line: line - 1, column };
    case "ArrowDown":
      return { line: line + spans.lines, column };
    case "ArrowLeft":
      return { line, column: column - 1 };
    case "ArrowRight":
      return { line, column: column + spans.columns };
    case "Home":
      return { line: isModified ? 0 : line, column: 0 };
    case "End":
      return { line: isModified ? Number.POSITIVE_INFINITY : line, column: Number.POSITIVE_INFINITY };
    case "PageDown":
      return { line: line + PAGE_LINES, column };
    case "PageUp":
      return { line: line - PAGE_LINES, column };
    default:
      return null;
  }
}

/** Returns the place of the cell that an event comes from. */
export function toPlace(target: EventTarget | null): (PivotPlace & { cell: HTMLElement }) | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;
  return cell && { cell, line: Number(cell.dataset.line), column: Number(cell.dataset.column) };
}

function isIn(cell: HTMLElement, { line, column }: PivotPlace): boolean {
  const from = { line: Number(cell.dataset.line), column: Number(cell.dataset.column) };
  return (
    line >= from.line &&
    line < from.line + spanOf(cell, "rowspan") &&
    column >= from.column &&
    column < from.column + spanOf(cell, "colspan")
  );
}

function spanOf(cell: Element, name: "rowspan" | "colspan"): number {
  return Number(cell.getAttribute(name) ?? 1);
}
