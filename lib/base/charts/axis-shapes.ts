import { findLabelStep, LABEL_GAP_PX, nameWidth } from "@/lib/base/charts/axis-labels";
import type { NumberAxis } from "@/lib/base/charts/number-axis";
import { px, type Shape } from "@/lib/base/charts/shapes";
import { cutTo, widestOf, widthOf } from "@/lib/base/text/text-width";

/** Text size of axes. */
const SIZE = 11;
/** Between a label and its plot. */
const GAP_PX = 8;

/** Returns the width of a numeric axis beside its plot, in pixels. */
export function axisWidth({ labels }: NumberAxis): number {
  return widestOf(labels, SIZE) + GAP_PX + 2;
}

/** Returns the lines of a numeric axis over its plot, with their labels at the left. @param y position of a tick */
export function axisShapes(
  { ticks, labels }: NumberAxis,
  { left, width, y }: { left: number; width: number; y: (tick: number) => number },
): Shape[] {
  return ticks.flatMap((tick, at): Shape[] => [
    { kind: "stroke", d: `M${px(left)} ${y(tick)}H${px(left + width)}`, ink: "line", width: 1 },
    {
      kind: "label",
      x: left - GAP_PX,
      y: y(tick) + 4,
      text: labels[at] ?? "",
      size: SIZE,
      ink: "faint",
      anchor: "end",
    },
  ]);
}

/** Returns the labels of a numeric axis at the right of its plot. */
export function rightAxisShapes(
  { ticks, labels }: NumberAxis,
  { right, y }: { right: number; y: (tick: number) => number },
): Shape[] {
  return ticks.map((tick, at): Shape => {
    return { kind: "label", x: right + GAP_PX, y: y(tick) + 4, text: labels[at] ?? "", size: SIZE, ink: "faint" };
  });
}

/** Returns the names of equally wide places below a plot: as many as there is room for, within the drawing. */
export function nameShapes(
  names: readonly string[],
  { left, slot, y }: { left: number; slot: number; y: number },
): Shape[] {
  const end = left + slot * names.length;
  const centres = names.map((_, at) => left + slot * (at + 0.5));
  const namePx = Math.min(end, nameWidth(names, SIZE));
  const nth = findLabelStep(centres, namePx, end);
  const room = nth === 1 ? Math.max(namePx, slot - LABEL_GAP_PX) : namePx;
  return names.flatMap((name, at): Shape[] => {
    if (at % nth !== 0) return [];
    const text = cutTo(name, room, SIZE);
    const half = widthOf(text, SIZE) / 2;
    const x = Math.max(half, Math.min(end - half, centres[at] ?? 0));
    return [{ kind: "label", x, y, text, size: SIZE, ink: "faint", anchor: "middle" }];
  });
}
