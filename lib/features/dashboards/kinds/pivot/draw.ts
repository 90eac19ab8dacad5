import { widestOf } from "@/lib/base/text/text-width";
import { formatCountOf } from "@/lib/base/values/amounts";
import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import { cutTo, round, toText, widthOf } from "@/lib/platform/embedded/drawing/text";
import type { Paint } from "../../picture/paint";
import { type Box, clip, type Drawn, drawWords, type How } from "../../picture/parts";
import type { WidgetData } from "../../schema";
import type { Spec } from "../kind-traits";
import {
  type PivotHead,
  type PivotLayout,
  toCutWords,
  toGroupText,
  toHeadCells,
  toHeadText,
  toHeat,
  toPivotLayout,
  toUnits,
} from "./layout";

const LINE = 26;
const GAP = 16;
const INDENT = 14;
const SIZE = 12;
/** Maximum width of the row labels, as a share of the whole. */
const LABEL_SHARE = 0.4;
const COLUMN_WIDTH_MIN = 40;
/** Maximum number of lines of a pivot table in words. */
const WORD_LINES = 5;

type Cell = { text: string; heat: number; isBold: boolean };
type Line = { label: string; indent: number; isBold: boolean; isAll: boolean; cells: Cell[] };
type HeadCell = { at: number; span: number; text: string };
/** Left and right end of each column that fits. */
type Column = { left: number; right: number };

/** Draws as many lines and columns of a pivot table as fit, and its totals. */
export function drawPivot(spec: Record<string, unknown>, data: WidgetData, body: Box, how: How): Drawn {
  const { look, paint, period } = how;
  const layout = toPivotLayout(spec, data);
  if (layout === null) return drawWords("No rows selected.", body, paint.faint);
  const units = toUnits(spec, period.grain);
  const lines = toLines(layout, spec, units, look);
  const heads = toHeads(layout, units.slice(layout.rowFields.length), look);
  const corner = layout.rowFields.map(({ name }) => name).join(", ");

  const all = lines.at(-1)?.isAll ? lines.at(-1) : undefined;
  const groups = all ? lines.slice(0, -1) : lines;
  const room = Math.max(0, Math.floor(body.height / LINE) - heads.length - (all ? 1 : 0));
  const fits = groups.length <= room && toCutWords(layout.shown) === null;
  const shown = groups.slice(0, fits ? room : Math.max(0, room - 1));
  const label = toLabelWidth(corner, all ? [...shown, all] : shown, body.width);
  const columns = toColumns(heads, all ? [...shown, all] : shown, body, label);
  const hidden = (lines[0]?.cells.length ?? 0) - columns.length;
  const notice = toNotice(groups.length - shown.length, hidden, layout);

  const svg: string[] = [];
  for (const [at, head] of heads.entries()) svg.push(...drawHead(head, columns, body.y + at * LINE + 14, paint));
  const under = body.y + heads.length * LINE;
  svg.push(toText(cutTo(corner, label, SIZE), body.x, under - LINE + 14, { size: SIZE, fill: paint.faint }));
  svg.push(toRule(body, under - 4, paint));
  let y = under;
  for (const line of shown) {
    svg.push(...drawLine(line, columns, { x: body.x, y, label }, paint));
    y += LINE;
  }
  if (notice !== "") {
    svg.push(toText(cutTo(notice, body.width, SIZE), body.x, y + 15, { size: SIZE, fill: paint.faint }));
    y += LINE;
  }
  if (all) svg.push(toRule(body, y - 2, paint), ...drawLine(all, columns, { x: body.x, y, label }, paint));
  return { parts: clip(body, svg.join("")), words: toWords(layout, units, look) };
}

function toLines(layout: PivotLayout, spec: Spec, units: readonly (string | null)[], look: CellLook): Line[] {
  const { rowFields, measures, columns } = layout;
  const heat = spec.heat === false ? null : toHeat(layout);
  const hasGroups = rowFields.length > 1 && spec.subtotals !== false;
  const labelOf = (row: PivotHead) => {
    const at = row.values.length - 1;
    const field = rowFields[at];
    if (field === undefined || !hasGroups) return toHeadText(row, rowFields, units, look);
    return toGroupText(row.values[at] ?? null, field, units[at] ?? null, look);
  };
  return layout.rows.map((row) => ({
    label: labelOf(row),
    indent: hasGroups ? Math.max(0, row.values.length - 1) * INDENT : 0,
    isBold: row.isTotal,
    isAll: row.values.length === 0,
    cells: columns.flatMap((column) =>
      measures.map((measure) => {
        const value = layout.cellOf(row, column, measure);
        const text = value === undefined ? "" : value === null ? "null" : toShownText(value, measure, look);
        return { text, heat: heat?.of(row, column, measure) ?? 0, isBold: row.isTotal || column.isTotal };
      }),
    ),
  }));
}

function toHeads(layout: PivotLayout, units: readonly (string | null)[], look: CellLook): HeadCell[][] {
  const { columnFields, columns, measures } = layout;
  const heads = columnFields.map((field, line) =>
    toHeadCells(layout, line).map(({ at, span, head, isTotal }) => ({
      at: at * measures.length,
      span: span * measures.length,
      text: isTotal ? "Total" : toGroupText(head.values[line] ?? null, field, units[line] ?? null, look),
    })),
  );
  if (measures.length === 1 && columnFields.length > 0) return heads;
  const names = columns.flatMap((_, column) =>
    measures.map(({ name }, at) => ({ at: column * measures.length + at, span: 1, text: name })),
  );
  return [...heads, names];
}

function toLabelWidth(corner: string, lines: readonly Line[], width: number): number {
  const widest = lines.reduce((most, { label, indent }) => Math.max(most, widthOf(label, SIZE) + indent), 0);
  return Math.min(width * LABEL_SHARE, Math.max(widthOf(corner, SIZE), widest));
}

/** Returns the columns that fit; they share the remaining width. */
function toColumns(heads: readonly HeadCell[][], lines: readonly Line[], body: Box, label: number): Column[] {
  const count = lines[0]?.cells.length ?? 0;
  const widths = Array.from({ length: count }, (_, at) => {
    const names = heads.flatMap((head) => head.filter((cell) => cell.at === at && cell.span === 1));
    const texts = [...names.map(({ text }) => text), ...lines.map(({ cells }) => cells[at]?.text ?? "")];
    return GAP + Math.max(COLUMN_WIDTH_MIN, widestOf(texts, SIZE));
  });
  let used = label;
  const fitting = widths.filter((width, at) => {
    used += width;
    return at === 0 || used <= body.width;
  });
  const sum = fitting.reduce((all, width) => all + width, label);
  const spare = Math.max(0, body.width - sum) / Math.max(1, fitting.length);
  let x = body.x + label;
  return fitting.map((width) => {
    const left = x;
    x += width + spare;
    return { left, right: x };
  });
}

function drawHead(cells: readonly HeadCell[], columns: readonly Column[], y: number, paint: Paint): string[] {
  return cells.flatMap(({ at, span, text }) => {
    const [first, last] = [columns[at], columns[Math.min(columns.length, at + span) - 1]];
    if (!first || !last) return [];
    const shown = cutTo(text, last.right - first.left - GAP, SIZE);
    return [toText(shown, round(last.right - GAP / 2), y, { size: SIZE, anchor: "end" as const, fill: paint.faint })];
  });
}

type At = { x: number; y: number; label: number };

function drawLine({ label, indent, isBold, cells }: Line, columns: readonly Column[], at: At, paint: Paint): string[] {
  const shown = cutTo(label, at.label - indent, SIZE);
  const name = toText(shown, at.x + indent, at.y + 15, { size: SIZE, fill: paint.ink, isBold });
  const values = columns.flatMap(({ left, right }, column) => {
    const cell = cells[column];
    if (!cell) return [];
    const text = cutTo(cell.text, right - left - GAP / 2, SIZE);
    const look = { size: SIZE, anchor: "end" as const, fill: paint.ink, isBold: cell.isBold };
    return [toShade(cell, left, right, at.y, paint), toText(text, round(right - GAP / 2), at.y + 15, look)];
  });
  return [...values, name];
}

function toShade({ heat }: Cell, left: number, right: number, y: number, paint: Paint): string {
  if (heat === 0) return "";
  return `<rect x="${round(left)}" y="${y - 2}" width="${round(right - left)}" height="${LINE}" fill="${paint.chart.series[0]}" fill-opacity="${heat / 100}"/>`;
}

function toRule({ x, width }: Box, y: number, paint: Paint): string {
  return `<line x1="${x}" x2="${round(x + width)}" y1="${y}" y2="${y}" stroke="${paint.line}"/>`;
}

function toNotice(lines: number, columns: number, { shown }: PivotLayout): string {
  const more = [
    ...(lines > 0 ? [formatCountOf(lines, "more row")] : []),
    ...(columns > 0 ? [formatCountOf(columns, "more column")] : []),
  ].join(" and ");
  return [more === "" ? "" : `${more} on the page.`, toCutWords(shown) ?? ""].filter(Boolean).join(" ");
}

/** Returns the totals of the table and of its first groups, for readers without the picture. */
function toWords(layout: PivotLayout, units: readonly (string | null)[], look: CellLook): string[] {
  const { rowFields, measures, columns, rows } = layout;
  const total = columns.at(-1);
  const all = rows.filter(({ values }) => values.length === 0);
  const groups = rows.filter(({ values }) => values.length > 0);
  const words = [...all, ...groups].slice(0, WORD_LINES).map((row) => {
    const values = measures.map((measure) => {
      const value = total && layout.cellOf(row, total, measure);
      return `${measure.name}: ${value === undefined || value === null ? "null" : toShownText(value, measure, look)}`;
    });
    return `${toHeadText(row, rowFields, units, look)}: ${values.join(", ")}`;
  });
  const more = rows.length - words.length;
  return more > 0 ? [...words, `and ${more} more`] : words;
}
