"use client";

import { type PointerEvent, useRef } from "react";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";

/** Returns the cell of an element; column -1 is the row's number. Null outside of the rows. */
export function toCell(target: EventTarget): CellPosition | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return cell === null ? null : { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

/** Returns whether an element takes text: then the clipboard and the keys are its own. */
export function isInput(target: EventTarget): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** Returns the range from a pressed cell to the one under the pointer; a row's number stands for the whole row. */
export function toDragged(anchor: CellPosition | null, pressed: CellPosition, columnCount: number): CellRange {
  const isRow = pressed.column < 0;
  const head = isRow ? { row: pressed.row, column: columnCount - 1 } : pressed;
  return { anchor: anchor ?? (isRow ? { row: pressed.row, column: 0 } : pressed), head };
}

/** Returns handlers that select cells with the mouse. A touch scrolls. */
export function useGridPointer(
  range: CellRange | null,
  onRange: (range: CellRange) => void,
  columnCount: number,
): Pick<React.DOMAttributes<HTMLElement>, "onPointerDown" | "onPointerMove" | "onPointerUp"> {
  const isDragging = useRef(false);
  const stop = () => {
    isDragging.current = false;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      const pressed = toCell(event.target);
      if (pressed === null) return;
      isDragging.current = true;
      onRange(toDragged(event.shiftKey && range ? range.anchor : null, pressed, columnCount));
    },
    onPointerMove: (event: PointerEvent) => {
      if (!isDragging.current || range === null) return;
      if (event.buttons === 0) return stop();
      const entered = toCell(event.target);
      if (entered === null || (entered.row === range.head.row && entered.column === range.head.column)) return;
      onRange(toDragged(range.anchor, entered, columnCount));
    },
    onPointerUp: stop,
  };
}
