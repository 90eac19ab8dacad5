import type { ChartCell } from "@/lib/base/charts/amount";
import type { ChartData, Met } from "@/lib/base/charts/data";
import { type NumberAxis, toNumberAxis } from "@/lib/base/charts/number-axis";
import {
  type ChartKind,
  type ChartSettings,
  isAdditive,
  type Stacking,
  toDrawable,
  toMeasureName,
} from "@/lib/base/charts/settings";
import { DIGITS_MAX, formatValue, type ValueFormat } from "@/lib/base/charts/value-format";
import { formatCountOf } from "@/lib/base/values/amounts";
import { isIdentifierField } from "@/lib/base/values/cell-text";
import { compareNumberText, isPlainNumber, sumNumberTexts } from "@/lib/base/values/exact-number";
import type { ResultField } from "@/lib/base/values/json-rows";

/**
 * A drawn element: a segment of a bar, a point of a line, a slice (`low` and `high` are then parts of the circle).
 * `value` is null where a line is interrupted.
 */
export type Mark = {
  place: number;
  series: number;
  across: number | string;
  low: number;
  high: number;
  value: number | null;
};
/** One series at a stop of the crosshair. `at` is its position on the value axis; null without a value. */
export type StopRow = { series: number; text: string | null; share: number | null; at: number | null };
/**
 * A stop of the crosshair. `place` is the index of the position, of the dot in a scatter chart, or of the slice in a
 * pie.
 */
export type Stop = { place: number; across: number | string; rows: StopRow[]; total: string | null };

/** A chart as it can be drawn without misleading: all positions, and the notes beside it. */
export type Picture = {
  kind: ChartKind;
  stack: Stacking;
  settings: ChartSettings;
  data: ChartData;
  /** Indexes of the shown series; the others are hidden. */
  shown: number[];
  marks: Mark[];
  stops: Stop[];
  up: NumberAxis;
  /** Null for categories, times and charts without this axis. */
  across: NumberAxis | null;
  /** Deviations from the settings, with their reasons. */
  notes: string[];
};

/** Relative difference of values below which no picture shows it. */
const VISIBLE = 1e-10;

/** @param hidden indexes of the hidden series */
export function toPicture(data: ChartData, kept: ChartSettings, hidden: ReadonlySet<number> = new Set()): Picture {
  const settings = toDrawable(kept, data.acrossField ? [data.acrossField] : []);
  const shown = data.series.map((_, i) => i).filter((i) => !hidden.has(i));
  const notes: string[] = [];
  const { kind, stack } = choose(data, settings, shown, notes);
  const marks = kind === "scatter" ? [] : kind === "pie" ? toSlices(data, shown) : toMarks(data, shown, kind, stack);
  const stops =
    kind === "scatter"
      ? toDotStops(data, hidden)
      : kind === "pie"
        ? toSliceStops(marks, data)
        : toStops(data, shown, marks, stack);
  const ups =
    kind === "scatter"
      ? stops.map(({ rows }) => rows[0]?.at ?? 0)
      : marks.flatMap(({ low, high, value }) => (value === null ? [] : [low, high]));
  const goals = (data.extras?.goals ?? []).map(({ value }) => value);
  const [low, high] = extent(ups);
  const [least, most] = extent(stack === "share" || kind === "pie" ? ups : [...ups, ...goals]);
  const isShare = stack === "share";
  const field = data.upFields[0] ?? null;
  const axis = toNumberAxis({
    low: isShare ? 0 : least,
    high: isShare ? 1 : most,
    isZero: kind === "bar" || kind === "area" || kind === "histogram",
    isWhole: !isShare && ups.every(Number.isInteger),
    isShare,
    isName: kind === "scatter" && field !== null && isIdentifierField(field),
  });
  const format = isShare ? undefined : data.upFormats?.[0];
  const up = format ? { ...axis, labels: axis.ticks.map((tick) => formatTick(tick, axis, format)) } : axis;
  if ((kind === "line" || kind === "scatter") && (up.low > 0 || up.high < 0)) {
    const near = up.low > 0 ? 0 : -1;
    notes.push(`The y-axis starts at ${up.labels.at(near) ?? ""}.`);
  }
  if (kind !== "pie" && kind !== "kpi" && isBeyondSight(stops, low, high)) {
    notes.push("Differences are too small to draw. View as table.");
  }
  if (hidden.size > 0 && (isShare || kind === "pie")) notes.push("Percentages include visible series only.");
  return { kind, stack, settings, data, shown, marks, stops, up, across: toAcross(data, kind), notes };
}

/** Field of a tick, without a column. */
const TICK: ResultField = { name: "", type: "float64" };

/** Writes a tick in its column's format: with as many digits as the steps need, unless the format says so. */
function formatTick(tick: number, { ticks }: NumberAxis, format: ValueFormat): string {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0)) * (format.style === "percent" ? 100 : 1);
  const digits =
    format.style === "short" ? undefined : Math.max(0, Math.min(DIGITS_MAX, -Math.floor(Math.log10(step))));
  return formatValue(tick, TICK, { style: "plain", digits, ...format }, { digits: "grouped", times: "utc" });
}

/** Returns whether there is nothing to draw: no row, or no value in any of them. */
export function isBlank({ data, marks, stops, kind }: Picture): boolean {
  if (kind === "scatter") return data.dots.length === 0;
  if (kind === "kpi") return !data.cells.some((met) => met.some(isCell));
  return (
    !marks.some(({ value }) => value !== null) && stops.every(({ rows }) => rows.every(({ text }) => text === null))
  );
}

/** Chooses the kind and the stacking that represent these values correctly. */
function choose(
  data: ChartData,
  settings: ChartSettings,
  shown: number[],
  notes: string[],
): Pick<Picture, "kind" | "stack"> {
  const { kind, up } = settings;
  const values = shown.flatMap((series) => (data.cells[series] ?? []).filter(isCell).map(({ value }) => value));
  const negatives = values.filter((value) => value < 0).length;
  const odd = up.find((measure) => !isAdditive(measure));
  const count = `${formatCountOf(negatives, "value is", "values are")} negative`;
  if (kind === "pie") {
    const why = odd
      ? `${toMeasureName(odd)} isn't a part of a whole`
      : negatives > 0
        ? count
        : values.length > 0 && values.every((value) => value === 0)
          ? "all values are 0"
          : null;
    if (why === null) return { kind, stack: "stacked" };
    notes.push(`Shown as bars: ${why}.`);
    return { kind: "bar", stack: "apart" };
  }
  if (kind !== "bar" && kind !== "area" && kind !== "histogram") return { kind, stack: "apart" };
  if (data.series.length < 2 && settings.stack !== "share")
    return { kind, stack: kind === "area" ? "apart" : "stacked" };
  if (settings.stack === "apart") return { kind, stack: "apart" };
  if (odd !== undefined) {
    notes.push(`${toMeasureName(odd)} can't be stacked. Shown ${kind === "area" ? "overlaid" : "grouped"}.`);
    return { kind, stack: "apart" };
  }
  if (negatives > 0 && kind === "area") {
    notes.push(`Shown overlaid: ${count}.`);
    return { kind, stack: "apart" };
  }
  if (negatives > 0 && settings.stack === "share") {
    notes.push(`Shown stacked, not as percentages: ${count}.`);
    return { kind, stack: "stacked" };
  }
  return { kind, stack: settings.stack };
}

function toMarks({ places, cells }: ChartData, shown: number[], kind: ChartKind, stack: Stacking): Mark[] {
  const marks: Mark[] = [];
  for (const [place, { at }] of places.entries()) {
    let above = 0;
    let below = 0;
    const sum = stack === "share" ? shown.reduce((all, series) => all + toValue(cells[series]?.[place]), 0) : 1;
    for (const series of shown) {
      const met = cells[series]?.[place] ?? null;
      if (stack === "apart") {
        if (met === null) continue;
        const value = met === "empty" ? null : met.value;
        marks.push({
          place,
          series,
          across: at,
          low: kind === "line" ? (value ?? 0) : Math.min(0, value ?? 0),
          high: kind === "line" ? (value ?? 0) : Math.max(0, value ?? 0),
          value,
        });
        continue;
      }
      // A stacked area continues where a series has no value, or it would be drawn over the others.
      if (!isCell(met) && kind !== "area") continue;
      const value = toValue(met) / (sum || 1);
      if (value < 0) {
        marks.push({ place, series, across: at, low: below + value, high: below, value });
        below += value;
      } else {
        marks.push({ place, series, across: at, low: above, high: above + value, value });
        above += value;
      }
    }
  }
  return marks;
}

function toSlices({ cells }: ChartData, shown: number[]): Mark[] {
  const sum = shown.reduce((all, series) => all + toValue(cells[series]?.[0]), 0);
  let from = 0;
  return shown.flatMap((series) => {
    const value = toValue(cells[series]?.[0]);
    if (value === 0 || sum === 0) return [];
    const low = from;
    from += value / sum;
    return [{ place: 0, series, across: 0, low, high: Math.min(1, from), value }];
  });
}

function toStops({ places, cells }: ChartData, shown: number[], marks: Mark[], stack: Stacking): Stop[] {
  const byPlace: Mark[][] = places.map(() => []);
  for (const mark of marks) byPlace[mark.place]?.push(mark);
  return places.map(({ at }, place) => {
    const met = shown.map((series): [number, Met] => [series, cells[series]?.[place] ?? null]);
    const texts = met.flatMap(([, cell]) => (isCell(cell) ? [cell.text] : []));
    const sum = stack === "share" ? met.reduce((all, [, cell]) => all + toValue(cell), 0) : 0;
    const rows = met.map(([series, cell]): StopRow => {
      const mark = byPlace[place]?.find((each) => each.series === series);
      return {
        series,
        text: isCell(cell) ? cell.text : null,
        share: stack === "share" && isCell(cell) && sum > 0 ? cell.value / sum : null,
        at:
          !isCell(cell) || mark === undefined
            ? null
            : stack === "apart"
              ? cell.value
              : cell.value < 0
                ? mark.low
                : mark.high,
      };
    });
    return { place, across: at, rows, total: stack === "apart" || texts.length < 2 ? null : addTexts(texts) };
  });
}

function toSliceStops(marks: Mark[], { cells }: ChartData): Stop[] {
  return marks.map(({ series, low, high }) => {
    const met = cells[series]?.[0] ?? null;
    return {
      place: series,
      across: (low + high) / 2,
      rows: [{ series, text: isCell(met) ? met.text : null, share: high - low, at: 1 }],
      total: null,
    };
  });
}

function toDotStops({ dots }: ChartData, hidden: ReadonlySet<number>): Stop[] {
  return dots
    .map((dot, place) => ({ dot, place }))
    .filter(({ dot }) => !hidden.has(dot.series))
    .sort((a, b) => a.dot.x - b.dot.x || a.dot.y - b.dot.y)
    .map(({ dot, place }) => ({
      place,
      across: dot.x,
      rows: [{ series: dot.series, text: dot.yText, share: null, at: dot.y }],
      total: null,
    }));
}

function toAcross({ scale, places, dots, step, acrossField }: ChartData, kind: ChartKind): NumberAxis | null {
  if (scale !== "number" || kind === "kpi" || kind === "pie") return null;
  const ats = kind === "scatter" ? dots.map(({ x }) => x) : places.map(({ at }) => Number(at));
  const [low, high] = extent(ats);
  const isName = acrossField !== null && isIdentifierField(acrossField);
  return toNumberAxis({
    low,
    high: kind === "histogram" && step !== null ? high + step.size : high,
    isZero: false,
    isWhole: ats.every(Number.isInteger),
    isName,
    tickCount: 7,
  });
}

/** Returns whether values differ but are on the same pixel at any size of the picture. */
function isBeyondSight(stops: Stop[], low: number, high: number): boolean {
  if (high - low > VISIBLE * Math.max(Math.abs(low), Math.abs(high))) return false;
  const texts = stops.flatMap(({ rows }) =>
    rows.flatMap(({ text }) => (text !== null && isPlainNumber(text) ? [text] : [])),
  );
  const [first] = texts;
  return first !== undefined && texts.some((text) => compareNumberText(text, first) !== 0);
}

function addTexts(texts: string[]): string | null {
  return sumNumberTexts(texts)?.sum ?? null;
}

function extent(values: number[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? [0, 0] : [low, high];
}

export function isCell(met: Met | undefined): met is ChartCell {
  return met !== null && met !== undefined && met !== "empty";
}

function toValue(met: Met | undefined): number {
  return isCell(met) ? met.value : 0;
}
