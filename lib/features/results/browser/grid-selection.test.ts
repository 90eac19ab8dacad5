import { describe, expect, it } from "vitest";
import {
  type CellRange,
  countCells,
  isInside,
  moveSelection,
  toBounds,
} from "@/lib/features/results/browser/grid-selection";

const size = { rows: 5, columns: 3, page: 2 };
const at = (row: number, column: number): CellRange => ({ anchor: { row, column }, head: { row, column } });
const press = (range: CellRange, key: string, { mod = false, shift = false } = {}) =>
  moveSelection(range, { key, isMod: mod, isShift: shift }, size);

describe("moveSelection", () => {
  it("moves one cell and stops at the edges", () => {
    expect(press(at(1, 1), "ArrowDown")).toEqual(at(2, 1));
    expect(press(at(4, 2), "ArrowDown")).toEqual(at(4, 2));
    expect(press(at(4, 2), "ArrowRight")).toEqual(at(4, 2));
    expect(press(at(0, 0), "ArrowLeft")).toEqual(at(0, 0));
  });

  it("moves up into the header and down out of it", () => {
    expect(press(at(0, 1), "ArrowUp")).toEqual(at(-1, 1));
    expect(press(at(-1, 1), "ArrowUp")).toEqual(at(-1, 1));
    expect(press(at(-1, 1), "ArrowDown")).toEqual(at(0, 1));
  });

  it("moves to the edge with the command key, and to the first and last column with Home and End", () => {
    expect(press(at(1, 1), "ArrowDown", { mod: true })).toEqual(at(4, 1));
    expect(press(at(3, 1), "ArrowUp", { mod: true })).toEqual(at(0, 1));
    expect(press(at(1, 1), "Home")).toEqual(at(1, 0));
    expect(press(at(1, 1), "End", { mod: true })).toEqual(at(4, 2));
    expect(press(at(1, 1), "PageDown")).toEqual(at(3, 1));
    expect(press(at(1, 1), "PageUp")).toEqual(at(0, 1));
  });

  it("extends with Shift, never into the header", () => {
    const extended = press(at(1, 1), "ArrowUp", { shift: true });
    expect(extended).toEqual({ anchor: { row: 1, column: 1 }, head: { row: 0, column: 1 } });
    expect(extended && press(extended, "ArrowUp", { shift: true })).toEqual(extended);
  });

  it("selects a row with Space and everything with command+A", () => {
    expect(press(at(2, 1), " ")).toEqual({ anchor: { row: 2, column: 0 }, head: { row: 2, column: 2 } });
    expect(press(at(2, 1), "a", { mod: true })).toEqual({ anchor: { row: 0, column: 0 }, head: { row: 4, column: 2 } });
  });

  it("ignores other keys", () => {
    expect(press(at(0, 0), "x")).toBeNull();
  });
});

describe("bounds", () => {
  it("span the rectangle between two corners in any direction", () => {
    const bounds = toBounds({ anchor: { row: 3, column: 2 }, head: { row: 1, column: 0 } });
    expect(bounds).toEqual({ top: 1, bottom: 3, left: 0, right: 2 });
    expect(countCells(bounds)).toBe(9);
    expect(isInside(bounds, 2, 1)).toBe(true);
    expect(isInside(bounds, 4, 1)).toBe(false);
  });
});
