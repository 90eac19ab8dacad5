import { type Drawing, px, type Shape } from "@/lib/base/charts/shapes";
import { niceSize } from "@/lib/base/charts/steps";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { cutTo, widthOf } from "@/lib/base/text/text-width";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

type Spec = Readonly<Record<string, unknown>>;
type Size = { width: number; height: number };

/** Part of a circle that a gauge takes, from its left to its right end. */
const SWEEP = (4 / 3) * Math.PI;
const RING_PART = 0.2;
const BAR_PX = 14;
/** Size of the labels at the ends of an arc. */
const END_PX = 11;

/** Draws a value as a part of its goal: on an arc, or as a bar. */
export function layOutGauge(
  spec: Spec,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
  size: Size,
  look: CellLook,
): Drawing | null {
  const field = data.fields.at(-1);
  const raw = field && data.rows[0]?.[field.name];
  if (!field || raw === undefined) return null;
  const format = readFormats(spec)[field.name];
  const text = formatValue(raw, field, format, look);
  const value = raw === null ? null : Number(raw);
  const min = toNumber(spec.min) ?? 0;
  const goal = toNumber(spec.goal);
  const max = Math.max(toNumber(spec.max) ?? goal ?? toNiceEnd(value ?? 0), min);
  const part = value === null || max === min ? 0 : Math.min(1, Math.max(0, (value - min) / (max - min)));
  const reached = goal === null || value === null ? null : spec.better === "down" ? value <= goal : value >= goal;
  const fill: Parts["fill"] = reached ? "good" : 0;
  const ends = [min, max].map((each) => formatValue(each, field, format, look));
  const share = goal === null || value === null || goal === 0 ? null : `${Math.round((value / goal) * 100)}%`;
  const against =
    goal === null ? null : `${share === null ? "" : `${share} of `}${formatValue(goal, field, format, look)}`;
  const words = [`${text}${against === null ? "" : ` (${against})`}`];
  const parts = {
    text,
    against,
    part,
    fill,
    ends,
    goalPart: goal === null || max === min ? null : (goal - min) / (max - min),
  };
  return { shapes: spec.mark === "progress" ? toBar(parts, size) : toArc(parts, size), words };
}

type Parts = {
  text: string;
  against: string | null;
  part: number;
  fill: 0 | "good";
  ends: string[];
  /** Place of the goal between the ends; null without one. */
  goalPart: number | null;
};

function toBar({ text, against, part, fill, goalPart }: Parts, { width, height }: Size): Shape[] {
  const size = Math.max(14, Math.min(30, height / 4));
  const top = Math.max(0, (height - size - BAR_PX - 34) / 2);
  const y = top + size + 10;
  return [
    { kind: "label", x: 0, y: top + size, text: cutTo(text, width, size), size, ink: "ink", isBold: true },
    { kind: "rect", x: 0, y, width, height: BAR_PX, radius: BAR_PX / 2, fill: "line" },
    {
      kind: "rect",
      x: 0,
      y,
      width: Math.max(part * width, part > 0 ? BAR_PX : 0),
      height: BAR_PX,
      radius: BAR_PX / 2,
      fill,
    },
    ...(goalPart !== null && goalPart > 0 && goalPart < 1
      ? [
          {
            kind: "stroke",
            d: `M${px(goalPart * width)} ${px(y - 3)}V${px(y + BAR_PX + 3)}`,
            ink: "ink",
            width: 2,
          } as const,
        ]
      : []),
    ...(against === null
      ? []
      : [
          { kind: "label", x: 0, y: y + BAR_PX + 18, text: cutTo(against, width, 12), size: 12, ink: "faint" } as const,
        ]),
  ];
}

function toArc({ text, against, part, fill, ends, goalPart }: Parts, { width, height }: Size): Shape[] {
  const low = Math.cos(SWEEP / 2);
  const radius = Math.max(12, Math.min(width / 2 - 4, (height - 20) / (1 - low)));
  const [x, y] = [width / 2, radius + Math.max(0, (height - 20 - radius * (1 - low)) / 2)];
  const inner = radius * (1 - RING_PART);
  const at = (share: number, r: number) => {
    const angle = -SWEEP / 2 + share * SWEEP;
    return `${px(x + r * Math.sin(angle))} ${px(y - r * Math.cos(angle))}`;
  };
  const ring = (from: number, to: number) => {
    const isLong = (to - from) * SWEEP > Math.PI ? 1 : 0;
    return `M${at(from, radius)}A${px(radius)} ${px(radius)} 0 ${isLong} 1 ${at(to, radius)}L${at(to, inner)}A${px(inner)} ${px(inner)} 0 ${isLong} 0 ${at(from, inner)}Z`;
  };
  const room = 2 * inner * 0.86;
  const size = Math.max(12, Math.min(34, radius * 0.42, (room / Math.max(1, widthOf(text, 1))) * 0.98));
  const foot = y - radius * low + 14;
  const side = radius * Math.sin(SWEEP / 2);
  return [
    { kind: "path", d: ring(0, 1), fill: "line" },
    ...(part > 0 ? [{ kind: "path", d: ring(0, part), fill } as const] : []),
    ...(goalPart !== null && goalPart > 0 && goalPart < 1
      ? [
          {
            kind: "stroke",
            d: `M${at(goalPart, inner - 3)}L${at(goalPart, radius + 3)}`,
            ink: "ink",
            width: 2,
          } as const,
        ]
      : []),
    {
      kind: "label",
      x,
      y: y + size * 0.3,
      text: cutTo(text, room, size),
      size,
      ink: "ink",
      anchor: "middle",
      isBold: true,
    },
    ...(against === null
      ? []
      : [
          {
            kind: "label",
            x,
            y: y + size * 0.3 + 18,
            text: cutTo(against, room, 12),
            size: 12,
            ink: "faint",
            anchor: "middle",
          } as const,
        ]),
    ...ends.map((end, index): Shape => {
      const shown = cutTo(end, width / 2 - 4, END_PX);
      const half = widthOf(shown, END_PX) / 2;
      // Below its end of the arc, but within the width.
      const middle = Math.min(width - half, Math.max(half, index === 0 ? x - side : x + side));
      return { kind: "label", x: px(middle), y: foot, text: shown, size: END_PX, ink: "faint", anchor: "middle" };
    }),
  ];
}

function toNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function toNiceEnd(value: number): number {
  return value <= 0 ? 1 : niceSize(value);
}
