import { toNumber } from "@/lib/base/charts/amount";
import { nameShapes } from "@/lib/base/charts/axis-shapes";
import { rangeOf, toShort } from "@/lib/base/charts/number-axis";
import { toShade } from "@/lib/base/charts/shade";
import type { Drawing, Shape } from "@/lib/base/charts/shapes";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { cutTo, widestOf, widthOf } from "@/lib/base/text/text-width";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";

/** Cells below this size cannot be told apart. */
const CELL_PX = { width: 9, height: 12 };
const FOOT_PX = 20;
const LABEL_MAX_PX = 130;

/** Draws a value for each pair of two dimensions, as the strength of a colour. */
export function layOutHeatmap(
  spec: Readonly<Record<string, unknown>>,
  data: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
  { width, height }: { width: number; height: number },
  look: CellLook,
): Drawing | null {
  const [across, down, amount] = data.fields;
  if (!across || !down || !amount) return null;
  const formats = readFormats(spec);
  const textOf = (value: CellValue, field: ResultField) => formatValue(value, field, formats[field.name], look);
  const columns = listValues(data.rows, across);
  const rows = listValues(data.rows, down);
  const labels = rows.map((value) => textOf(value, down));
  const labelPx = Math.min(LABEL_MAX_PX, width * 0.3, widestOf(labels, 12) + 8);
  const shownColumns = columns.slice(0, Math.max(1, Math.floor((width - labelPx) / CELL_PX.width)));
  const shownRows = rows.slice(0, Math.max(1, Math.floor((height - FOOT_PX) / CELL_PX.height)));
  const cell = { width: (width - labelPx) / shownColumns.length, height: (height - FOOT_PX) / shownRows.length };
  const numbers = data.rows.flatMap((row) => toNumber(row[amount.name] ?? null) ?? []);
  const shadeOf = toShade(rangeOf(numbers) ?? { low: 0, high: 0 });
  const columnAt = new Map(shownColumns.map((value, at) => [String(value), at]));
  const rowAt = new Map(shownRows.map((value, at) => [String(value), at]));
  const shapes: Shape[] = [];
  const words: string[] = [];
  for (const [index, row] of data.rows.entries()) {
    const [x, y] = [columnAt.get(String(row[across.name])), rowAt.get(String(row[down.name]))];
    const value = row[amount.name] ?? null;
    const number = toNumber(value);
    if (x === undefined || y === undefined || number === null) continue;
    const title = `${textOf(row[down.name] ?? null, down)}, ${textOf(row[across.name] ?? null, across)}: ${textOf(value, amount)}`;
    const { strength, fill, opacity } = shadeOf(number);
    const box = { x: labelPx + x * cell.width, y: y * cell.height };
    shapes.push({
      ...{ kind: "rect", ...box, width: cell.width - 1, height: cell.height - 1, radius: 1 },
      ...{ fill, opacity, row: index, title },
    });
    words.push(title);
    const text = toShort(number);
    if (spec.labels === true && widthOf(text, 11) + 6 < cell.width && cell.height >= 16) {
      const ink = strength > 0.55 ? "sheet" : "ink";
      shapes.push({
        kind: "label",
        x: box.x + cell.width / 2,
        y: box.y + cell.height / 2 + 4,
        text,
        size: 11,
        ink,
        anchor: "middle",
      });
    }
  }
  const nthRow = Math.ceil(13 / cell.height);
  for (const [y, text] of labels.slice(0, shownRows.length).entries()) {
    if (y % nthRow === 0) {
      const base = y * cell.height + cell.height / 2 + 4;
      shapes.push({
        kind: "label",
        x: labelPx - 8,
        y: base,
        text: cutTo(text, labelPx - 8, 12),
        size: 12,
        ink: "faint",
        anchor: "end",
      });
    }
  }
  const heads = shownColumns.map((value) => textOf(value, across));
  shapes.push(...nameShapes(heads, { left: labelPx, slot: cell.width, y: height - 4 }));
  const left = columns.length - shownColumns.length + rows.length - shownRows.length;
  if (left > 0) words.push(`${left} more rows and columns`);
  return { shapes, words };
}

/** Lists the values of a column: numbers and times in their order, others as they come. */
function listValues(rows: readonly ResultRow[], { name, type }: ResultField): CellValue[] {
  const byText = new Map(rows.map((row) => [String(row[name] ?? null), row[name] ?? null]));
  const values = [...byText.values()];
  if (type === "string") return values;
  return values.sort((a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0,
  );
}
