type Point = { x: number; y: number };
type Size = { width: number; height: number };

/** Distance between a tooltip and its target, and between a tooltip and the window's edges, in CSS pixels. */
const GAP_PX = 14;
const EDGE_PX = 8;

/**
 * Returns the position of a tooltip beside a point: on its right, on its left at the window's edge, and above or below
 * it where both are too narrow; never outside of the window.
 */
export function placeTip(point: Point, tip: Size, view: Size): { left: number; top: number } {
  const clamp = (at: number, size: number, room: number) => Math.max(EDGE_PX, Math.min(at, room - size - EDGE_PX));
  const right = point.x + GAP_PX;
  const left = point.x - GAP_PX - tip.width;
  const middle = clamp(point.y - tip.height / 2, tip.height, view.height);
  if (right + tip.width + EDGE_PX <= view.width) return { left: right, top: middle };
  if (left >= EDGE_PX) return { left, top: middle };
  const above = point.y - GAP_PX - tip.height;
  const top = above >= EDGE_PX ? above : clamp(point.y + GAP_PX, tip.height, view.height);
  return { left: clamp(point.x - tip.width / 2, tip.width, view.width), top };
}
