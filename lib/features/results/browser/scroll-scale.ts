/**
 * Browsers cap an element's height, some at 17 million pixels; a million rows are 28 million. A taller content gets a
 * track of this height, and the places on the track stand for places in the content.
 */
export const TRACK_PX_MAX = 8_000_000;

/** All in CSS pixels: the height of all rows, and of the part that is seen. */
export type ScrollScale = { contentPx: number; viewPx: number };

export function toTrackPx({ contentPx }: ScrollScale): number {
  return Math.min(contentPx, TRACK_PX_MAX);
}

/** How far the content can be scrolled at the most. */
export function toTopMax({ contentPx, viewPx }: ScrollScale): number {
  return Math.max(0, contentPx - viewPx);
}

/** The scroll position that stands for a place in the content. */
export function toTrack(scale: ScrollScale, top: number): number {
  const max = toTopMax(scale);
  if (max === 0) return 0;
  return Math.round((clamp(top, max) / max) * Math.max(0, toTrackPx(scale) - scale.viewPx));
}

/** The place in the content that a scroll position stands for. */
export function fromTrack(scale: ScrollScale, at: number): number {
  const trackMax = Math.max(0, toTrackPx(scale) - scale.viewPx);
  return trackMax === 0 ? 0 : clamp((at / trackMax) * toTopMax(scale), toTopMax(scale));
}

/**
 * Where the content stands after the scroll position went from one place to another. A short way, as of a wheel or a
 * finger, moves the content as far as the position; a long one, as of a dragged thumb, goes to what the position means.
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
