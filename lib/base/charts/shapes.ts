import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

/** A colour by its role: a series' by its index, others by name. */
export type Ink = number | "ink" | "quiet" | "faint" | "line" | "sheet" | "good" | "bad";

type Filled = { fill: Ink; opacity?: number };
/** A shape of a drawing that a page and a picture draw alike; in pixels from the upper left corner. */
export type Shape = (
  | (Filled & { kind: "rect"; x: number; y: number; width: number; height: number; radius?: number })
  | (Filled & { kind: "path"; d: string })
  | { kind: "stroke"; d: string; ink: Ink; width: number; dash?: string }
  | (Filled & { kind: "dot"; x: number; y: number; r: number })
  | {
      kind: "label";
      x: number;
      y: number;
      text: string;
      size: number;
      ink: Ink;
      anchor?: "middle" | "end";
      isBold?: boolean;
    }
) & {
  /** Index of the row that a click on it selects, and its values in words. */
  row?: number;
  /** Further rows that it selects. */
  more?: readonly number[];
  title?: string;
};

/** A drawing with the same in words, one line for each mark. */
export type Drawing = { shapes: Shape[]; words: string[] };

/** Returns a number for a path, without needless digits. */
export function px(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Returns the layout of a drawing; null if its columns do not fit. */
export type LayOut = (
  spec: Readonly<Record<string, unknown>>,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[]; isTruncated?: boolean },
  size: { width: number; height: number },
  look: CellLook,
) => Drawing | null;
