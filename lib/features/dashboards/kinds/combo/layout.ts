import { toNumber } from "@/lib/base/charts/amount";
import { axisShapes, axisWidth, nameShapes, rightAxisShapes } from "@/lib/base/charts/axis-shapes";
import { type NumberAxis, rangeOf, toNumberAxis } from "@/lib/base/charts/number-axis";
import { type Drawing, px, type Shape } from "@/lib/base/charts/shapes";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { cutTo, widthOf } from "@/lib/base/text/text-width";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

const PLACE_PX = 6;
const FOOT_PX = 20;
const HEAD_PX = 22;
const BAR = { share: 0.7, most: 48 };

/** Draws the last measure as a line with an axis at the right, and the others as bars. */
export function layOutCombo(
  spec: Readonly<Record<string, unknown>>,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
  { width, height }: { width: number; height: number },
  look: CellLook,
): Drawing | null {
  const [across, ...measures] = data.fields;
  const line = measures.at(-1);
  const bars = measures.slice(0, -1);
  if (!across || !line || bars.length === 0) return null;
  const formats = readFormats(spec);
  const textOf = (row: ResultRow, field: ResultField) =>
    formatValue(row[field.name] ?? null, field, formats[field.name], look);
  const rows = data.rows.slice(0, Math.max(1, Math.floor(width / PLACE_PX)));
  const left = toAxis(rows, bars, true);
  const right = toAxis(rows, [line], false);
  const [leftPx, rightPx] = [axisWidth(left), axisWidth(right)];
  const plot = { width: Math.max(10, width - leftPx - rightPx), height: Math.max(10, height - HEAD_PX - FOOT_PX) };
  const at = ({ low, high }: NumberAxis, value: number) =>
    px(HEAD_PX + ((high - value) / (high - low || 1)) * plot.height);
  const slot = plot.width / rows.length;
  const group = Math.min(BAR.most, slot * BAR.share);
  const shapes: Shape[] = [
    ...legend([...bars, line], bars.length, width),
    ...axisShapes(left, { left: leftPx, width: plot.width, y: (tick) => at(left, tick) }),
    ...rightAxisShapes(right, { right: leftPx + plot.width, y: (tick) => at(right, tick) }),
  ];
  const words: string[] = [];
  const names = rows.map((row) => textOf(row, across));
  let path = "";
  for (const [index, row] of rows.entries()) {
    const middle = leftPx + slot * (index + 0.5);
    const title = `${names[index]}: ${measures.map((field) => `${field.name} ${textOf(row, field)}`).join(", ")}`;
    words.push(title);
    for (const [i, field] of bars.entries()) {
      const value = toNumber(row[field.name] ?? null);
      if (value === null) continue;
      const [y, zero] = [at(left, value), at(left, 0)];
      const box = { x: middle - group / 2 + (i * group) / bars.length, y: Math.min(y, zero) };
      const size = { width: Math.max(1, group / bars.length - 1), height: Math.abs(zero - y) };
      shapes.push({ kind: "rect", ...box, ...size, radius: 1, fill: i, row: index, title });
    }
    const value = toNumber(row[line.name] ?? null);
    path += value === null ? "" : `${path === "" || path.endsWith(" ") ? "M" : "L"}${px(middle)} ${at(right, value)}`;
    if (value === null) path += " ";
  }
  shapes.push(...nameShapes(names, { left: leftPx, slot, y: height - 4 }));
  shapes.push({ kind: "stroke", d: path, ink: bars.length, width: 2 });
  if (rows.length <= 40) {
    for (const [index, row] of rows.entries()) {
      const value = toNumber(row[line.name] ?? null);
      if (value === null) continue;
      const title = words[index] ?? "";
      shapes.push({
        kind: "dot",
        x: leftPx + slot * (index + 0.5),
        y: at(right, value),
        r: 3,
        fill: bars.length,
        row: index,
        title,
      });
    }
  }
  return { shapes, words };
}

function toAxis(rows: readonly ResultRow[], fields: readonly ResultField[], isZero: boolean): NumberAxis {
  const values = rows.flatMap((row) => fields.flatMap(({ name }) => toNumber(row[name] ?? null) ?? []));
  return toNumberAxis({ ...(rangeOf(values) ?? { low: 0, high: 0 }), isZero });
}

function legend(fields: readonly ResultField[], lineAt: number, width: number): Shape[] {
  let x = 0;
  return fields.flatMap((field, at): Shape[] => {
    const text = `${cutTo(field.name, 140, 12)}${at === lineAt ? " (right)" : ""}`;
    const from = x;
    x += 14 + widthOf(text, 12) + 14;
    if (x > width + 14) return [];
    const sign: Shape =
      at === lineAt
        ? { kind: "stroke", d: `M${px(from)} 6H${px(from + 10)}`, ink: at, width: 2 }
        : { kind: "rect", x: from, y: 1, width: 9, height: 9, radius: 2, fill: at };
    return [sign, { kind: "label", x: from + 14, y: 10, text, size: 12, ink: "quiet" }];
  });
}
