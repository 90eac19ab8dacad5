import { rangeOf } from "@/lib/base/charts/number-axis";
import { formatChange, toTone } from "@/lib/base/charts/widget-change";
import { type Against, toWidgetFigures } from "@/lib/base/charts/widget-figures";
import { toBeforeWords } from "@/lib/features/results/crossfilter/words";
import { cutTo, round, toText, widthOf } from "@/lib/platform/embedded/drawing/text";
import type { Paint } from "../../picture/paint";
import { type Box, clip, type Drawn, drawWords, type How, type PagePeriod } from "../../picture/parts";
import type { WidgetData } from "../../schema";

export function drawFigures(spec: Record<string, unknown>, data: WidgetData, body: Box, how: How): Drawn {
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
  const { low, high } = rangeOf(line.filter((value) => value !== null)) ?? { low: 0, high: 0 };
  const points = line.flatMap((value, at) =>
    value === null
      ? []
      : `${round(x + (at / (line.length - 1)) * width)},${round(y + height - ((value - low) / (high - low || 1)) * height)}`,
  );
  return `<polyline points="${points.join(" ")}" fill="none" stroke="${paint.chart.series[0]}" stroke-width="1.5" stroke-linejoin="round"/>`;
}
