import type { TopLevelSpec } from "vega-lite";
import type { ResultField } from "@/lib/tabular/json-rows";
import type { ChartData, ChartPoint } from "@/lib/ui/results/chart-data";
import {
  CHART_KINDS,
  type ChartKind,
  type ChartShelves,
  isTimeField,
  MEASURES,
  toMeasureName,
} from "@/lib/ui/results/chart-shelves";

/** The colours and fonts of the page, as values: a chart cannot read the page's variables. */
export type ChartTheme = {
  series: string[];
  grid: string;
  axis: string;
  text: string;
  surface: string;
  font: string;
};
/** In CSS pixels. */
export type ChartSize = { width: number; height: number };

/** Room for the names of the series at the ends of their lines. */
const LABEL_PX = { letter: 6.8, gap: 14, roomMax: 160, height: 14, viewMin: 420 };
/** Up to so many places each has a label of its own, where there is room for one of this width. */
const PLACE_LABELS = { count: 16, px: 64 };
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** From this length on, names of categories stand beside lying bars. */
const LYING_LETTERS = 12;
const LYING_COUNT = 12;
const FADED = 0.18;
/** "120k" as "120 k". */
const UNIT_APART = "replace(datum.label, /([a-zA-Zµ])$/, ' $1')";
const MARKS: Record<ChartKind, string> = { line: "line", bar: "bar", area: "area", dots: "point" };
const AGGREGATES = { sum: "sum", average: "mean", min: "min", max: "max", count: "count" } as const;

/**
 * The chart as it is kept with a console: a Vega-Lite specification over the result's own columns, which other tools
 * can draw too. The shelves stand in `usermeta`.
 */
export function toKeptSpec(shelves: ChartShelves, fields: readonly ResultField[]): Record<string, unknown> {
  const { kind, across, up, colour } = shelves;
  const typeOf = (name: string) => {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) return "nominal";
    return isTimeField(field) ? "temporal" : /int|float|decimal/.test(field.type) ? "quantitative" : "nominal";
  };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    data: { name: "result" },
    mark: { type: MARKS[kind] },
    encoding: {
      x: { field: escapeField(across), type: typeOf(across) },
      y: {
        type: "quantitative",
        ...(up.column !== null && { field: escapeField(up.column) }),
        ...(up.of !== "each" && { aggregate: AGGREGATES[up.of] }),
      },
      ...(colour !== null && { color: { field: escapeField(colour), type: "nominal" } }),
    },
    usermeta: { shelves },
  };
}

/** The shelves of a kept specification; null for one that was not made here. */
export function readShelves(spec: unknown): ChartShelves | null {
  if (typeof spec !== "object" || spec === null) return null;
  const { usermeta } = spec as { usermeta?: { shelves?: Partial<ChartShelves> } };
  const kept = usermeta?.shelves;
  const kind = CHART_KINDS.find((each) => each === kept?.kind);
  const of = MEASURES.find((each) => each === kept?.up?.of);
  if (kind === undefined || of === undefined || typeof kept?.across !== "string") return null;
  const column = typeof kept.up?.column === "string" ? kept.up.column : null;
  const colour = typeof kept.colour === "string" ? kept.colour : null;
  return { kind, across: kept.across, up: { of, column }, colour };
}

/** What is drawn: points that were added up before, in the page's own colours. */
export function toDrawnSpec(data: ChartData, shelves: ChartShelves, theme: ChartTheme, size: ChartSize): TopLevelSpec {
  const { kind } = shelves;
  const isLying = kind === "bar" && data.scale === "category" && needsLying(data);
  const hasColour = data.series.length > 0;
  const ends = kind === "line" && hasColour ? findEnds(data, size) : null;
  const across = {
    field: "across",
    title: null,
    ...(data.scale === "time"
      ? { type: "temporal" as const, scale: { type: "utc" as const } }
      : data.scale === "number"
        ? { type: "quantitative" as const, scale: { zero: false, nice: kind !== "bar" } }
        : { type: "ordinal" as const, sort: null }),
    axis: {
      grid: false,
      domain: false,
      ticks: false,
      labelAngle: 0,
      labelOverlap: true,
      labelLimit: isLying ? 180 : 120,
      ...(data.scale === "time" && toTimeAxis(data, size)),
    },
  };
  const up = {
    field: "up",
    type: "quantitative" as const,
    title: null,
    axis: {
      grid: true,
      domain: false,
      ticks: false,
      tickCount: 5,
      format: "~s",
      labelExpr: UNIT_APART,
      labelOverlap: true,
    },
    ...(kind === "area" || kind === "bar" ? { stack: "zero" as const } : { stack: null }),
    scale: { zero: kind === "area" || kind === "bar" },
  };
  const color = hasColour
    ? {
        field: "colour",
        type: "nominal" as const,
        scale: { domain: data.series, range: theme.series },
        legend: ends === null ? { title: null, orient: "top" as const, symbolType: "square" as const } : null,
      }
    : { value: theme.series[0] ?? "" };
  const opacity = hasColour ? { condition: { param: "picked", value: 1, empty: true }, value: FADED } : undefined;
  const tooltip = [
    { field: "across", title: shelves.across, ...toFormat(data) },
    { field: "up", title: toMeasureName(shelves.up), type: "quantitative" as const, format: ",~r" },
    ...(hasColour ? [{ field: "colour", title: shelves.colour ?? "", type: "nominal" as const }] : []),
  ];
  const encoding = {
    ...(isLying ? { y: across, x: up } : { x: across, y: up }),
    color,
    ...(opacity && { opacity }),
    tooltip,
  };
  const marks = {
    mark: toMark(kind, data, size) as never,
    encoding,
    ...(hasColour && {
      params: [{ name: "picked", select: { type: "point" as const, fields: ["colour"] }, bind: "legend" as const }],
    }),
  };
  const names = ends && {
    data: { values: ends },
    mark: {
      type: "text" as const,
      align: "left" as const,
      dx: 6,
      fontWeight: 500 as const,
      fontSize: 12,
      fill: theme.text,
      limit: LABEL_PX.roomMax,
    },
    encoding: {
      x: across,
      y: up,
      text: { field: "colour", type: "nominal" as const },
    },
  };
  const letters = data.series.reduce((most, name) => Math.max(most, name.length), 0);
  const room = names ? Math.min(LABEL_PX.roomMax, letters * LABEL_PX.letter + LABEL_PX.gap) : 0;
  return {
    width: Math.max(40, size.width - room),
    height: size.height,
    autosize: { type: "fit", contains: "padding" },
    padding: { left: 4, top: 8, right: names ? 4 : 8, bottom: 4 },
    background: "transparent",
    data: { values: data.points },
    ...(names ? { layer: [marks, names] } : marks),
    config: {
      font: theme.font,
      view: { stroke: null },
      axis: { labelColor: theme.axis, gridColor: theme.grid, labelFontSize: 12, labelPadding: 8 },
      legend: { labelColor: theme.text, labelFontSize: 12, labelLimit: 160 },
      line: { strokeWidth: 2, strokeJoin: "round" },
      bar: { cornerRadiusEnd: 2 },
    },
  } as TopLevelSpec;
}

function toMark(kind: ChartKind, data: ChartData, size: ChartSize): Record<string, unknown> {
  if (kind === "dots") return { type: "point", filled: true, size: 36, opacity: 0.75 };
  if (kind === "area") return { type: "area", opacity: 0.85, line: false };
  if (kind === "line") return { type: "line", point: data.points.length < 40 ? { size: 24, filled: true } : false };
  if (data.scale === "category") return { type: "bar" };
  // Along a scale a bar has no band of its own: it is as wide as its place.
  const places = new Set(data.points.map(({ across }) => across)).size;
  return { type: "bar", width: Math.max(1, Math.min(40, (0.8 * size.width) / Math.max(1, places))) };
}

/** Labels at the places themselves where they are few, in the grain that they have. */
function toTimeAxis({ points }: ChartData, { width }: ChartSize) {
  const places = [...new Set(points.map(({ across }) => across))].filter((each) => typeof each === "number");
  const span = Math.max(...places) - Math.min(...places);
  const hasClock = places.some((place) => place % DAY_MS !== 0);
  const format = span > 2 * YEAR_MS ? "%b %Y" : hasClock && span < 2 * DAY_MS ? "%H:%M" : "%-d %b";
  const isRoomy = places.length <= PLACE_LABELS.count && places.length * PLACE_LABELS.px <= width;
  // As an expression: a list of numbers would be made into dates by a call that the interpreter reads as a year.
  const values = { signal: `[${places.join()}]` };
  return { format, ...(isRoomy ? { values } : { tickCount: Math.max(2, Math.floor(width / 110)) }) };
}

function toFormat({ scale, points }: ChartData) {
  if (scale === "time") {
    const hasClock = points.some(({ across }) => typeof across === "number" && across % DAY_MS !== 0);
    return { type: "temporal" as const, format: hasClock ? "%-d %b %Y %H:%M" : "%-d %b %Y" };
  }
  return scale === "number" ? { type: "quantitative" as const, format: ",~r" } : { type: "nominal" as const };
}

function needsLying({ points, categoryCount }: ChartData): boolean {
  return categoryCount > LYING_COUNT || points.some(({ across }) => String(across).length > LYING_LETTERS);
}

/** The last point of each series, where its name can stand; null when the names would lie over each other. */
function findEnds({ points, series }: ChartData, { width, height }: ChartSize): ChartPoint[] | null {
  if (width < LABEL_PX.viewMin) return null;
  const ends = series.flatMap((name) => points.findLast(({ colour }) => colour === name) ?? []);
  const ups = points.map(({ up }) => up);
  const low = Math.min(...ups);
  const high = Math.max(...ups);
  const last = points.at(-1)?.across;
  const sorted = ends.map(({ up }) => ((up - low) / (high - low || 1)) * height).sort((a, b) => a - b);
  const isApart = sorted.every((y, i) => i === 0 || y - (sorted[i - 1] ?? 0) >= LABEL_PX.height);
  return isApart && ends.every(({ across }) => across === last) ? ends : null;
}

/** Dots and brackets lead into a value's inside in a specification, unless they are escaped. */
function escapeField(name: string): string {
  return name.replace(/[\\.[\]'"]/g, "\\$&");
}
