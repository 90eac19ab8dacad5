import { toForeignSpec } from "@/lib/base/charts/foreign-spec";
import { toPicture } from "@/lib/base/charts/picture";
import { colourOf, toDrawnSpec } from "@/lib/base/charts/spec";
import { findDrawProblems, toProblemWords } from "@/lib/base/charts/spec-rules";
import { formatChange, toTone } from "@/lib/base/charts/widget-change";
import { toWidgetChart } from "@/lib/base/charts/widget-chart";
import { type Against, toWidgetFigures } from "@/lib/base/charts/widget-figures";
import { withPageGrain } from "@/lib/base/charts/widget-period";
import { toTotals } from "@/lib/base/charts/widget-table";
import { describeChart } from "@/lib/base/charts/words";
import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import { isNumericField } from "@/lib/base/values/cell-text";
import { firstRowsNotice } from "@/lib/base/values/cut-rows";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { type Comparison, type Grain, toBeforeWords } from "@/lib/features/results/crossfilter/words";
import type { PicturePage, PicturePart } from "@/lib/platform/embedded/drawing/messages";
import { cutTo, escapeXml, round, toText, widthOf, wrapTo } from "@/lib/platform/embedded/drawing/text";
import type { Widget, WidgetData } from "../schema";
import { PAINTS, type Paint, type PictureTheme } from "./paint";

/** The width of an email, with type that is still legible on a phone. */
const PAGE = { width: 880, edge: 20, head: 72, foot: 12, gap: 12, columns: 12, rowPitch: 44 };
/** At twice this size, it takes some 60 MB while it is drawn. Widgets further down are only on the page. */
const HEIGHT_MAX = 4000;
const SCALE = 2;
const TABLE_ROW = 26;
/** Height of the notice about truncated rows. */
const NOTICE_HEIGHT = 20;
const CELL_GAP = 16;
/** Height of A4 at this width. A sheet of a PDF ends between widgets. */
const SHEET_HEIGHT = 1245;
/** Maximum number of lines of a table in words. */
const TABLE_LINES = 5;
const NONE_HIDDEN: ReadonlySet<number> = new Set();

export type PagePeriod = { grain?: Grain | undefined; compare?: Comparison | undefined };
export type PageToDraw = {
  title: string;
  /** Lines below the title: the time of drawing, and the filters. */
  lines: string[];
  widgets: readonly Widget[];
  data: readonly WidgetData[];
  zone: string;
  period: PagePeriod;
  theme: PictureTheme;
};
/** A text version of a widget, for readers without the picture. */
export type WidgetWords = { title: string; lines: string[] };
export type DrawnPage = { page: PicturePage; words: WidgetWords[]; left: number };

type Box = { x: number; y: number; width: number; height: number };
type Drawn = { parts: PicturePart[]; words: string[] };

/** Converts a dashboard's grid to the parts of a picture and to words. */
export function toPicturePage({ title, lines, widgets, data, zone, period, theme }: PageToDraw): DrawnPage {
  const paint = PAINTS[theme];
  const look: CellLook = { digits: "grouped", times: zone };
  const byId = new Map(data.map((each) => [each.id, each]));
  const parts: PicturePart[] = [];
  const words: WidgetWords[] = [];
  const boxes: Box[] = [];
  let height = PAGE.head;
  let left = 0;
  for (const widget of widgets.toSorted((a, b) => a.layout.y - b.layout.y || a.layout.x - b.layout.x)) {
    const box = toBox(widget);
    const isShown = box.y + box.height + PAGE.edge <= HEIGHT_MAX;
    if (!isShown) left += 1;
    const drawn = drawWidget(widget, byId.get(widget.id), box, { look, period, paint });
    if (widget.kind !== "text") words.push({ title: widget.title, lines: drawn.words });
    if (!isShown) continue;
    boxes.push(box);
    height = Math.max(height, box.y + box.height);
    parts.push({ kind: "svg", svg: toCard(box, widget.title, paint) }, ...drawn.parts);
  }
  const said = left === 0 ? lines : [...lines, `${left} more in the dashboard`];
  const head = [
    toText(cutTo(title, PAGE.width - 2 * PAGE.edge, 20), PAGE.edge, 34, { size: 20, fill: paint.ink, isBold: true }),
    toText(cutTo(said.join(", "), PAGE.width - 2 * PAGE.edge, 12), PAGE.edge, 56, { size: 12, fill: paint.faint }),
  ];
  const whole = Math.ceil(height + PAGE.edge);
  const page = {
    title,
    width: PAGE.width,
    height: whole,
    sheets: toSheets(boxes, whole),
    scale: SCALE,
    background: paint.frame,
    parts: [{ kind: "svg" as const, svg: head.join("") }, ...parts],
  };
  return { page, words, left };
}

/**
 * Returns the ends of sheets: each takes as many widgets as fit, and a widget higher than a sheet gets a sheet of its
 * height.
 */
function toSheets(boxes: readonly Box[], height: number): number[] {
  const gap = PAGE.gap / 2;
  const ends = [...new Set(boxes.map(({ y, height: own }) => y + own + gap))]
    .filter((end) => !boxes.some((box) => box.y < end && box.y + box.height > end))
    .sort((a, b) => a - b);
  const sheets: number[] = [];
  let from = 0;
  for (const [at, end] of ends.entries()) {
    const next = ends[at + 1] ?? height;
    if (next >= height || next - from <= SHEET_HEIGHT) continue;
    sheets.push(end);
    from = end;
  }
  return [...sheets, height];
}

function toBox({ layout }: Widget): Box {
  const column = (PAGE.width - 2 * PAGE.edge - (PAGE.columns - 1) * PAGE.gap) / PAGE.columns;
  const x = Math.min(layout.x, PAGE.columns - 1);
  const w = Math.min(layout.w, PAGE.columns - x);
  return {
    x: round(PAGE.edge + x * (column + PAGE.gap)),
    y: PAGE.head + layout.y * PAGE.rowPitch,
    width: round(w * column + (w - 1) * PAGE.gap),
    height: layout.h * PAGE.rowPitch - PAGE.gap,
  };
}

function toCard({ x, y, width, height }: Box, title: string, paint: Paint): string {
  const card = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${paint.sheet}" stroke="${paint.line}"/>`;
  return title === ""
    ? card
    : card + toText(cutTo(title, width - 28, 13), x + 14, y + 24, { size: 13, fill: paint.ink, isBold: true });
}

type How = { look: CellLook; period: PagePeriod; paint: Paint };

function drawWidget(widget: Widget, data: WidgetData | undefined, box: Box, how: How): Drawn {
  const { paint } = how;
  const top = widget.title === "" ? 12 : 36;
  const body = { x: box.x + 14, y: box.y + top, width: box.width - 28, height: box.height - top - 12 };
  if (data?.firstRows === undefined) return drawBody(widget, data, body, how);
  const said = firstRowsNotice(data.firstRows);
  const drawn = drawBody(widget, data, { ...body, height: body.height - NOTICE_HEIGHT }, how);
  const y = body.y + body.height - 2;
  const notice = toText(cutTo(said, body.width, 12), body.x, y, { size: 12, fill: paint.bad });
  return { parts: [...drawn.parts, { kind: "svg", svg: notice }], words: [...drawn.words, said] };
}

function drawBody(widget: Widget, data: WidgetData | undefined, body: Box, how: How): Drawn {
  const { paint } = how;
  if (widget.kind === "text")
    return { parts: [toMarkdownPart(String(widget.spec.text ?? ""), body, paint)], words: [] };
  if (data === undefined || data.cachedAt === null || data.fields.length === 0) {
    return drawWords(data?.error ?? "No data yet.", body, paint.bad);
  }
  if (data.rows.length === 0) return drawWords("No matching rows.", body, paint.faint);
  const spec = withPageGrain(widget.spec, how.period.grain);
  if (widget.kind === "kpi") return drawFigures(spec, data, body, how);
  if (widget.kind === "table") return drawTable(spec, data, body, how);
  return drawChart(spec, data, body, how);
}

function drawWords(text: string, body: Box, fill: string): Drawn {
  const lines = wrapTo(text, body.width, 12);
  const svg = lines.map((line, at) => toText(line, body.x, body.y + 14 + at * 17, { size: 12, fill })).join("");
  return { parts: clip(body, svg), words: [text] };
}

function drawFigures(spec: Record<string, unknown>, data: WidgetData, body: Box, how: How): Drawn {
  const { look, period, paint } = how;
  const figures = toWidgetFigures(spec, data, look);
  if (figures === null) return drawWords("No data.", body, paint.faint);
  const width = body.width / figures.length;
  const svg: string[] = [];
  const words: string[] = [];
  for (const [at, { name, shown, against, figure }] of figures.entries()) {
    const x = body.x + at * width;
    let y = body.y;
    if (name !== null) {
      svg.push(toText(cutTo(name, width, 12), x, y + 10, { size: 12, fill: paint.quiet }));
      y += 16;
    }
    svg.push(toText(cutTo(shown, width, 26), x, y + 26, { size: 26, fill: paint.ink, isBold: true }));
    const said = against && toAgainstWords(against, data, period);
    if (against && said) svg.push(drawAgainst(against, said, spec.better, { x, y: y + 48, width }, paint));
    const room = width - widthOf(shown, 26) - 16;
    if (figure.line.length > 1 && room >= 48) {
      svg.push(
        toSpark(figure.line, { x: x + width - Math.min(80, room), y, width: Math.min(80, room), height: 34 }, paint),
      );
    }
    const change = against === null || against.change === null ? "" : `${formatChange(against.change)} `;
    words.push(`${name === null ? "" : `${name}: `}${shown}${said ? ` (${change}${said})` : ""}`);
  }
  return { parts: clip(body, svg.join("")), words };
}

function toAgainstWords({ text, change, place }: Against, { before }: WidgetData, { compare }: PagePeriod): string {
  if (place !== null || before === undefined) return `vs ${place}`;
  const when = toBeforeWords(before, compare);
  if (text === null) return `No data for ${when}`;
  return change === null ? `${text} in ${when}` : `vs ${when}`;
}

function drawAgainst(
  { change }: Against,
  said: string,
  better: unknown,
  at: Omit<Box, "height">,
  paint: Paint,
): string {
  const percent = change === null ? "" : formatChange(change);
  const tone = change === null ? undefined : toTone(change, better);
  const fill = tone === "good" ? paint.good : tone === "bad" ? paint.bad : paint.quiet;
  const from = percent === "" ? 0 : widthOf(percent, 12) + 6;
  return [
    percent === "" ? "" : toText(percent, at.x, at.y, { size: 12, fill }),
    toText(cutTo(said, at.width - from, 12), at.x + from, at.y, { size: 12, fill: paint.faint }),
  ].join("");
}

function toSpark(line: readonly (number | null)[], { x, y, width, height }: Box, paint: Paint): string {
  const values = line.filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = line.flatMap((value, at) =>
    value === null
      ? []
      : `${round(x + (at / (line.length - 1)) * width)},${round(y + height - ((value - low) / (high - low || 1)) * height)}`,
  );
  return `<polyline points="${points.join(" ")}" fill="none" stroke="${paint.chart.series[0]}" stroke-width="1.5" stroke-linejoin="round"/>`;
}

function drawChart(spec: Record<string, unknown>, data: WidgetData, body: Box, { look, paint }: How): Drawn {
  const fields = data.fields as ResultField[];
  const rows = data.rows as ResultRow[];
  const chart = toWidgetChart(spec, { fields, rows, before: data.before?.rows as ResultRow[] | undefined }, look);
  if (chart === null) return drawWords("No data.", body, paint.faint);
  const isForeign = "kind" in chart;
  const problems = isForeign ? findDrawProblems(chart.spec, rows) : [];
  if (problems.length > 0) return drawWords(toProblemWords(problems), body, paint.bad);
  const picture = isForeign ? null : toPicture(chart.data, chart.settings, NONE_HIDDEN);
  if (picture?.kind === "kpi") return drawFigures(spec, data, body, { look, period: {}, paint });
  const legend =
    picture === null || picture.data.series.length < 2 ? null : toLegend(picture.data.series, picture, body, paint);
  const top = legend === null ? 0 : 22;
  const size = { width: round(Math.max(40, body.width)), height: round(Math.max(40, body.height - top)) };
  const drawn = isForeign
    ? toForeignSpec(chart.spec, rows, paint.chart, size)
    : picture && toDrawnSpec(picture, paint.chart, size);
  if (!drawn) throw new Error("A chart is either ours or not.");
  const part: PicturePart = { kind: "chart", spec: drawn, x: body.x, y: body.y + top, ...size, ink: paint.faint };
  return {
    parts: [...(legend === null ? [] : clip(body, legend)), part],
    words: [picture === null ? `${rows.length} points` : describeChart(picture, look)],
  };
}

function toLegend(
  series: readonly { name: string }[],
  { data }: Pick<ReturnType<typeof toPicture>, "data">,
  body: Box,
  paint: Paint,
): string {
  let { x } = body;
  const entries: string[] = [];
  for (const [at, { name }] of series.entries()) {
    const shown = cutTo(name, 140, 12);
    const width = 14 + widthOf(shown, 12) + 14;
    if (x + width > body.x + body.width) break;
    entries.push(
      `<rect x="${round(x)}" y="${body.y + 1}" width="9" height="9" rx="2" fill="${escapeXml(colourOf(data, at, paint.chart))}"/>`,
      toText(shown, x + 14, body.y + 10, { size: 12, fill: paint.quiet }),
    );
    x += width;
  }
  return entries.join("");
}

function drawTable(spec: Record<string, unknown>, data: WidgetData, body: Box, { look, paint }: How): Drawn {
  const fields = data.fields as ResultField[];
  const rows = data.rows as ResultRow[];
  const totals = spec.totals === true && !data.truncated ? toTotals(spec, fields, rows) : null;
  const room = Math.floor((body.height - TABLE_ROW - (totals ? TABLE_ROW : 0)) / TABLE_ROW);
  const isCut = rows.length > room || data.truncated;
  const shown = rows.slice(0, Math.max(0, isCut ? room - 1 : room));
  const textOf = (row: ResultRow, field: ResultField) => {
    const value = row[field.name];
    return value === null || value === undefined ? "" : toShownText(value, field, look);
  };
  const cells = shown.map((row) => fields.map((field) => textOf(row, field)));
  const foot = totals?.map((total, column) => {
    const field = fields[column];
    if (total === undefined || !field) return column === 0 ? "Total" : "";
    return toShownText(total, field, look);
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
        return toText(cutTo(text, width, 12), at, y, { size: 12, isEnd, ...look });
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

/** The drawing process parses Markdown: some texts of 64 KiB take it seconds. */
function toMarkdownPart(text: string, body: Box, paint: Paint): PicturePart {
  return { kind: "markdown", text, ...body, ink: paint.ink, quiet: paint.quiet };
}

let clips = 0;

/** Clips content that exceeds its box, since text widths are estimates. */
function clip({ x, y, width, height }: Box, svg: string): PicturePart[] {
  clips = (clips + 1) % 1_000_000;
  const id = `clip-${clips}`;
  const box = `<rect x="${round(x - 2)}" y="${round(y - 4)}" width="${round(width + 4)}" height="${round(height + 12)}"/>`;
  return [{ kind: "svg", svg: `<clipPath id="${id}">${box}</clipPath><g clip-path="url(#${id})">${svg}</g>` }];
}
