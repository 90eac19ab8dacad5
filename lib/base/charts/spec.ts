import type { TopLevelSpec } from "vega-lite";
import { findLabelStep, fitNames, LABEL_GAP_PX, LABEL_PX } from "@/lib/base/charts/axis-labels";
import type { ChartData } from "@/lib/base/charts/data";
import { type NumberAxis, toShort } from "@/lib/base/charts/number-axis";
import type { Mark, Picture } from "@/lib/base/charts/picture";
import { formatShare, formatUp, upFormatOf } from "@/lib/base/charts/words";
import { widestOf } from "@/lib/base/text/text-width";

/** Colours and fonts of the page, as values: a chart cannot read the page's variables. */
export type ChartTheme = {
  series: string[];
  grid: string;
  axis: string;
  text: string;
  surface: string;
  font: string;
};
/** Size in CSS pixels. */
export type ChartSize = { width: number; height: number };
/** Additions to a picture in a file, beyond the marks: a page shows them itself. */
export type ChartFrame = { title: string; lines: string[]; background: string };

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** Length of category names from which the bars are horizontal. */
const LYING_LETTERS = 12;
const LYING_COUNT = 12;
/** Share of a position's width that its bars take; the rest separates them from the next. */
const BAR_PART = 0.8;
const BAR_PX = { min: 1, max: 56 };
/** Left and right padding of a drawing on a page. */
const PADDING_PX = 12;
/** Approximate width of the value axis's labels beside the plot. */
const LABELS_PX = 56;
const DOTS_ON_LINES_MAX = 40;

/** Returns whether bars are horizontal: those with long or many names, so that the names can be read. */
export function isLying({ kind, data }: Picture): boolean {
  if ((kind !== "bar" && kind !== "histogram") || data.scale !== "category") return false;
  return data.places.length > LYING_COUNT || data.places.some(({ at }) => String(at).length > LYING_LETTERS);
}

/** Returns the colour of a series, which does not change when others are hidden. The rest and the past are grey. */
export function colourOf({ series, extras }: ChartData, index: number, theme: ChartTheme): string {
  const own = extras?.colours?.[series[index]?.name ?? ""];
  if (own !== undefined) return theme.series[own - 1] ?? "";
  const { isBefore, of } = series[index] ?? {};
  if (isBefore) return of === undefined ? theme.axis : (theme.series[of % theme.series.length] ?? theme.axis);
  return (series[index]?.isRest ? theme.series.at(-1) : theme.series[index % theme.series.length]) ?? "";
}

/** Returns a picture as a Vega-Lite specification, with every position fixed by the picture, in the page's colours. */
export function toDrawnSpec(picture: Picture, theme: ChartTheme, size: ChartSize, frame?: ChartFrame): TopLevelSpec {
  const { data, kind } = picture;
  const plot = kind === "pie" ? toPie(picture) : kind === "scatter" ? toScatter(picture, size) : toPlot(picture, size);
  const drawn = withTitles([...plot, ...toLabels(picture, plot, theme), ...toGoals(picture, theme, size)], picture);
  const names = data.series.map(({ name }) => name);
  const places = ownPlaces(picture);
  const hasLegend = frame !== undefined && names.length > 1;
  const color = {
    field: "series",
    type: "nominal",
    scale: {
      domain: [...names, ...places],
      range: [
        ...names.map((_, i) => colourOf(data, i, theme)),
        ...places.map((name) => theme.series[(data.extras?.colours?.[name] ?? 1) - 1]),
      ],
    },
    legend: hasLegend
      ? {
          title: null,
          orient: "top",
          symbolType: "square",
          columns: Math.max(1, Math.floor(size.width / 140)),
          values: picture.shown.map((i) => names[i]),
        }
      : null,
  };
  const withColour = ({ isPlain, ...layer }: Layer) =>
    isPlain ? layer : { ...layer, encoding: { ...layer.encoding, color } };
  return {
    ...size,
    autosize: { type: "fit", contains: "padding" },
    padding: frame ? 16 : { left: 4, top: 8, right: 8, bottom: 4 },
    background: frame?.background ?? "transparent",
    ...(frame && { title: toTitle(frame, theme) }),
    ...(drawn.length === 1 && drawn[0] ? withColour(drawn[0]) : { layer: drawn.map(withColour) }),
    config: {
      font: theme.font,
      view: { stroke: null },
      axis: {
        ...{ aria: false, labelColor: theme.axis, gridColor: theme.grid, labelFontSize: LABEL_PX, labelPadding: 8 },
        ...{ titleColor: theme.text, titleFontWeight: 400, titleFontSize: 12 },
      },
      legend: { labelColor: theme.text, labelFontSize: 12, labelLimit: 160 },
      line: { strokeWidth: 2, strokeJoin: "round" },
      bar: { cornerRadiusEnd: 2 },
      rect: { stroke: theme.surface, strokeWidth: 0.5 },
      arc: { stroke: theme.surface, strokeWidth: 1 },
    },
  } as unknown as TopLevelSpec;
}

/** `isPlain` has one colour for all series. */
type Layer = {
  data?: { values: Record<string, unknown>[] };
  mark: unknown;
  encoding: Record<string, unknown>;
  isPlain?: true;
};

/** More labels than these would overlap. */
const VALUE_LABELS_MAX = 60;

/** Returns the categories with a separate colour, where series have none to tell. */
function ownPlaces({ data, kind }: Picture): string[] {
  if (kind !== "bar" || data.scale !== "category" || data.series.length > 1) return [];
  return data.places.flatMap(({ at }) => (data.extras?.colours?.[String(at)] === undefined ? [] : String(at)));
}

/** Adds the titles of the axes. */
function withTitles(layers: Layer[], picture: Picture): Layer[] {
  const { x, y } = picture.data.extras?.titles ?? {};
  if (x === undefined && y === undefined) return layers;
  const [across, up] = isLying(picture) ? ["y", "x"] : ["x", "y"];
  return layers.map((layer) => ({
    ...layer,
    encoding: Object.fromEntries(
      Object.entries(layer.encoding).map(([channel, value]) => {
        const title = channel === across ? x : channel === up ? y : undefined;
        return [channel, title === undefined ? value : { ...(value as object), title }];
      }),
    ),
  }));
}

/** Returns lines at the goals, with their labels at the end. */
function toGoals(picture: Picture, theme: ChartTheme, size: ChartSize): Layer[] {
  const { data, kind, stack, up } = picture;
  const goals = data.extras?.goals ?? [];
  if (goals.length === 0 || kind === "pie" || stack === "share") return [];
  const values = goals.map(({ value, label = "" }) => ({ goal: value, label }));
  const lying = isLying(picture);
  const at = { field: "goal", ...toUp(up, lying ? lyingWidth(picture, size) : undefined) };
  const encoding = lying ? { x: at } : { y: at };
  return [
    { data: { values }, mark: { type: "rule", strokeDash: [5, 4], color: theme.text }, encoding, isPlain: true },
    {
      data: { values },
      mark: {
        ...{ type: "text", color: theme.text, fontSize: 11 },
        ...(lying ? { align: "right", baseline: "bottom", dx: -4 } : { align: "right", baseline: "bottom", dy: -3 }),
      },
      encoding: { ...encoding, ...(lying ? { y: { value: 0 } } : { x: { value: "width" } }), text: { field: "label" } },
      isPlain: true,
    },
  ];
}

/** Returns the values of the marks as text beside them, if there are few enough. */
function toLabels(picture: Picture, [first]: Layer[], theme: ChartTheme): Layer[] {
  const { data, kind, stack, marks, shown } = picture;
  const drawn = marks.filter(({ value }) => value !== null && value !== 0);
  if (data.extras?.labels !== true || kind === "pie" || kind === "scatter" || !first) return [];
  if (drawn.length === 0 || drawn.length > VALUE_LABELS_MAX) return [];
  const isStacked = kind !== "line" && stack !== "apart" && shown.length > 1;
  const lying = isLying(picture);
  const [across, up] = lying ? ["y", "x"] : ["x", "y"];
  const encoding = first.encoding as Record<string, Record<string, unknown>>;
  const isScale = encoding[across]?.field === "from" || encoding[across]?.field === "across";
  if (!isScale) return [];
  const width =
    data.scale === "category" || data.scale === "none" ? null : toBarWidth(picture, { width: 0, height: 0 });
  const values = drawn.map((mark) => {
    const { across: place, low, high, value, series } = mark;
    const end = kind === "line" || stack === "apart" ? (value ?? 0) : (value ?? 0) < 0 ? low : high;
    const middle = width && kind === "histogram" ? Number(place) + width.slot / 2 : place;
    return {
      across: middle,
      up: isStacked ? (low + high) / 2 : end,
      label: toLabel(value ?? 0, series, picture),
      series: data.series[series]?.name ?? "",
    };
  });
  const { xOffset, yOffset } = encoding;
  return [
    {
      data: { values },
      mark: {
        ...{ type: "text", fontSize: 11, color: isStacked ? theme.surface : theme.text },
        ...(isStacked ? {} : lying ? { align: "left", dx: 4 } : { baseline: "bottom", dy: -4 }),
      },
      encoding: {
        [across]: { ...encoding[across], field: "across" },
        [up]: { ...encoding[up], field: "up" },
        ...(xOffset && { xOffset }),
        ...(yOffset && { yOffset }),
        text: { field: "label" },
      },
      isPlain: true,
    },
  ];
}

function toLabel(value: number, series: number, picture: Picture): string {
  const { data, stack } = picture;
  if (stack === "share") return formatShare(value);
  if (upFormatOf(data, series) === undefined) return toShort(value);
  return formatUp(String(value), picture, series, { digits: "grouped", times: "utc" });
}

/** @param widthPx width of the plot below which the labels are; omitted for labels beside it */
function toUp(up: NumberAxis, widthPx?: number) {
  return {
    type: "quantitative",
    title: null,
    axis: toUpAxis(up, widthPx),
    scale: { domain: [up.low, up.high], nice: false, zero: false },
  };
}

function toPlot(picture: Picture, size: ChartSize): Layer[] {
  const { data, kind, marks, stack, shown } = picture;
  const name = (series: number) => data.series[series]?.name ?? "";
  const lying = isLying(picture);
  const up = toUp(picture.up, lying ? lyingWidth(picture, size) : undefined);
  const isAlone = data.places.length === 1;
  if (kind === "line" || (kind === "area" && stack === "apart")) {
    const values = marks.map((mark) => ({ across: mark.across, up: mark.value, series: name(mark.series) }));
    const hasDots = data.places.length < DOTS_ON_LINES_MAX;
    const across = toAcross(picture, size, 0);
    const encoding = { x: { field: "across", ...across }, y: { field: "up", ...up } };
    const before = data.series.filter(({ isBefore }) => isBefore).map((each) => each.name);
    const isBefore = `indexof(${JSON.stringify(before)}, datum.series) >= 0`;
    const line: Layer = {
      mark: {
        type: "line",
        // A line of one point has no length.
        point: isAlone || (hasDots && before.length === 0) ? { size: isAlone ? 60 : 24, filled: true } : false,
        invalid: "break-paths-show-domains",
      },
      encoding: {
        ...encoding,
        ...(before.length > 0 && { strokeDash: { condition: { test: isBefore, value: [3, 4] }, value: [1, 0] } }),
      },
    };
    if (kind === "line") return [{ data: { values }, ...line }];
    return [
      {
        data: { values: values.filter(({ series }) => !before.includes(series)) },
        mark: { type: "area", opacity: 0.18, invalid: "break-paths-show-domains" },
        encoding: { ...encoding, y: { ...encoding.y, stack: null } },
      },
      { data: { values }, ...line, encoding: { ...line.encoding, y: { ...encoding.y, stack: null } } },
    ];
  }
  const drawn = marks.filter(({ value }) => value !== null);
  if (kind === "area" && !isAlone) {
    const values = drawn.map((mark) => ({
      across: mark.across,
      low: mark.low,
      high: mark.high,
      series: name(mark.series),
    }));
    const across = toAcross(picture, size, 0);
    const encoding = { x: { field: "across", ...across }, y: { field: "low", ...up }, y2: { field: "high" } };
    return [{ data: { values }, mark: { type: "area", opacity: 0.85 }, encoding }];
  }
  if (data.scale === "time" || data.scale === "number") {
    const width = toBarWidth(picture, size);
    const values = drawn.map((mark) => {
      const [from, to] = toSides(mark, picture, width);
      return { from, to, low: mark.low, high: mark.high, series: name(mark.series) };
    });
    const across = toAcross(picture, size, width.slot);
    const encoding = {
      x: { field: "from", ...across },
      x2: { field: "to" },
      y: { field: "low", ...up },
      y2: { field: "high" },
    };
    return [{ data: { values }, mark: { type: "rect" }, encoding }];
  }
  const own = new Set(ownPlaces(picture));
  const values = drawn.map((mark) => ({
    across: mark.across,
    low: mark.low,
    high: mark.high,
    series: own.has(String(mark.across)) ? String(mark.across) : name(mark.series),
  }));
  const across = { field: "across", ...toAcross(picture, size, 0) };
  const sub =
    stack === "apart" && shown.length > 1
      ? { field: "series", type: "nominal", scale: { domain: shown.map(name) } }
      : undefined;
  const at = { field: "low", ...up };
  const encoding = lying
    ? { y: across, x: at, x2: { field: "high" }, ...(sub && { yOffset: sub }) }
    : { x: across, y: at, y2: { field: "high" }, ...(sub && { xOffset: sub }) };
  // Two ends would otherwise make a horizontal bar.
  return [
    {
      data: { values },
      mark: {
        type: "bar",
        orient: lying ? "horizontal" : "vertical",
        cornerRadius: stack === "apart" || shown.length < 2 ? 2 : 0,
      },
      encoding,
    },
  ];
}

function toScatter(picture: Picture, size: ChartSize): Layer[] {
  const { data, up, shown } = picture;
  const isShown = new Set(shown);
  const values = data.dots
    .filter(({ series }) => isShown.has(series))
    .map(({ x, y, series }) => ({
      across: data.scale === "category" ? (data.places[x]?.at ?? "") : x,
      up: y,
      series: data.series[series]?.name ?? "",
    }));
  const encoding = {
    x: { field: "across", ...toAcross(picture, size, 0) },
    y: { field: "up", ...toUp(up) },
  };
  return [
    {
      data: { values },
      mark: { type: "point", filled: true, size: 36, opacity: values.length > 1000 ? 0.5 : 0.75 },
      encoding,
    },
  ];
}

const TURN = 2 * Math.PI;
/** Inner radius of a pie's hole, as a fraction of its radius. */
export const PIE_HOLE = 0.58;

function toPie({ data, marks }: Picture): Layer[] {
  const values = marks.map(({ low, high, series }) => ({
    from: low * TURN,
    to: high * TURN,
    series: data.series[series]?.name ?? "",
  }));
  const encoding = {
    theta: { field: "from", type: "quantitative", scale: null, stack: null },
    theta2: { field: "to" },
  };
  return [
    {
      data: { values },
      mark: { type: "arc", outerRadius: { expr: PIE_RADIUS }, innerRadius: { expr: `${PIE_HOLE} * ${PIE_RADIUS}` } },
      encoding,
    },
  ];
}

/** Returns the radius of a pie in pixels; the pie is centred in its plot. */
export function toPieRadius({ width, height }: ChartSize): number {
  return Math.max(10, Math.min(width, height) / 2 - 8);
}
/** The same as an expression of the specification: the space beside title and legend is known only after layout. */
const PIE_RADIUS = "max(10, min(width, height) / 2 - 8)";

/** Widths along a scale, in its units: of a position, and of the bars in it. */
type BarWidth = { slot: number; bar: number };

function toBarWidth({ data, kind }: Picture, { width }: ChartSize): BarWidth {
  const ats = data.places.map(({ at }) => Number(at));
  const unit = data.scale === "time" ? DAY_MS : 1;
  const gaps = ats.slice(1).map((at, i) => at - (ats[i] ?? at));
  const slot =
    data.step?.size ??
    (gaps.length > 0 ? gaps.reduce((least, gap) => Math.min(least, gap), Number.POSITIVE_INFINITY) : unit);
  const span = (ats.at(-1) ?? 0) - (ats[0] ?? 0) + slot;
  const px = span / Math.max(1, width - LABELS_PX);
  if (kind === "histogram") return { slot, bar: slot };
  return { slot, bar: Math.max(BAR_PX.min * px, Math.min(BAR_PX.max * px, slot * BAR_PART)) };
}

/**
 * Returns the left and right side of a bar: bins start at their position, bars are centred on it, or side by side if
 * they are not stacked.
 */
function toSides({ across, series }: Mark, { kind, stack, shown }: Picture, { slot, bar }: BarWidth): [number, number] {
  const at = Number(across);
  if (kind === "histogram") return [at, at + slot];
  if (stack !== "apart" || shown.length < 2) return [at - bar / 2, at + bar / 2];
  const part = bar / shown.length;
  const from = at - bar / 2 + shown.indexOf(series) * part;
  return [from, from + part];
}

/** Minimum gap between labels below each other. */
const LINE_GAP_PX = 1;
/** Hides labels that come closer than their gap. */
const APART = { labelOverlap: true, labelSeparation: LABEL_GAP_PX };

/** Returns the largest width of the category names beside horizontal bars, in pixels. */
function lyingLimit({ width }: ChartSize): number {
  return Math.min(180, width * 0.4);
}

/** Returns the approximate width of a plot of horizontal bars, in pixels: without the names beside it. */
function lyingWidth({ data }: Picture, size: ChartSize): number {
  const names = Math.min(
    lyingLimit(size),
    widestOf(
      data.places.map(({ at }) => String(at)),
      LABEL_PX,
    ),
  );
  return Math.max(1, size.width - PADDING_PX - names - LABEL_GAP_PX);
}

/** Returns the approximate width of the plot, in pixels: without the labels beside it. */
function toPlotWidth(picture: Picture, { width }: ChartSize): number {
  return Math.max(1, width - PADDING_PX - widestOf(picture.up.labels, LABEL_PX) - LABEL_GAP_PX);
}

function toAcross(picture: Picture, size: ChartSize, slot: number) {
  const { data, kind, across } = picture;
  const plain = { grid: false, domain: false, ticks: false, labelAngle: 0, ...APART };
  const plotPx = toPlotWidth(picture, size);
  if (kind === "scatter" ? data.scale === "category" : data.scale === "category" || data.scale === "none") {
    const lying = isLying(picture);
    const domain = data.places.map(({ at }) => at);
    const isSpread = kind === "line" || kind === "area" || kind === "scatter";
    const { nth, limit } = lying ? { nth: 1, limit: lyingLimit(size) } : fitNames(domain.map(String), plotPx);
    return {
      type: "ordinal",
      sort: null,
      title: null,
      scale: { domain, ...(isSpread ? { type: "point", padding: 0.5 } : { paddingInner: 0.2, paddingOuter: 0.1 }) },
      axis: {
        ...{ ...plain, labels: data.scale !== "none", labelLimit: limit },
        // Lines of text need less between them than words beside each other.
        ...(lying && { labelSeparation: LINE_GAP_PX }),
        ...(nth > 1 && { values: domain.filter((_, i) => i % nth === 0) }),
      },
    };
  }
  const found = kind === "scatter" ? data.dots.map(({ x }) => x) : data.places.map(({ at }) => Number(at));
  const ats = found.length === 0 ? [0] : found;
  const least = ats.reduce((low, at) => Math.min(low, at), Number.POSITIVE_INFINITY);
  const most = ats.reduce((high, at) => Math.max(high, at), Number.NEGATIVE_INFINITY);
  const isBins = kind === "histogram";
  const alone = least === most && slot === 0 ? (data.scale === "time" ? DAY_MS : 1) : slot;
  const low = least - (isBins ? 0 : alone / 2);
  const high = most + (isBins ? slot : alone / 2);
  if (data.scale === "time") {
    return {
      type: "temporal",
      title: null,
      scale: { type: "utc", domain: { signal: `[${low}, ${high}]` }, nice: false },
      axis: { ...plain, ...toTimeAxis(ats, { low, high }, plotPx, dateFormOf(data)) },
    };
  }
  if (across === null) return { type: "quantitative", title: null, axis: plain };
  const isTight = slot > 0;
  const ticks = across.ticks
    .map((tick, i) => ({ tick, label: across.labels[i] ?? "" }))
    .filter(({ tick }) => !isTight || (tick >= low && tick <= high));
  const [from, to] = isTight ? [low, high] : [across.low, across.high];
  const labelPx = widestOf(
    ticks.map(({ label }) => label),
    LABEL_PX,
  );
  const nth = findLabelStep(
    ticks.map(({ tick }) => ((tick - from) / (to - from || 1)) * plotPx),
    labelPx,
    plotPx,
  );
  return {
    type: "quantitative",
    title: null,
    scale: { domain: [from, to], nice: false, zero: false },
    axis: {
      ...plain,
      values: ticks.flatMap(({ tick }, i) => (i % nth === 0 ? [tick] : [])),
      labelExpr: toLabelExpr(
        ticks.map(({ tick }) => tick),
        ticks.map(({ label }) => label),
      ),
    },
  };
}

const DATE_SPECIFIERS = { day: "%-d %b %Y", month: "%b %Y", year: "%Y", weekday: "%a %-d %b", time: "%H:%M" } as const;

/** Notations of dates that stand for spans; weeks and days are shown as days. */
const GRAIN_SPECIFIERS: Readonly<Record<string, string>> = { year: "%Y", quarter: "Q%q %Y", month: "%b %Y" };

/** Returns the notation of the x axis's date format, else of its grain; null without them. */
function dateFormOf({ acrossField, step, extras }: ChartData): string | null {
  const form = acrossField ? extras?.formats?.[acrossField.name]?.date : undefined;
  if (form !== undefined) return DATE_SPECIFIERS[form] ?? null;
  return GRAIN_SPECIFIERS[step?.name ?? acrossField?.grain ?? ""] ?? null;
}

/**
 * Returns which values below a plot have room for their label: every nth, or the ends, or the last one. The library
 * writes the ends even one over the other.
 */
function fitValues(
  ticks: readonly number[],
  labelPx: number,
  { low, high, widthPx }: { low: number; high: number; widthPx: number },
): (index: number) => boolean {
  const xs = ticks.map((tick) => ((tick - low) / (high - low || 1)) * widthPx);
  const nth = findLabelStep(xs, labelPx, widthPx);
  if (nth < ticks.length || ticks.length === 1) return (index) => index % nth === 0;
  const last = ticks.length - 1;
  const hasBoth = findLabelStep([xs[0] ?? 0, xs[last] ?? 0], labelPx, widthPx) === 1;
  return (index) => index === last || (index === 0 && hasBoth);
}

function toUpAxis({ ticks, labels, low, high }: NumberAxis, widthPx?: number) {
  const isShown =
    widthPx === undefined ? () => true : fitValues(ticks, widestOf(labels, LABEL_PX), { low, high, widthPx });
  return {
    grid: true,
    domain: false,
    ticks: false,
    values: ticks,
    labelExpr: toLabelExpr(
      ticks,
      labels.map((label, i) => (isShown(i) ? label : "")),
    ),
    ...(widthPx === undefined ? APART : { labelOverlap: false }),
  };
}

/** Returns an expression for the precomputed labels: a tick's position among the others selects its label. */
function toLabelExpr(ticks: number[], labels: string[]): string {
  const [first = 0, second = first + 1] = ticks;
  // A unit may have line separators, which end no text in JSON but do in an expression.
  const list = JSON.stringify(labels).replace(/[\u2028\u2029]/g, " ");
  return `${list}[round((datum.value - ${first}) / ${second - first})]`;
}

/** Width of a date in each notation, at its widest. */
const DATE_PX: Record<string, number> = {
  "%b %Y": widestOf(["May 2026"], LABEL_PX),
  "Q%q %Y": widestOf(["Q4 2026"], LABEL_PX),
  "%H:%M": widestOf(["00:00"], LABEL_PX),
  "%-d %b": widestOf(["30 May"], LABEL_PX),
  "%Y": widestOf(["2026"], LABEL_PX),
};
const DATE_PX_MOST = widestOf(["30 May 2026"], LABEL_PX);

/** Returns a time axis with labels at the positions themselves if they are few, in their grain. */
function toTimeAxis(ats: number[], { low, high }: { low: number; high: number }, plotPx: number, form: string | null) {
  const places = [...new Set(ats)].sort((a, b) => a - b);
  const span = high - low;
  const hasClock = places.some((place) => place % DAY_MS !== 0);
  const format = form ?? (span > 2 * YEAR_MS ? "%b %Y" : hasClock && span < 2 * DAY_MS ? "%H:%M" : "%-d %b");
  const labelPx = DATE_PX[format] ?? DATE_PX_MOST;
  const nth = findLabelStep(
    places.map((place) => ((place - low) / (span || 1)) * plotPx),
    labelPx,
    plotPx,
  );
  // A scale does not hide one of two labels that overlap.
  const roundCount = Math.floor(plotPx / (2 * labelPx));
  if (nth > 1 && roundCount >= 2 && !isEven(places)) return { format, tickCount: roundCount };
  // As an expression: a list of numbers would become dates by a call that the interpreter reads as a year.
  return { format, values: { signal: `[${places.filter((_, i) => i % nth === 0).join()}]` } };
}

/**
 * Returns whether ticks are evenly spaced. Weeks and months have labels where they start, not on the Sundays and firsts
 * that a scale would choose.
 */
function isEven(places: number[]): boolean {
  const gaps = places.slice(1).map((at, i) => at - (places[i] ?? at));
  const least = gaps.reduce((low, gap) => Math.min(low, gap), Number.POSITIVE_INFINITY);
  return gaps.every((gap) => gap < 1.2 * least);
}

/** Returns a figure for a file, without a page around it. */
export function toFigureSpec(
  figures: { name: string; value: string; note: string }[],
  theme: ChartTheme,
  size: ChartSize,
  frame: ChartFrame,
): TopLevelSpec {
  const part = size.width / Math.max(1, figures.length);
  const text = (field: string, y: number, fontSize: number, color: string, fontWeight: number) => ({
    mark: { type: "text", align: "left", baseline: "top", fontSize, color, fontWeight, limit: part - 16 },
    encoding: {
      text: { field, type: "nominal" },
      x: { field: "at", type: "quantitative", scale: null, axis: null },
      y: { value: y },
    },
  });
  return {
    ...size,
    padding: 16,
    background: frame.background,
    title: toTitle(frame, theme),
    data: { values: figures.map((figure, i) => ({ ...figure, at: i * part })) },
    layer: [
      text("name", 12, 13, theme.text, 400),
      text("value", 34, 36, theme.text, 600),
      text("note", 84, 13, theme.axis, 400),
    ],
    config: { font: theme.font, view: { stroke: null } },
  } as unknown as TopLevelSpec;
}

function toTitle({ title, lines }: ChartFrame, theme: ChartTheme) {
  return {
    text: title,
    subtitle: lines,
    anchor: "start",
    fontSize: 14,
    fontWeight: 600,
    color: theme.text,
    subtitleColor: theme.axis,
    subtitleFontSize: 12,
    subtitlePadding: 6,
    offset: 12,
  };
}

/** Sizes of the series' names at the ends of their lines: their width, and the gap that prevents an overlap. */
const ENDS = { letterPx: 6.8, gapPx: 18, roomMax: 160, rowPx: 17, viewMin: 420, axisPx: 40 };

/**
 * Returns the width that the series' names need at the ends of their lines; null if they would overlap or there is no
 * room, and a legend shows them instead. Hidden series are listed at the bottom.
 */
export function findEndsRoom(picture: Picture, { width, height }: ChartSize): number | null {
  const { data, kind, shown, stops, up } = picture;
  if (kind !== "line" || data.series.length < 2 || width < ENDS.viewMin) return null;
  const last = stops.at(-1);
  const ys = shown.map((series) => last?.rows.find((row) => row.series === series)?.at ?? null);
  if (ys.some((y) => y === null)) return null;
  const plot = height - ENDS.axisPx;
  const px = ys.map((y) => ((up.high - (y ?? 0)) / (up.high - up.low || 1)) * plot);
  const off = data.series.flatMap((_, i) => (shown.includes(i) ? [] : [i]));
  const all = [...px, ...off.map((_, i) => plot - i * ENDS.rowPx)].sort((a, b) => a - b);
  if (all.some((y, i) => i > 0 && y - (all[i - 1] ?? 0) < ENDS.rowPx)) return null;
  const letters = data.series.reduce((most, { name }) => Math.max(most, name.length), 0);
  return Math.min(ENDS.roomMax, letters * ENDS.letterPx + ENDS.gapPx);
}
