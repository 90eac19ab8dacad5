import { toForeignSpec } from "@/lib/base/charts/foreign-spec";
import { toPicture } from "@/lib/base/charts/picture";
import { colourOf, toDrawnSpec } from "@/lib/base/charts/spec";
import { findDrawProblems, toProblemWords } from "@/lib/base/charts/spec-rules";
import { toWidgetChart } from "@/lib/base/charts/widget-chart";
import { describeChart } from "@/lib/base/charts/words";
import { formatCountOf } from "@/lib/base/values/amounts";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { PicturePart } from "@/lib/platform/embedded/drawing/messages";
import { cutTo, escapeXml, round, toText, widthOf } from "@/lib/platform/embedded/drawing/text";
import type { Paint } from "../../picture/paint";
import { type Box, clip, type Drawn, drawWords, type How } from "../../picture/parts";
import type { WidgetData } from "../../schema";
import { drawFigures } from "../kpi/draw";

const NONE_HIDDEN: ReadonlySet<number> = new Set();

export function drawChart(
  spec: Record<string, unknown>,
  data: WidgetData,
  body: Box,
  { look, paint, period }: How,
): Drawn {
  const fields = data.fields as ResultField[];
  const rows = data.rows as ResultRow[];
  const before = data.before?.rows as ResultRow[] | undefined;
  const chart = toWidgetChart(spec, { fields, rows, before, compare: before && period.compare }, look);
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
    words: [picture === null ? formatCountOf(rows.length, "point") : describeChart(picture, look)],
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
