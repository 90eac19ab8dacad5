import { toNumber } from "@/lib/base/charts/amount";
import { axisShapes, axisWidth, nameShapes } from "@/lib/base/charts/axis-shapes";
import { rangeOf, toNumberAxis } from "@/lib/base/charts/number-axis";
import { type Drawing, px } from "@/lib/base/charts/shapes";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

/** Names of the five columns that a box is drawn from, in their order. */
export const BOX_COLUMNS = ["min", "q1", "median", "q3", "max"] as const;
const BOX_PX = { least: 14, most: 64, share: 0.6 };
const FOOT_PX = 20;

/** Draws the extremes, quartiles and median of each group. */
export function layOutBox(
  spec: Readonly<Record<string, unknown>>,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
  { width, height }: { width: number; height: number },
  look: CellLook,
): Drawing | null {
  const amounts = BOX_COLUMNS.map((name) => data.fields.find((field) => field.name === name));
  const [group] = data.fields;
  if (!group || amounts.some((field) => field === undefined)) return null;
  const formats = readFormats(spec);
  const hasGroups = group !== amounts[0];
  const all = data.rows.flatMap((row, at) => {
    const five = BOX_COLUMNS.flatMap((name) => toNumber(row[name] ?? null) ?? []);
    return five.length === BOX_COLUMNS.length ? [{ at, row, five }] : [];
  });
  const range = rangeOf(all.flatMap(({ five }) => five));
  if (range === null) return null;
  const axis = toNumberAxis({ ...range, isZero: false });
  const leftPx = axisWidth(axis);
  const plot = { width: width - leftPx, height: height - FOOT_PX - 6 };
  const boxes = all.slice(0, Math.max(1, Math.floor(plot.width / BOX_PX.least)));
  const slot = plot.width / boxes.length;
  const half = Math.max(3, Math.min(BOX_PX.most, slot * BOX_PX.share) / 2);
  const y = (value: number) => px(6 + ((axis.high - value) / (axis.high - axis.low || 1)) * plot.height);
  const shapes = axisShapes(axis, { left: leftPx, width: plot.width, y });
  const words: string[] = [];
  const names = boxes.map(({ row }) =>
    hasGroups ? formatValue(row[group.name] ?? null, group, formats[group.name], look) : "All rows",
  );
  for (const [index, { at, row, five }] of boxes.entries()) {
    const [min = 0, q1 = 0, median = 0, q3 = 0, max = 0] = five;
    const x = leftPx + slot * (index + 0.5);
    const said = BOX_COLUMNS.map((name, i) => {
      const field = amounts[i];
      return `${NAMES[name]} ${field ? formatValue(row[name], field, formats[name] ?? formats[String(spec.column)], look) : ""}`;
    });
    const title = `${names[index]}: ${said.join(", ")}`;
    const stem = `M${px(x)} ${y(max)}V${y(q3)}M${px(x)} ${y(q1)}V${y(min)}M${px(x - half / 2)} ${y(max)}H${px(x + half / 2)}M${px(x - half / 2)} ${y(min)}H${px(x + half / 2)}`;
    shapes.push({ kind: "stroke", d: stem, ink: 0, width: 1.5 });
    shapes.push({
      kind: "rect",
      x: x - half,
      y: y(q3),
      width: 2 * half,
      height: Math.max(1, y(q1) - y(q3)),
      radius: 2,
      fill: 0,
      opacity: 0.35,
      row: at,
      title,
    });
    shapes.push({ kind: "stroke", d: `M${px(x - half)} ${y(median)}H${px(x + half)}`, ink: 0, width: 2.5 });
    words.push(title);
  }
  shapes.push(...nameShapes(names, { left: leftPx, slot, y: height - 4 }));
  if (all.length > boxes.length) words.push(`${all.length - boxes.length} more groups`);
  return { shapes, words };
}

const NAMES = { min: "minimum", q1: "lower quartile", median: "median", q3: "upper quartile", max: "maximum" } as const;
