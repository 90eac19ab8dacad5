import {
  bottom,
  collides,
  correctBounds,
  type LayoutItem,
  moveElement,
  verticalCompactor,
} from "react-grid-layout/core";
import { GRID_COLUMNS, placeWidgets } from "@/lib/features/dashboards/browser/dashboard-grid";
import { widgetsOfTab } from "@/lib/features/dashboards/browser/tabs";
import type { Layout, Widget } from "@/lib/features/dashboards/schema";

/* Layout of widgets on the grid of an edited page: they push others down, and no gaps remain above them. */

const COLUMNS = GRID_COLUMNS;
/** Minimum size: narrower, the title is unreadable; lower, the number is. */
export const SMALLEST = { w: 2, h: 2 };

/** A widget on the grid. */
export type Placed = { id: string; layout: Layout };
export const MOVES = ["left", "right", "up", "down", "top", "bottom"] as const;
export type Move = (typeof MOVES)[number];
export const SIZES = ["wider", "narrower", "taller", "lower", "whole"] as const;
export type Sizing = (typeof SIZES)[number];

/** Returns all widgets inside the columns, without overlaps, and as far up as possible. */
export function settle<T extends Placed>(placed: readonly T[]): T[] {
  return withItems(placed, toItems(placed));
}

/** Settles the widgets that a tab shows. Those of other tabs keep their positions, since each tab is a grid. */
export function settleTab<T extends Placed & Pick<Widget, "tab">>(all: readonly T[], tab: string | null): T[] {
  return replaceWidgets(all, settle(widgetsOfTab(all, tab)));
}

/** Replaces widgets by their changed versions, in the same order, which is also that of the tabs. */
export function replaceWidgets<T extends Placed>(all: readonly T[], changed: readonly T[]): T[] {
  const byId = new Map(changed.map((each) => [each.id, each]));
  return all.map((each) => byId.get(each.id) ?? each);
}

/** Moves a widget by a step; others make room. Returns the same list when it cannot move. */
export function move<T extends Placed>(placed: readonly T[], id: string, where: Move): readonly T[] {
  const of = placed.find((each) => each.id === id)?.layout;
  if (!of) return placed;
  const end = bottom(toItems(placed));
  if (where === "left") return of.x === 0 ? placed : moveTo(placed, id, of.x - 1, of.y);
  if (where === "right") return of.x + of.w >= COLUMNS ? placed : moveTo(placed, id, of.x + 1, of.y);
  if (where === "top") return of.y === 0 ? placed : moveTo(placed, id, of.x, 0);
  if (where === "bottom") return moveTo(placed, id, of.x, end);
  // A widget above or below may be taller than one step: use the first step that leads past it.
  const step = where === "up" ? -1 : 1;
  for (let y = of.y + step; y >= 0 && y <= end; y += step) {
    const next = moveTo(placed, id, of.x, y);
    const now = next.find((each) => each.id === id)?.layout;
    if (now && (now.y - of.y) * step > 0) return next;
  }
  return placed;
}

/** Moves a widget to a position; others make room. */
export function moveTo<T extends Placed>(placed: readonly T[], id: string, x: number, y: number): readonly T[] {
  const items = toItems(placed);
  const item = items.find(({ i }) => i === id);
  if (!item) return placed;
  const inside = Math.max(0, Math.min(x, COLUMNS - item.w));
  const moved = moveElement(items, item, inside, Math.max(0, y), true, false, "vertical", COLUMNS);
  return orSame(placed, withItems(placed, moved));
}

/** Resizes a widget by a step, or to the full width. Returns the same list when it cannot be resized. */
export function size<T extends Placed>(placed: readonly T[], id: string, how: Sizing): readonly T[] {
  const of = placed.find((each) => each.id === id)?.layout;
  if (!of) return placed;
  const { x, w, h } = of;
  if (how === "whole") return orSame(placed, sizeTo(placed, id, { x: 0, w: COLUMNS, h }));
  const width = { wider: w + 1, narrower: w - 1, taller: w, lower: w }[how];
  const height = { wider: h, narrower: h, taller: h + 1, lower: h - 1 }[how];
  // At the right edge it grows to the left.
  return orSame(placed, sizeTo(placed, id, { x: Math.max(0, Math.min(x, COLUMNS - width)), w: width, h: height }));
}

/** Returns the first gap from the top that fits a new widget; without one, the row below all others. */
export function firstGap(placed: readonly Placed[], { w, h }: { w: number; h: number }): Layout {
  const items = toItems(placed);
  const end = bottom(items);
  for (let y = 0; y < end; y++) {
    for (let x = 0; x + w <= COLUMNS; x++) {
      const item = { i: "\u0000new", x, y, w, h };
      if (!items.some((each) => collides(each, item))) return { x, y, w, h };
    }
  }
  return { x: 0, y: end, w, h };
}

/** Returns the widgets in reading order: top to bottom, then left to right. */
export function inReadingOrder<T extends Placed>(placed: readonly T[]): T[] {
  return placed.toSorted((a, b) => a.layout.y - b.layout.y || a.layout.x - b.layout.x);
}

function sizeTo<T extends Placed>(
  placed: readonly T[],
  id: string,
  { x, w, h }: { x: number; w: number; h: number },
): T[] {
  const clamped = { x, w: Math.max(SMALLEST.w, Math.min(w, COLUMNS)), h: Math.max(SMALLEST.h, h) };
  const items = toItems(placed).map((item) => (item.i === id ? { ...item, ...clamped } : item));
  return withItems(placed, items);
}

function toItems(placed: readonly Placed[]): LayoutItem[] {
  const items = placed.map(({ id, layout: { x, y, w, h } }) => ({ i: id, x, y, w: Math.min(w, COLUMNS), h }));
  return verticalCompactor.compact(correctBounds(items, { cols: COLUMNS }), COLUMNS).map((item) => ({ ...item }));
}

function withItems<T extends Placed>(placed: readonly T[], items: readonly LayoutItem[]): T[] {
  // The library may leave overlaps when a widget moves through several; the view never shows them.
  const compact = verticalCompactor
    .compact(items, COLUMNS)
    .map(({ i, x, y, w, h }) => ({ id: i, layout: { x, y, w, h } }));
  const byId = new Map(placeWidgets(compact).map((each) => [each.id, each.layout]));
  return placed.map((each) => {
    const { x, y, w, h } = byId.get(each.id) ?? each.layout;
    const { layout } = each;
    const isSame = x === layout.x && y === layout.y && w === layout.w && h === layout.h;
    return isSame ? each : { ...each, layout: { x, y, w, h } };
  });
}

/** Returns the old list when nothing has moved, so that there is nothing to undo. */
function orSame<T extends Placed>(before: readonly T[], after: readonly T[]): readonly T[] {
  return after.every((each, index) => each === before[index]) ? before : after;
}
