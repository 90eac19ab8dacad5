import type { CellLook } from "@/lib/base/values/cell-look";
import { firstRowsNotice } from "@/lib/base/values/cut-rows";
import type { PicturePage, PicturePart } from "@/lib/platform/embedded/drawing/messages";
import { cutTo, round, toText } from "@/lib/platform/embedded/drawing/text";
import { stackTabs } from "../browser/tabs";
import { toShownWidget } from "../browser/widget-click";
import { KINDS } from "../kinds/registry";
import { readsData } from "../kinds/traits";
import type { Widget, WidgetData } from "../schema";
import { PAINTS, type Paint, type PictureTheme } from "./paint";
import { type Box, type Drawn, drawWords, type How, type PagePeriod } from "./parts";

/** The width of an email, with type that is still legible on a phone. */
const PAGE = { width: 880, edge: 20, head: 72, foot: 12, gap: 12, columns: 12, rowPitch: 44 };
/** At twice this size, it takes some 60 MB while it is drawn. Widgets further down are only on the page. */
const HEIGHT_MAX = 4000;
const SCALE = 2;
/** Height of the notice about truncated rows. */
const NOTICE_HEIGHT = 20;
/** Height of A4 at this width. A sheet of a PDF ends between widgets. */
const SHEET_HEIGHT = 1245;

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
  for (const widget of stackTabs(widgets)) {
    const box = toBox(widget);
    const isShown = box.y + box.height + PAGE.edge <= HEIGHT_MAX;
    if (!isShown) left += 1;
    const drawn = drawWidget(widget, byId.get(widget.id), box, { look, period, paint });
    if (readsData(widget)) words.push({ title: widget.title, lines: drawn.words });
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
  const kind = KINDS[widget.kind];
  if (kind.data === null) return kind.draw(widget.spec, body, how);
  if (data === undefined || data.cachedAt === null || data.fields.length === 0) {
    return drawWords(data?.error ?? "No data yet.", body, paint.bad);
  }
  if (data.rows.length === 0) return drawWords("No matching rows.", body, paint.faint);
  const shown = toShownWidget(widget.spec, data, how.period.grain);
  return kind.draw(shown.spec, shown.data, body, how);
}
