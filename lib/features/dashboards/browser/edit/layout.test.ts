// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GRID_COLUMNS } from "@/lib/features/dashboards/browser/dashboard-grid";
import { firstGap, inReadingOrder, MOVES, move, moveTo, type Placed, SIZES, settle, size } from "./layout";

const at = (id: string, x: number, y: number, w: number, h: number): Placed => ({ id, layout: { x, y, w, h } });
/** Draws one letter per cell and one line per row: "." is free. */
const draw = (placed: readonly Placed[]) => {
  const rows = Math.max(0, ...placed.map(({ layout: { y, h } }) => y + h));
  const cells = Array.from({ length: rows }, () => Array.from({ length: GRID_COLUMNS }, () => "."));
  for (const { id, layout } of placed)
    for (let y = layout.y; y < layout.y + layout.h; y++)
      for (let x = layout.x; x < layout.x + layout.w; x++) {
        const row = cells[y];
        if (row) row[x] = row[x] === "." ? id : "#";
      }
  return cells.map((row) => row.join(""));
};
const PAGE = [at("a", 0, 0, 6, 2), at("b", 6, 0, 6, 2), at("c", 0, 2, 12, 2)];

describe("the positions of widgets", () => {
  it("are within the columns, without overlap or gaps", () => {
    const wild = [at("a", 0, 7, 30, 2), at("b", 10, 0, 6, 2), at("c", 10, 0, 4, 2)];
    expect(draw(settle(wild))).toEqual([
      "......bbbbbb",
      "......bbbbbb",
      "........cccc",
      "........cccc",
      "aaaaaaaaaaaa",
      "aaaaaaaaaaaa",
    ]);
  });

  it("change by a step and push others away", () => {
    expect(draw(move(PAGE, "a", "down"))).toEqual([
      "......bbbbbb",
      "......bbbbbb",
      "cccccccccccc",
      "cccccccccccc",
      "aaaaaa......",
      "aaaaaa......",
    ]);
    expect(draw(move(PAGE, "c", "up"))).toEqual(["cccccccccccc", "cccccccccccc", "aaaaaabbbbbb", "aaaaaabbbbbb"]);
    expect(draw(move(PAGE, "c", "top"))).toEqual(draw(move(PAGE, "c", "up")));
    const right = move(PAGE, "a", "right");
    expect(right.find(({ id }) => id === "a")?.layout.x).toBe(1);
    expect(draw(right).join("")).not.toContain("#");
  });

  it("are unchanged if there is no room", () => {
    expect(move(PAGE, "a", "left")).toBe(PAGE);
    expect(move(PAGE, "b", "right")).toBe(PAGE);
    expect(move(PAGE, "a", "up")).toBe(PAGE);
    expect(move(PAGE, "c", "down")).toBe(PAGE);
    expect(move(PAGE, "c", "bottom")).toBe(PAGE);
    expect(move(PAGE, "nobody", "up")).toBe(PAGE);
    expect(moveTo(PAGE, "a", 0, 0)).toBe(PAGE);
    expect(size(PAGE, "c", "wider")).toBe(PAGE);
    expect(size([at("a", 0, 0, 2, 2)], "a", "narrower")).toEqual([at("a", 0, 0, 2, 2)]);
  });

  it("grow and shrink by a step, to the left at the right edge, and to the full width", () => {
    expect(draw(size(PAGE, "a", "wider"))).toEqual([
      "aaaaaaa.....",
      "aaaaaaa.....",
      "......bbbbbb",
      "......bbbbbb",
      "cccccccccccc",
      "cccccccccccc",
    ]);
    expect(size(PAGE, "b", "wider")[1]?.layout).toMatchObject({ x: 5, w: 7 });
    expect(size(PAGE, "b", "taller")[1]?.layout.h).toBe(3);
    expect(size(PAGE, "b", "whole")[1]?.layout).toMatchObject({ x: 0, w: 12 });
  });

  it("of a new one are the first gap, otherwise the bottom", () => {
    expect(firstGap([at("a", 0, 0, 6, 4)], { w: 6, h: 4 })).toEqual({ x: 6, y: 0, w: 6, h: 4 });
    expect(firstGap(PAGE, { w: 3, h: 2 })).toEqual({ x: 0, y: 4, w: 3, h: 2 });
    expect(firstGap([], { w: 3, h: 2 })).toEqual({ x: 0, y: 0, w: 3, h: 2 });
  });

  it("are read from top to bottom, left to right", () => {
    expect(inReadingOrder([PAGE[2], PAGE[1], PAGE[0]].filter((each) => !!each)).map(({ id }) => id)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("never overlap or leave the page after any operation", () => {
    const layout = fc.record({
      x: fc.nat(40),
      y: fc.nat(30),
      w: fc.integer({ min: 1, max: 40 }),
      h: fc.integer({ min: 1, max: 9 }),
    });
    const page = fc.array(layout, { minLength: 1, maxLength: 12 });
    const steps = fc.array(fc.tuple(fc.nat(11), fc.constantFrom(...MOVES, ...SIZES)), { maxLength: 12 });
    fc.assert(
      fc.property(page, steps, (layouts, done) => {
        let placed: readonly Placed[] = settle(layouts.map((each, index) => ({ id: String(index), layout: each })));
        for (const [index, step] of done) {
          const id = String(index % placed.length);
          placed = (MOVES as readonly string[]).includes(step)
            ? move(placed, id, step as (typeof MOVES)[number])
            : size(placed, id, step as (typeof SIZES)[number]);
        }
        expect(draw(placed).join("")).not.toContain("#");
        for (const { layout: each } of placed) {
          expect(each.x).toBeGreaterThanOrEqual(0);
          expect(each.x + each.w).toBeLessThanOrEqual(GRID_COLUMNS);
          expect(each.y).toBeGreaterThanOrEqual(0);
        }
        expect(settle(placed)).toEqual(placed);
      }),
      { numRuns: 1000 },
    );
  });
});
