import { type Drawing, px, type Shape } from "@/lib/base/charts/shapes";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { cutTo } from "@/lib/base/text/text-width";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

/** A step below this height could not be labelled. */
const STEP_PX = 26;
const LABEL_PART = 0.3;
const VALUE_PX = 116;

/** Draws the steps of a funnel, each as a part of the first. */
export function layOutFunnel(
  spec: Readonly<Record<string, unknown>>,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
  { width, height }: { width: number; height: number },
  look: CellLook,
): Drawing | null {
  const [step, amount] = [data.fields[0], data.fields.at(-1)];
  if (!step || !amount || step === amount) return null;
  const formats = readFormats(spec);
  const room = Math.max(1, Math.floor(height / STEP_PX));
  const isCut = data.rows.length > room;
  const rows = data.rows.slice(0, isCut ? room - 1 : room);
  const slot = height / (rows.length + (isCut ? 1 : 0));
  const values = rows.map((row) => Math.max(0, Number(row[amount.name] ?? 0)) || 0);
  const first = values[0] ?? 0;
  const most = Math.max(...values, 0) || 1;
  const labelPx = Math.min(180, width * LABEL_PART);
  const plot = Math.max(20, width - labelPx - VALUE_PX - 16);
  const middle = labelPx + 8 + plot / 2;
  const shapes: Shape[] = [];
  const words: string[] = [];
  for (const [row, values_] of rows.entries()) {
    const value = values[row] ?? 0;
    const next = values[row + 1] ?? value;
    const name = formatValue(values_[step.name] ?? null, step, formats[step.name], look);
    const shown = formatValue(values_[amount.name] ?? null, amount, formats[amount.name], look);
    const share = first === 0 ? "" : `${Math.round((value / first) * 100)}%`;
    const before = row === 0 ? null : (values[row - 1] ?? 0);
    const kept = before === null || before === 0 ? "" : `, ${Math.round((value / before) * 100)}% of the step before`;
    const title = `${name}: ${shown}${share === "" ? "" : ` (${share} of the first${kept})`}`;
    const y = row * slot;
    const half = (value / most) * (plot / 2);
    const bar = Math.min(slot * 0.72, 44);
    const top = y + (slot - bar) / 2;
    shapes.push({
      kind: "rect",
      x: middle - half,
      y: top,
      width: 2 * half,
      height: bar,
      radius: 2,
      fill: 0,
      row,
      title,
    });
    if (row < rows.length - 1) {
      const to = (next / most) * (plot / 2);
      const foot = top + slot;
      const d = `M${px(middle - half)} ${px(top + bar)}L${px(middle + half)} ${px(top + bar)}L${px(middle + to)} ${px(foot)}L${px(middle - to)} ${px(foot)}Z`;
      shapes.push({ kind: "path", d, fill: 0, opacity: 0.16 });
    }
    const base = y + slot / 2 + 4;
    shapes.push({ kind: "label", x: 0, y: base, text: cutTo(name, labelPx, 12), size: 12, ink: "ink" });
    shapes.push({
      kind: "label",
      x: width - 44,
      y: base,
      text: cutTo(shown, VALUE_PX - 48, 12),
      size: 12,
      ink: "ink",
      anchor: "end",
    });
    shapes.push({ kind: "label", x: width, y: base, text: share, size: 12, ink: "faint", anchor: "end" });
    words.push(title);
  }
  if (isCut) {
    const more = `${data.rows.length - rows.length} more steps`;
    shapes.push({ kind: "label", x: 0, y: height - slot / 2 + 4, text: more, size: 12, ink: "faint" });
    words.push(more);
  }
  return { shapes, words };
}
