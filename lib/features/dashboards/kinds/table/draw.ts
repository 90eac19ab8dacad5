import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { toTotals } from "@/lib/base/charts/widget-table";
import { isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { cutTo, toText, widthOf } from "@/lib/platform/embedded/drawing/text";
import { type Box, clip, type Drawn, type How } from "../../picture/parts";
import type { WidgetData } from "../../schema";

const TABLE_ROW = 26;
const CELL_GAP = 16;
/** Maximum number of lines of a table in words. */
const TABLE_LINES = 5;

export function drawTable(spec: Record<string, unknown>, data: WidgetData, body: Box, { look, paint }: How): Drawn {
  const fields = data.fields as ResultField[];
  const rows = data.rows as ResultRow[];
  const formats = readFormats(spec);
  const totals = spec.totals === true && !data.truncated ? toTotals(spec, fields, rows) : null;
  const room = Math.floor((body.height - TABLE_ROW - (totals ? TABLE_ROW : 0)) / TABLE_ROW);
  const isCut = rows.length > room || data.truncated;
  const shown = rows.slice(0, Math.max(0, isCut ? room - 1 : room));
  const textOf = (row: ResultRow, field: ResultField) => {
    const value = row[field.name];
    return value === null || value === undefined ? "" : formatValue(value, field, formats[field.name], look);
  };
  const cells = shown.map((row) => fields.map((field) => textOf(row, field)));
  const foot = totals?.map((total, column) => {
    const field = fields[column];
    if (total === undefined || !field) return column === 0 ? "Total" : "";
    return formatValue(total, field, formats[field.name], look);
  });
  const widths = toWidths([fields.map(({ name }) => name), ...cells, ...(foot ? [foot] : [])], body.width);
  const line = (texts: readonly string[], y: number, look: { fill: string; isBold?: boolean }) => {
    let x = body.x;
    return texts
      .map((text, column) => {
        const width = widths[column] ?? 0;
        const isEnd = fields[column] !== undefined && isNumericField(fields[column]);
        const at = isEnd ? x + width : x;
        x += width + CELL_GAP;
        return toText(cutTo(text, width, 12), at, y, { size: 12, ...(isEnd && { anchor: "end" }), ...look });
      })
      .join("");
  };
  const rule = (y: number) =>
    `<line x1="${body.x}" x2="${body.x + body.width}" y1="${y}" y2="${y}" stroke="${paint.line}"/>`;
  const svg = [
    line(
      fields.map(({ name }) => name),
      body.y + 14,
      { fill: paint.faint },
    ),
    rule(body.y + TABLE_ROW - 4),
  ];
  let y = body.y + TABLE_ROW;
  for (const each of cells) {
    svg.push(line(each, y + 15, { fill: paint.ink }));
    y += TABLE_ROW;
  }
  if (isCut) {
    const more = rows.length - shown.length;
    const said = data.truncated || more <= 0 ? "More in the dashboard." : `${more} more in the dashboard.`;
    svg.push(toText(said, body.x, y + 15, { size: 12, fill: paint.faint }));
    y += TABLE_ROW;
  }
  if (foot) svg.push(rule(y), line(foot, y + 17, { fill: paint.ink, isBold: true }));
  const words = rows
    .slice(0, TABLE_LINES)
    .map((row) => fields.map((field) => `${field.name}: ${textOf(row, field)}`).join(", "));
  const more = rows.length - words.length;
  return { parts: clip(body, svg.join("")), words: more > 0 ? [...words, `and ${more} more`] : words };
}

/** Returns column widths: the width of their texts, with the widest reduced where that is too much. */
function toWidths(lines: readonly (readonly string[])[], width: number): number[] {
  const [head = []] = lines;
  const widths = head.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[column] ?? "", 12) + 2), 24),
  );
  const room = width - (widths.length - 1) * CELL_GAP;
  for (;;) {
    const over = widths.reduce((sum, each) => sum + each, 0) - room;
    const widest = Math.max(...widths);
    if (over <= 0 || widest <= 40) break;
    const at = widths.indexOf(widest);
    const next = widths.reduce((most, each, column) => (column === at ? most : Math.max(most, each)), 40);
    widths[at] = Math.max(40, Math.min(widest - 1, Math.max(next, widest - over)));
  }
  const spare = room - widths.reduce((sum, each) => sum + each, 0);
  // The first column takes the remaining width, so that numbers align at the right edge.
  if (spare > 0 && widths.length > 0) widths[0] = (widths[0] ?? 0) + spare;
  return widths;
}
