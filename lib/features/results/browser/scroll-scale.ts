/**
 * Maximum height of the track. Browsers cap an element's height, some at 17 million pixels; a million rows are 28
 * million. Taller content gets a track of this height, and track positions map to content positions.
 */
export const TRACK_PX_MAX = 8_000_000;

/** Heights of all rows and of the visible part, in CSS pixels. */
export type ScrollScale = { contentPx: number; viewPx: number };

export function toTrackPx({ contentPx }: ScrollScale): number {
  return Math.min(contentPx, TRACK_PX_MAX);
}

/** Returns the maximum scroll offset of the content. */
export function toTopMax({ contentPx, viewPx }: ScrollScale): number {
  return Math.max(0, contentPx - viewPx);
}

/** Converts a content position to a scroll position. */
export function toTrack(scale: ScrollScale, top: number): number {
  const max = toTopMax(scale);
  if (max === 0) return 0;
  return Math.round((clamp(top, max) / max) * Math.max(0, toTrackPx(scale) - scale.viewPx));
}

/** Converts a scroll position to a content position. */
export function fromTrack(scale: ScrollScale, at: number): number {
  const trackMax = Math.max(0, toTrackPx(scale) - scale.viewPx);
  return trackMax === 0 ? 0 : clamp((at / trackMax) * toTopMax(scale), toTopMax(scale));
}

/**
 * Returns the content position after a scroll. A short move, as of a wheel or a finger, scrolls the content by the same
 * distance; a long one, as of a dragged thumb, goes to the mapped position.
 */
export function followScroll(scale: ScrollScale, top: number, was: number, at: number): number {
  if (toTrackPx(scale) === scale.contentPx) return at;
  const moved = at - was;
  const isShort = Math.abs(moved) <= 2 * scale.viewPx;
  return isShort ? clamp(top + moved, toTopMax(scale)) : fromTrack(scale, at);
}

function clamp(top: number, max: number): number {
  return Math.min(max, Math.max(0, top));
}
