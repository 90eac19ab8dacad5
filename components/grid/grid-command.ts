import { isMenuKey } from "@/components/ui/context-menu";
import { type CellRange, moveSelection } from "@/lib/features/results/browser/grid-selection";

/** A key press in a grid. `code` is the key's place on the keyboard. */
export type GridKey = Pick<KeyboardEvent, "key" | "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/** State of a grid that decides what a key does. */
export type GridState = {
  range: CellRange;
  rowCount: number;
  columnCount: number;
  /** Number of rows that Page Down moves by. */
  page: number;
  /** Whether single-letter shortcuts are on; users of speech input turn them off. */
  areLettersOn: boolean;
  /** Whether J and K move like the arrow keys, because a panel shows the active row. */
  isWalking: boolean;
  hasLinks: boolean;
};

/** The effect of a key press, on the active column where it has one. */
export type GridCommand =
  | { kind: "resize" | "move"; step: 1 | -1 }
  | { kind: "pin" | "menu" | "filter" | "followLink" | "sort" | "inspect" }
  | { kind: "select"; range: CellRange };

/** Returns what a key press does in a grid; null for nothing, so that the browser or the page handles it. */
export function toGridCommand(key: GridKey, state: GridState): GridCommand | null {
  const isMod = key.metaKey || key.ctrlKey;
  // Mod+Enter runs the statement, also from the grid.
  if (isMod && key.key === "Enter") return null;
  const { range, columnCount, rowCount } = state;
  const isOnColumn = range.head.column < columnCount;
  const isBare = state.areLettersOn && !isMod && !key.altKey && !key.shiftKey;
  const step = key.key === "ArrowRight" ? 1 : key.key === "ArrowLeft" ? -1 : null;
  if (key.altKey && step !== null && isOnColumn) return { kind: key.shiftKey ? "resize" : "move", step };
  if (key.altKey && key.code === "KeyP" && isOnColumn) return { kind: "pin" };
  if (isMenuKey(key)) return { kind: "menu" };
  if (key.key === "f" && isBare && isOnColumn) return { kind: "filter" };
  if (key.key === "g" && isBare && isOnColumn && range.head.row >= 0 && state.hasLinks) return { kind: "followLink" };
  if (key.key === "Enter" && range.head.row < 0) return { kind: "sort" };
  if (key.key === "Enter" && rowCount > 0) return { kind: "inspect" };
  if (key.altKey) return null;
  const walk = state.isWalking && isBare ? { j: "ArrowDown", k: "ArrowUp" }[key.key] : undefined;
  const size = { rows: rowCount, columns: columnCount, page: state.page };
  const next = moveSelection(range, { key: walk ?? key.key, isMod, isShift: key.shiftKey }, size);
  return next && { kind: "select", range: next };
}
