import type { NumberAxis } from "@/lib/base/charts/number-axis";
import { px, type Shape } from "@/lib/base/charts/shapes";
import { cutTo, widestOf } from "@/lib/base/text/text-width";

/** Text size of axes. */
const SIZE = 11;
/** Between a label and its plot. */
const GAP_PX = 8;
const NAME_MAX_PX = 110;
const NAME_GAP_PX = 12;

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

/** Returns the names of equally wide places below a plot: as many as there is room for. */
export function nameShapes(
  names: readonly string[],
  { left, slot, y }: { left: number; slot: number; y: number },
): Shape[] {
  const namePx = Math.min(NAME_MAX_PX, widestOf(names, SIZE)) + NAME_GAP_PX;
  const nth = Math.max(1, Math.ceil(namePx / slot));
  return names.flatMap((name, at): Shape[] => {
    if (at % nth !== 0) return [];
    const text = cutTo(name, nth * slot, SIZE);
    return [{ kind: "label", x: left + slot * (at + 0.5), y, text, size: SIZE, ink: "faint", anchor: "middle" }];
  });
}
