import { widestOf } from "@/lib/base/text/text-width";

/** Text size of axis labels, in pixels. */
export const LABEL_PX = 12;
/** Minimum gap between neighbouring labels: two dates without a space read as one word. */
export const LABEL_GAP_PX = 12;
/** Maximum width of a name below a plot; longer ones are cut. */
const NAME_MAX_PX = 120;
/** Few names are cut to this width before one of them is left out. */
const FEW = { count: 6, px: 72 };
/** Maximum number of labels on an axis; more are hard to scan. */
const LABELS_MAX = 16;

/**
 * Returns n so that labels at every nth position, from the first, keep their gap. A label at an end of the axis is
 * moved inwards, as the drawing does.
 * @param xs positions along the axis in ascending order, in pixels
 * @param labelPx width of the widest label
 * @param plotPx length of the axis
 */
export function findLabelStep(xs: readonly number[], labelPx: number, plotPx: number): number {
  const centres = xs.map((x) => Math.max(labelPx / 2, Math.min(plotPx - labelPx / 2, x)));
  const fits = (nth: number) => {
    for (let at = nth; at < centres.length; at += nth) {
      if ((centres[at] ?? 0) - (centres[at - nth] ?? 0) < labelPx + LABEL_GAP_PX) return false;
    }
    return true;
  };
  let nth = Math.max(1, Math.ceil(xs.length / LABELS_MAX));
  while (nth < xs.length && !fits(nth)) nth++;
  return nth;
}

/** Returns the width that names below a plot need: that of the widest, up to a limit. @param size text size in pixels */
export function nameWidth(names: readonly string[], size: number): number {
  return Math.min(names.length <= FEW.count ? FEW.px : NAME_MAX_PX, widestOf(names, size));
}

/** Returns which of equally wide places have their name below, every nth, and the width in pixels for each name. */
export function fitNames(names: readonly string[], plotPx: number): { nth: number; limit: number } {
  const slot = plotPx / Math.max(1, names.length);
  const nth = Math.max(1, Math.ceil((nameWidth(names, LABEL_PX) + LABEL_GAP_PX) / slot));
  return { nth, limit: Math.min(NAME_MAX_PX, Math.max(1, Math.floor(nth * slot) - LABEL_GAP_PX)) };
}
