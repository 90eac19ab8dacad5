import { Amount, type ChartCell, toNumber } from "@/lib/base/charts/amount";
import type { ChartExtras } from "@/lib/base/charts/extras";
import { wallClock } from "@/lib/base/charts/moments";
import {
  type ChartSettings,
  isTimeField,
  type Measure,
  SERIES_MAX,
  TOP_MAX,
  toDrawable,
  toMeasureName,
} from "@/lib/base/charts/settings";
import { chooseStep, type Rounding, type Step } from "@/lib/base/charts/steps";
import type { ValueFormat } from "@/lib/base/charts/value-format";
import { isNumericField, toPlainText } from "@/lib/base/values/cell-text";
import type { CellTable, CellValue, ResultField } from "@/lib/base/values/json-rows";
import { naturalKey } from "@/lib/base/values/natural-key";

/**
 * A position on the x axis. `at` is a local wall-clock time in epoch milliseconds, a number, or a category's label;
 * `text` is the original value, null for a bucket.
 */
export type ChartPlace = { at: number | string; text: string | null };
/**
 * `isRest` marks the sum of the smaller series. `isBefore` marks an earlier period, drawn dashed: in the colour of the
 * series `of`, or grey for a single series.
 */
export type ChartSeries = { name: string; isRest: boolean; isBefore?: boolean; of?: number };
/** A row that is drawn individually. `series` is the index of its series. */
export type ChartDot = { x: number; y: number; xText: string; yText: string; series: number };
/** "empty" for rows without a value; null for no rows. */
export type Met = ChartCell | "empty" | null;

/** Aggregated rows of a result under a chart's settings, as plain data that a worker can send. */
export type ChartData = {
  /** "none" for a figure, and for a pie: it has one place. */
  scale: "time" | "number" | "category" | "none";
  /** Width of a bucket, if values across were grouped; null if each stays separate. */
  step: Step | null;
  acrossField: ResultField | null;
  /** The column of each measure; null if the values no longer have the column's type. */
  upFields: (ResultField | null)[];
  places: ChartPlace[];
  series: ChartSeries[];
  /** `cells[series][place]`. */
  cells: Met[][];
  dots: ChartDot[];
  rowCount: number;
  /** Number of rows without a position on the x axis, and of missing values. */
  noPlace: number;
  noValue: number;
  /** Total number of categories and of series; number of categories in "other". */
  placeCount: number;
  seriesCount: number;
  restPlaces: number;
  /** Every n-th row is drawn, if there are too many for all. */
  everyNth: number;
  /** Whether rows at one position were summed although each should be drawn. */
  isAddedUp: boolean;
  /** Number of x values that are too long to be distinguished from their neighbours in a picture. */
  blurred: number;
  extras?: ChartExtras;
  /** The format of each measure, by its column. */
  upFormats?: (ValueFormat | undefined)[];
};

const CATEGORIES_MAX = 30;
const DOTS_MAX = 4000;
/** Maximum number of positions on the x axis; more are grouped. */
const PLACES_MAX = 400;
const BINS = { min: 5, max: 30 };

/**
 * Returns the data of a chart from all rows of a result: summed exactly by place and series. Places and series beyond
 * the limit are grouped or left out, and counted.
 * @param rows the rows to include; null for all
 * @param zone the reader's zone, which sets the start of a day; null for UTC
 */
export function toChartData(
  table: CellTable,
  rows: Uint32Array | null,
  kept: ChartSettings,
  zone: string | null = null,
): ChartData {
  const source = toSource(table, rows, toDrawable(kept, table.fields), zone);
  const { extras } = kept;
  const drawn = source.settings.kind === "scatter" ? toDots(source) : toGroups(source);
  const data = source.settings.kind === "histogram" ? withEmptyBins(drawn) : drawn;
  if (extras === undefined) return data;
  const upFormats = kept.up.map(({ column }) => (column === null ? undefined : extras.formats?.[column]));
  return { ...data, extras, upFormats };
}

/** The rows of a chart, and the meaning of their columns. Columns are indexes, -1 for none. */
type Source = {
  settings: ChartSettings;
  scale: ChartData["scale"];
  acrossField: ResultField | null;
  upFields: (ResultField | null)[];
  across: number;
  colour: number;
  up: number[];
  rowCount: number;
  /** Whether each row is drawn, instead of a sum. */
  isEach: boolean;
  everyNth: number;
  /** @param row from 0, within the included rows; null for no column */
  cell: (row: number, column: number) => CellValue;
  /** Returns the position of a value on the x axis; null for none. */
  place: (value: CellValue) => number | string | null;
};

function toSource(table: CellTable, rows: Uint32Array | null, settings: ChartSettings, zone: string | null): Source {
  const { kind, up } = settings;
  const indexOf = (name: string | null) => table.fields.findIndex((field) => field.name === name);
  // The slices of a pie are series: they have colours, and share one position.
  const across = indexOf(kind === "pie" ? null : settings.across);
  const acrossField = table.fields[across] ?? null;
  const scale = toScale(acrossField);
  const rowCount = rows === null ? table.rowCount : rows.length;
  const isEach = up.some(({ of }) => of === "each");
  const toTime = wallClock(zone);
  return {
    settings,
    scale,
    acrossField,
    upFields: up.map(({ of, column }) =>
      of === "each" || of === "min" || of === "max" ? (table.fields[indexOf(column)] ?? null) : null,
    ),
    across,
    colour: indexOf(kind === "pie" ? settings.across : settings.colour),
    up: up.map(({ column }) => indexOf(column)),
    rowCount,
    isEach,
    everyNth: isEach ? Math.max(1, Math.ceil(rowCount / DOTS_MAX)) : 1,
    cell: (row, column) => (column < 0 ? null : table.at(rows === null ? row : (rows[row] ?? 0), column)),
    place: (value) => {
      if (scale === "none") return 0;
      if (scale === "category") return toKey(value);
      if (scale === "time") return toTime(value);
      return toNumber(value);
    },
  };
}

/** Returns one dot for each row of a scatter chart. */
function toDots({ settings, scale, cell, place, ...source }: Source): ChartData {
  const { across, colour, everyNth, rowCount } = source;
  const up = source.up[0] ?? -1;
  const found: (Omit<ChartDot, "series"> & { key: string })[] = [];
  const totals = new Map<string, number>();
  const categories = new Map<string | number, number>();
  const counts = { noPlace: 0, noValue: 0, blurred: 0 };
  for (let row = 0; row < rowCount; row += everyNth) {
    const value = cell(row, across);
    const at = place(value);
    const y = toNumber(cell(row, up));
    if (at === null) counts.noPlace += 1;
    else if (y === null) counts.noValue += 1;
    else {
      const key = colour < 0 ? "" : toKey(cell(row, colour));
      totals.set(key, (totals.get(key) ?? 0) + 1);
      // A category's position is its index in the order of the rows.
      if (typeof at === "string" && !categories.has(at)) categories.set(at, categories.size);
      const x = typeof at === "string" ? (categories.get(at) ?? 0) : at;
      if (isBlurred(value, scale)) counts.blurred += 1;
      const xText = scale === "category" ? fromKey(at) : toPlainText(value);
      found.push({ x, y, xText, yText: toPlainText(cell(row, up)), key });
    }
  }
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const chosen = cutSeries(ranked, SERIES_MAX);
  const indexes = new Map(ranked.map((key, i) => [key, Math.min(i, chosen.kept.length)]));
  return {
    scale,
    acrossField: source.acrossField,
    upFields: source.upFields,
    rowCount,
    step: null,
    places: [...categories.keys()].map((key) => ({ at: fromKey(key), text: fromKey(key) })),
    series: colour < 0 ? [toOnly(settings.up)] : nameAll(chosen.kept, chosen.hasRest),
    cells: [],
    dots: found.map(({ key, ...dot }) => ({ ...dot, series: colour < 0 ? 0 : (indexes.get(key) ?? 0) })),
    ...counts,
    placeCount: categories.size,
    seriesCount: colour < 0 ? 1 : ranked.length,
    restPlaces: 0,
    everyNth,
    isAddedUp: false,
  };
}

/** Amounts by series: a measure's number, or the key of a colour. */
type Amounts = Map<string, Amount>;

type Grouped = {
  step: Rounding | null;
  amounts: Map<number | string, Amounts>;
  /** Original texts of the positions on a scale without steps. */
  texts: Map<number | string, string>;
  noPlace: number;
  noValue: number;
  blurred: number;
};

/** Sums the rows by place and series. */
function groupRows({ settings: { kind, up }, scale, cell, place, ...source }: Source): Grouped {
  const { across, colour, isEach, everyNth, rowCount } = source;
  const isSeparate = scale === "category" || scale === "none" || (isEach && kind !== "histogram");
  const at = (row: number) => place(cell(row, across));
  const step = isSeparate ? null : findStep(rowCount, everyNth, at, scale, kind === "histogram");
  const grouped: Grouped = { step, amounts: new Map(), texts: new Map(), noPlace: 0, noValue: 0, blurred: 0 };
  for (let row = 0; row < rowCount; row += everyNth) {
    const value = cell(row, across);
    const position = place(value);
    if (position === null) {
      grouped.noPlace += 1;
      continue;
    }
    if (isBlurred(value, scale)) grouped.blurred += 1;
    const key = step !== null && typeof position === "number" ? step.floor(position) : position;
    let amounts = grouped.amounts.get(key);
    if (amounts === undefined) {
      amounts = new Map();
      grouped.amounts.set(key, amounts);
      if (step === null && scale !== "category") grouped.texts.set(key, toPlainText(value));
    }
    for (const [m, measure] of up.entries()) {
      const series = colour < 0 ? String(m) : toKey(cell(row, colour));
      let amount = amounts.get(series);
      if (amount === undefined) {
        amount = new Amount();
        amounts.set(series, amount);
      }
      amount.rows += 1;
      if (measure.of !== "count" && !amount.add(cell(row, source.up[m] ?? -1))) grouped.noValue += 1;
    }
  }
  return grouped;
}

/** Returns the sums of a chart by place and series. */
function toGroups(source: Source): ChartData {
  const { settings, scale, colour } = source;
  const grouped = groupRows(source);
  const measureOf = (series: string): Measure =>
    (colour < 0 ? settings.up[Number(series)] : settings.up[0]) ?? { of: "count", column: null };
  const weigh: Weigh = (series, amount) => Math.abs(amount.read(measureOf(series))?.value ?? 0);
  const { columns, restCount } = choosePlaces(source, grouped, weigh);
  const { shown, hasRest, count } = chooseSeries(source, columns, weigh);
  const cells = shown.map((series) => columns.map(({ amounts }) => toMet(amounts.get(series), measureOf(series))));
  if (hasRest) {
    const known = new Set(shown);
    cells.push(columns.map(({ amounts }) => toMet(sumOthers(amounts, known), measureOf(""))));
  }
  const labels = nameAll(
    columns.flatMap(({ key }) => (key === null ? [] : [String(key)])),
    restCount > 0,
  );
  return {
    scale,
    acrossField: source.acrossField,
    upFields: source.upFields,
    rowCount: source.rowCount,
    step: grouped.step?.plain ?? null,
    places: columns.map(({ key }, i) =>
      scale === "category"
        ? { at: labels[i]?.name ?? "", text: null }
        : { at: key ?? 0, text: grouped.texts.get(key ?? 0) ?? null },
    ),
    series:
      colour < 0
        ? settings.up.map((measure) => ({ name: toMeasureName(measure), isRest: false }))
        : nameAll(shown, hasRest),
    cells,
    dots: [],
    noPlace: grouped.noPlace,
    noValue: grouped.noValue,
    placeCount: grouped.amounts.size,
    seriesCount: count,
    restPlaces: restCount,
    everyNth: source.everyNth,
    isAddedUp:
      source.isEach && [...grouped.amounts.values()].some((each) => [...each.values()].some(({ count: n }) => n > 1)),
    blurred: grouped.blurred,
  };
}

type Weigh = (series: string, amount: Amount) => number;
/** A place with its amounts. A null key is the sum of the places that are not shown. */
type Column = { key: number | string | null; amounts: Amounts };

/** Returns the greatest categories, or all places along a scale, and the number of summed places. */
function choosePlaces(
  { settings, scale, colour }: Source,
  { amounts: all }: Grouped,
  weigh: Weigh,
): { columns: Column[]; restCount: number } {
  const weights = new Map<number | string, number>();
  for (const [key, amounts] of all) {
    let weight = 0;
    for (const [series, amount] of amounts) if (colour >= 0 || series === "0") weight += weigh(series, amount);
    weights.set(key, weight);
  }
  const isCategory = scale === "category";
  const byWeight = isCategory
    ? [...all.keys()].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
    : [...all.keys()];
  const max = isCategory ? Math.min(settings.top ?? CATEGORIES_MAX, TOP_MAX) : byWeight.length;
  const kept = new Set(byWeight.slice(0, max));
  // Unless the user asked for it, a bar for the rest would dwarf all others; shares need it to add up.
  const rest = settings.top !== null || settings.stack === "share" ? byWeight.slice(max) : [];
  const shown = [...all.keys()].filter((key) => kept.has(key));
  const amountsOf = (key: number | string) => all.get(key) ?? new Map<string, Amount>();
  const columns: Column[] = orderPlaces(shown, settings, weights, scale).map((key) => ({
    key,
    amounts: amountsOf(key),
  }));
  if (rest.length > 0) columns.push({ key: null, amounts: mergeAll(rest.map(amountsOf)) });
  return { columns, restCount: rest.length };
}

/** Returns the measures, or the greatest colours, in their order; and the number of all. */
function chooseSeries(
  { settings, scale, colour }: Source,
  columns: Column[],
  weigh: Weigh,
): { shown: string[]; hasRest: boolean; count: number } {
  const { kind, up, top } = settings;
  if (colour < 0) return { shown: up.map((_, m) => String(m)), hasRest: false, count: up.length };
  const totals = new Map<string, number>();
  for (const { amounts } of columns)
    for (const [series, amount] of amounts) totals.set(series, (totals.get(series) ?? 0) + weigh(series, amount));
  const bySize = [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const max = top === null || scale === "category" ? SERIES_MAX : Math.min(top + 1, SERIES_MAX);
  const { kept, hasRest } = cutSeries(bySize, max);
  const shown = kind === "pie" ? orderPlaces(kept, settings, totals, "category").map(String) : kept;
  return { shown, hasRest, count: bySize.length };
}

/** Returns the sum of a place's other series; undefined for none. */
function sumOthers(amounts: Amounts, known: ReadonlySet<string>): Amount | undefined {
  const others = [...amounts].filter(([series]) => !known.has(series));
  if (others.length === 0) return undefined;
  const sum = new Amount();
  for (const [, amount] of others) sum.merge(amount);
  return sum;
}

function toScale(field: ResultField | null): ChartData["scale"] {
  if (field === null) return "none";
  return isTimeField(field) ? "time" : isNumericField(field) ? "number" : "category";
}

/** Returns whether a value is beyond 2^53, where neighbours share a position. */
function isBlurred(value: CellValue, scale: ChartData["scale"]): boolean {
  return (
    scale === "number" && typeof value === "string" && /^-?\d{16,}$/.test(value) && !Number.isSafeInteger(Number(value))
  );
}

/* A category's key is its text after a prefix, so that no row's value can be confused with null or the rest. */
const NULL_KEY = "0";

function toKey(value: CellValue): string {
  return value === null ? NULL_KEY : `1${toPlainText(value)}`;
}

function fromKey(key: string | number): string {
  const text = String(key);
  return text === NULL_KEY ? "null" : text.slice(1) || "(empty)";
}

/** Returns distinct names: a text "null" or "other" stays unchanged, and a value that is not text says so. */
function nameAll(keys: string[], hasRest: boolean): ChartSeries[] {
  const texts = new Set(keys.filter((key) => key !== NULL_KEY && key !== "1").map((key) => key.slice(1)));
  const free = (name: string) => (texts.has(name) ? `${name} (no text)` : name);
  const named = keys.map((key) => ({
    name: key === NULL_KEY ? free("null") : key === "1" ? free("(empty)") : key.slice(1),
    isRest: false,
  }));
  return hasRest ? [...named, { name: texts.has("other") ? "other (all others)" : "other", isRest: true }] : named;
}

function toOnly(up: Measure[]): ChartSeries {
  return { name: toMeasureName(up[0] ?? { of: "count", column: null }), isRest: false };
}

function cutSeries(ranked: string[], max: number): { kept: string[]; hasRest: boolean } {
  return ranked.length <= max ? { kept: ranked, hasRest: false } : { kept: ranked.slice(0, max - 1), hasRest: true };
}

function orderPlaces<K extends number | string>(
  keys: K[],
  { sort }: ChartSettings,
  weights: Map<number | string, number>,
  scale: ChartData["scale"],
): K[] {
  if (scale !== "category") return keys.sort((a, b) => Number(a) - Number(b));
  if (sort === "given") return keys;
  const named = keys.filter((key) => key !== NULL_KEY);
  const sorted =
    sort === "value"
      ? named.sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
      : named
          .map((key) => ({ key, word: naturalKey(fromKey(key)) }))
          .sort((a, b) => (a.word < b.word ? -1 : a.word > b.word ? 1 : 0))
          .map(({ key }) => key);
  return sort === "value"
    ? keys.sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
    : [...sorted, ...keys.filter((key) => key === NULL_KEY)];
}

function mergeAll(maps: Map<string, Amount>[]): Map<string, Amount> {
  const merged = new Map<string, Amount>();
  for (const amounts of maps) {
    for (const [series, amount] of amounts) {
      let all = merged.get(series);
      if (all === undefined) {
        all = new Amount();
        merged.set(series, all);
      }
      all.merge(amount);
    }
  }
  return merged;
}

function toMet(amount: Amount | undefined, measure: Measure): Met {
  return amount === undefined ? null : (amount.read(measure) ?? "empty");
}

function findStep(
  count: number,
  everyNth: number,
  read: (i: number) => number | string | null,
  scale: "time" | "number",
  isHistogram: boolean,
) {
  const places = new Set<number>();
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let isWhole = true;
  for (let i = 0; i < count; i += everyNth) {
    const at = read(i);
    if (typeof at !== "number") continue;
    if (places.size <= PLACES_MAX) places.add(at);
    isWhole &&= Number.isInteger(at);
    low = Math.min(low, at);
    high = Math.max(high, at);
  }
  if (places.size === 0) return null;
  if (!isHistogram) return places.size <= PLACES_MAX ? null : chooseStep(low, high, scale, PLACES_MAX / 2);
  const bins = Math.min(BINS.max, Math.max(BINS.min, Math.ceil(Math.sqrt(count))));
  return chooseStep(low, high, scale, bins, isWhole);
}

/** Adds bins without rows. */
function withEmptyBins(data: ChartData): ChartData {
  const { step, places } = data;
  const first = places[0]?.at;
  const last = places.at(-1)?.at;
  if (step === null || typeof first !== "number" || typeof last !== "number" || step.isUneven) return data;
  const count = Math.round((last - first) / step.size) + 1;
  const indexes = new Map(places.map(({ at }, i) => [Math.round((Number(at) - first) / step.size), i]));
  const nothing: ChartCell = { value: 0, text: "0" };
  return {
    ...data,
    places: Array.from(
      { length: count },
      (_, i) => places[indexes.get(i) ?? -1] ?? { at: toClean(first + i * step.size, step.size), text: null },
    ),
    cells: data.cells.map((met) => Array.from({ length: count }, (_, i) => met[indexes.get(i) ?? -1] ?? nothing)),
  };
}

/** Rounds 0.1 + 0.2 to 0.3: a sum of steps has at most the digits of a step. */
export function toClean(value: number, size: number): number {
  const digits = Math.min(100, Math.max(0, 1 - Math.floor(Math.log10(size))));
  return Number(value.toFixed(Number.isFinite(digits) ? digits : 0));
}
