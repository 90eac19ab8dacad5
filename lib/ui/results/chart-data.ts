import type { CellValue } from "@/lib/tabular/json-rows";
import { isNumericField, toPlainText } from "@/lib/ui/cell-text";
import { type ChartShelves, isTimeField, SERIES_MAX } from "@/lib/ui/results/chart-shelves";
import { chooseStep, type Step } from "@/lib/ui/results/chart-steps";
import type { CellTable } from "@/lib/ui/results/row-table";

/** `across` is epoch milliseconds for times, a number for numbers, a text for categories. */
export type ChartPoint = { across: number | string; up: number; colour: string | null };
export type ChartData = {
  scale: "time" | "number" | "category";
  points: ChartPoint[];
  /** The series that are drawn, the greatest first; empty without a colour. */
  series: string[];
  /** How many there are in all: more than are drawn when a chart would not hold them. */
  seriesCount: number;
  categoryCount: number;
  /** Width of a bucket, when values across were put together; null when each stands by itself. */
  step: Step | null;
  /** Rows without a value across or up, which a chart cannot place. */
  skipped: number;
  /** Every n-th row is drawn, when there are too many to draw each of them. */
  everyNth: number;
};

const CATEGORIES_MAX = 30;
const POINTS_MAX = 4000;
/** More places across than this are put together. */
const PLACES_MAX = 400;
const NO_WORD = "null";

type Sum = { sum: number; count: number; min: number; max: number };

/**
 * What a chart draws, from all rows of a result: added up by place and colour, the rest of too many left out and counted.
 * @param rows the rows to take; null for all
 */
export function toChartData(table: CellTable, rows: Uint32Array | null, shelves: ChartShelves): ChartData {
  const indexOf = (name: string | null) => table.fields.findIndex((field) => field.name === name);
  const acrossAt = indexOf(shelves.across);
  const upAt = indexOf(shelves.up.column);
  const colourAt = indexOf(shelves.colour);
  const acrossField = table.fields[acrossAt];
  const scale =
    acrossField === undefined || !(isTimeField(acrossField) || isNumericField(acrossField))
      ? "category"
      : isTimeField(acrossField)
        ? "time"
        : "number";
  const count = rows === null ? table.rowCount : rows.length;
  const rowAt = (i: number) => (rows === null ? i : (rows[i] ?? 0));
  const readAcross = (row: number): number | string | null => {
    const value = table.at(row, acrossAt);
    if (scale === "category") return value === null ? NO_WORD : toPlainText(value);
    return scale === "time" ? toTime(value) : toNumber(value);
  };
  const readUp = (row: number): number | null => (shelves.up.of === "count" ? 1 : toNumber(table.at(row, upAt)));
  const readColour = (row: number): string | null =>
    colourAt < 0 ? null : toPlainText(table.at(row, colourAt)) || NO_WORD;

  if (shelves.up.of === "each") {
    const everyNth = Math.max(1, Math.ceil(count / POINTS_MAX));
    const points: ChartPoint[] = [];
    let skipped = 0;
    for (let i = 0; i < count; i += everyNth) {
      const row = rowAt(i);
      const across = readAcross(row);
      const up = readUp(row);
      if (across === null || up === null) skipped += 1;
      else points.push({ across, up, colour: readColour(row) });
    }
    return { ...pick(points, scale), step: null, skipped, everyNth };
  }

  const step = scale === "category" ? null : findStep(count, (i) => readAcross(rowAt(i)), scale);
  const sums = new Map<string, Map<number | string, Sum>>();
  let skipped = 0;
  for (let i = 0; i < count; i += 1) {
    const row = rowAt(i);
    const at = readAcross(row);
    const up = readUp(row);
    if (at === null || up === null) {
      skipped += 1;
      continue;
    }
    const place = step !== null && typeof at === "number" ? step.floor(at) : at;
    const colour = readColour(row) ?? "";
    let series = sums.get(colour);
    if (series === undefined) {
      series = new Map();
      sums.set(colour, series);
    }
    const sum = series.get(place);
    if (sum === undefined) series.set(place, { sum: up, count: 1, min: up, max: up });
    else {
      sum.sum += up;
      sum.count += 1;
      sum.min = Math.min(sum.min, up);
      sum.max = Math.max(sum.max, up);
    }
  }
  const points = [...sums].flatMap(([colour, places]) =>
    [...places].map(([across, sum]) => ({ across, up: toUp(sum, shelves), colour: colourAt < 0 ? null : colour })),
  );
  return { ...pick(points, scale), step: step?.plain ?? null, skipped, everyNth: 1 };
}

function toUp(sum: Sum, { up }: ChartShelves): number {
  if (up.of === "average") return sum.sum / sum.count;
  if (up.of === "min" || up.of === "max") return sum[up.of];
  return sum.sum;
}

/** The greatest series and categories; what lies along a scale stands in its order. */
function pick(points: ChartPoint[], scale: ChartData["scale"]) {
  const totals = rank(points, ({ colour }) => colour);
  const series = totals.slice(0, SERIES_MAX);
  const categories = scale === "category" ? rank(points, ({ across }) => across) : [];
  const shown = new Set<string | number>(categories.slice(0, CATEGORIES_MAX));
  const places = new Map([...shown].map((category, i) => [category, i]));
  const isKept = ({ across, colour }: ChartPoint) =>
    (colour === null || series.includes(colour)) && (scale !== "category" || shown.has(across));
  const order = ({ across }: ChartPoint) => (typeof across === "number" ? across : (places.get(across) ?? 0));
  return {
    scale,
    points: points.filter(isKept).sort((a, b) => order(a) - order(b)),
    series,
    seriesCount: totals.length,
    categoryCount: categories.length,
  };
}

/** Different values, the one with the greatest total first. */
function rank<T extends string | number>(points: ChartPoint[], of: (point: ChartPoint) => T | null): T[] {
  const totals = new Map<T, number>();
  for (const point of points) {
    const key = of(point);
    if (key !== null) totals.set(key, (totals.get(key) ?? 0) + Math.abs(point.up));
  }
  return [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key);
}

function findStep(count: number, read: (i: number) => number | string | null, scale: "time" | "number") {
  const places = new Set<number>();
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i += 1) {
    const at = read(i);
    if (typeof at !== "number") continue;
    if (places.size <= PLACES_MAX) places.add(at);
    low = Math.min(low, at);
    high = Math.max(high, at);
  }
  return places.size <= PLACES_MAX ? null : chooseStep(low, high, scale, PLACES_MAX / 2);
}

function toNumber(value: CellValue): number | null {
  if (value === null || value === "" || typeof value === "object") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** Without a zone of its own a time is read, and shown, as it is written. */
function toTime(value: CellValue): number | null {
  if (typeof value !== "string") return null;
  const text = value.replace(" ", "T");
  const time = Date.parse(text.length <= 10 || ZONE.test(text) ? text : `${text}Z`);
  return Number.isNaN(time) ? null : time;
}
