import type { Layout } from "@/lib/features/dashboards/schema";

/** Columns of a dashboard on a wide screen; a cell is as high as its row unit (docs/develop/design.md, Layout). */
export const GRID_COLUMNS = 12;

/**
 * Returns the positions of widgets as drawn: inside the columns, without overlaps, and as far up as the widgets above
 * allow. Stored positions may overlap, since two users may have moved two widgets.
 * @returns from top to bottom, row by row, which is also the reading order
 */
export function placeWidgets<W extends { layout: Layout }>(widgets: readonly W[]): W[] {
  const placed: W[] = [];
  for (const widget of [...widgets].sort(byPlace)) {
    const w = Math.min(widget.layout.w, GRID_COLUMNS);
    const x = Math.min(widget.layout.x, GRID_COLUMNS - w);
    const { h } = widget.layout;
    const isFree = (y: number) => !placed.some(({ layout }) => isTouching(layout, { x, y, w, h }));
    const bottom = Math.max(0, ...placed.map(({ layout }) => layout.y + layout.h));
    let y = Math.min(widget.layout.y, bottom);
    while (y > 0 && isFree(y) && isFree(y - 1)) y -= 1;
    while (!isFree(y)) y += 1;
    placed.push({ ...widget, layout: { x, y, w, h } });
  }
  return placed.sort(byPlace);
}

function byPlace(a: { layout: Layout }, b: { layout: Layout }): number {
  return a.layout.y - b.layout.y || a.layout.x - b.layout.x;
}

function isTouching(a: Layout, b: Layout): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
