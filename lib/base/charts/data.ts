import { Amount, type ChartCell, toNumber } from "@/lib/base/charts/amount";
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
import { chooseStep, type Step } from "@/lib/base/charts/steps";
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
  const settings = toDrawable(kept, table.fields);
  const { kind, up } = settings;
  const count = rows === null ? table.rowCount : rows.length;
  const rowAt = (i: number) => (rows === null ? i : (rows[i] ?? 0));
  // The slices of a pie are series: they have colours, and share one position.
  const across = kind === "pie" ? null : settings.across;
  const colour = kind === "pie" ? settings.across : settings.colour;
  const indexOf = (name: string | null) => table.fields.findIndex((field) => field.name === name);
  const acrossAt = indexOf(across);
  const colourAt = indexOf(colour);
  const acrossField = table.fields[acrossAt] ?? null;
  const scale = toScale(acrossField);
  const toTime = wallClock(zone);
  let blurred = 0;
  const place = (value: CellValue): number | string | null => {
    if (scale === "none") return 0;
    if (scale === "category") return toKey(value);
    if (scale === "time") return toTime(value);
    return toNumber(value);
  };
  const upFields = up.map(({ of, column }) =>
    of === "each" || of === "min" || of === "max" ? (table.fields[indexOf(column)] ?? null) : null,
  );
  const base = { scale, acrossField, upFields, rowCount: count };
  const isEach = up.some(({ of }) => of === "each");
  const everyNth = isEach ? Math.max(1, Math.ceil(count / DOTS_MAX)) : 1;

  if (kind === "scatter") {
    const upAt = indexOf(up[0]?.column ?? null);
    const found: (Omit<ChartDot, "series"> & { key: string })[] = [];
    const totals = new Map<string, number>();
    const categories = new Map<string | number, number>();
    let noPlace = 0;
    let noValue = 0;
    for (let i = 0; i < count; i += everyNth) {
      const row = rowAt(i);
      const value = table.at(row, acrossAt);
      const at = place(value);
      const y = toNumber(table.at(row, upAt));
      if (at === null) noPlace += 1;
      else if (y === null) noValue += 1;
      else {
        const key = colourAt < 0 ? "" : toKey(table.at(row, colourAt));
        totals.set(key, (totals.get(key) ?? 0) + 1);
        // A category's position is its index in the order of the rows.
        if (typeof at === "string" && !categories.has(at)) categories.set(at, categories.size);
        const x = typeof at === "string" ? (categories.get(at) ?? 0) : at;
        if (isBlurred(value, scale)) blurred += 1;
        found.push({
          x,
          y,
          xText: scale === "category" ? fromKey(at) : toPlainText(value),
          yText: toPlainText(table.at(row, upAt)),
          key,
        });
      }
    }
    const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key);
    const chosen = cutSeries(ranked, SERIES_MAX);
    const indexes = new Map(ranked.map((key, i) => [key, Math.min(i, chosen.kept.length)]));
    const named = nameAll(chosen.kept, chosen.hasRest);
    return {
      ...base,
      step: null,
      places: [...categories.keys()].map((key) => ({ at: fromKey(key), text: fromKey(key) })),
      series: colourAt < 0 ? [toOnly(up)] : named,
      cells: [],
      dots: found.map(({ key, ...dot }) => ({ ...dot, series: colourAt < 0 ? 0 : (indexes.get(key) ?? 0) })),
      noPlace,
      noValue,
      placeCount: categories.size,
      seriesCount: colourAt < 0 ? 1 : ranked.length,
      restPlaces: 0,
      everyNth,
      isAddedUp: false,
      blurred,
    };
  }

  const step = scale === "category" || scale === "none" || (isEach && kind !== "histogram") ? null
    : findStep(count, everyNth, (i) => place(table.at(rowAt(i), acrossAt)), scale, kind === "histogram"); // biome-ignore format: one choice
  const upAts = up.map(({ column }) => indexOf(column));
  const met = new Map<number | string, Map<string, Amount>>();
  const texts = new Map<number | string, string>();
  let noPlace = 0;
  let noValue = 0;
  for (let i = 0; i < count; i += everyNth) {
    const row = rowAt(i);
    const value = acrossAt < 0 ? null : table.at(row, acrossAt);
    const at = place(value);
    if (at === null) {
      noPlace += 1;
      continue;
    }
    if (isBlurred(value, scale)) blurred += 1;
    const key = step !== null && typeof at === "number" ? step.floor(at) : at;
    let amounts = met.get(key);
    if (amounts === undefined) {
      amounts = new Map();
      met.set(key, amounts);
      if (step === null && scale !== "category") texts.set(key, toPlainText(value));
    }
    for (const [m, measure] of up.entries()) {
      const series = colourAt < 0 ? String(m) : toKey(table.at(row, colourAt));
      let amount = amounts.get(series);
      if (amount === undefined) {
        amount = new Amount();
        amounts.set(series, amount);
      }
      amount.rows += 1;
      if (measure.of !== "count" && !amount.add(table.at(row, upAts[m] ?? -1))) noValue += 1;
    }
  }
  const isAddedUp = isEach && [...met.values()].some((amounts) => [...amounts.values()].some(({ count: n }) => n > 1));
  const measureOf = (series: string): Measure =>
    (colourAt < 0 ? up[Number(series)] : up[0]) ?? { of: "count", column: null };
  const weigh = (series: string, amount: Amount) => Math.abs(amount.read(measureOf(series))?.value ?? 0);

  // Positions: the greatest categories, or all along a scale.
  const weights = new Map<number | string, number>();
  for (const [key, amounts] of met) {
    let weight = 0;
    for (const [series, amount] of amounts) if (colourAt >= 0 || series === "0") weight += weigh(series, amount);
    weights.set(key, weight);
  }
  const isCategory = scale === "category";
  const byWeight = isCategory
    ? [...met.keys()].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
    : [...met.keys()];
  const placeMax = isCategory ? Math.min(settings.top ?? CATEGORIES_MAX, TOP_MAX) : byWeight.length;
  const keptPlaces = new Set(byWeight.slice(0, placeMax));
  // Unless the user asked for it, a bar for the rest would dwarf all others; shares need it to add up.
  const isRestShown = settings.top !== null || settings.stack === "share";
  const rest = isRestShown ? byWeight.slice(placeMax) : [];
  const ordered = orderPlaces(
    [...met.keys()].filter((key) => keptPlaces.has(key)),
    settings,
    weights,
    scale,
  );
  const columns: { key: number | string | null; amounts: Map<string, Amount> }[] = ordered.map((key) => ({
    key,
    amounts: met.get(key) ?? new Map(),
  }));
  if (rest.length > 0) columns.push({ key: null, amounts: mergeAll(rest.map((key) => met.get(key) ?? new Map())) });

  // Series: the measures, or the greatest colours and the rest.
  const totals = new Map<string, number>();
  for (const { amounts } of columns)
    for (const [series, amount] of amounts) totals.set(series, (totals.get(series) ?? 0) + weigh(series, amount));
  const bySize = [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const seriesMax = settings.top === null || isCategory ? SERIES_MAX : Math.min(settings.top + 1, SERIES_MAX);
  const chosen = colourAt < 0 ? { kept: up.map((_, m) => String(m)), hasRest: false } : cutSeries(bySize, seriesMax);
  const inOrder =
    colourAt >= 0 && kind === "pie" ? orderPlaces(chosen.kept, settings, totals, "category").map(String) : chosen.kept;
  const known = new Set(inOrder);
  const cells = inOrder.map((series) => columns.map(({ amounts }) => toMet(amounts.get(series), measureOf(series))));
  if (chosen.hasRest) {
    cells.push(
      columns.map(({ amounts }) => {
        const others = [...amounts].filter(([series]) => !known.has(series)).map(([, amount]) => amount);
        if (others.length === 0) return null;
        const all = new Amount();
        for (const amount of others) all.merge(amount);
        return toMet(all, measureOf(""));
      }),
    );
  }
  const labels = nameAll(
    columns.flatMap(({ key }) => (key === null ? [] : [String(key)])),
    rest.length > 0,
  );
  const data: ChartData = {
    ...base,
    step: step?.plain ?? null,
    places: columns.map(({ key }, i) =>
      isCategory ? { at: labels[i]?.name ?? "", text: null } : { at: key ?? 0, text: texts.get(key ?? 0) ?? null },
    ),
    series:
      colourAt < 0
        ? up.map((measure) => ({ name: toMeasureName(measure), isRest: false }))
        : nameAll(inOrder, chosen.hasRest),
    cells,
    dots: [],
    noPlace,
    noValue,
    placeCount: met.size,
    seriesCount: colourAt < 0 ? up.length : bySize.length,
    restPlaces: rest.length,
    everyNth,
    isAddedUp,
    blurred,
  };
  return kind === "histogram" ? withEmptyBins(data) : data;
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
  return text === NULL_KEY ? "null" : text.slice(1) || "empty text";
}

/** Returns distinct names: a text "null" or "other" stays unchanged, and a value that is not text says so. */
function nameAll(keys: string[], hasRest: boolean): ChartSeries[] {
  const texts = new Set(keys.filter((key) => key !== NULL_KEY && key !== "1").map((key) => key.slice(1)));
  const free = (name: string) => (texts.has(name) ? `${name} (no text)` : name);
  const named = keys.map((key) => ({
    name: key === NULL_KEY ? free("null") : key === "1" ? free("empty text") : key.slice(1),
    isRest: false,
  }));
  return hasRest ? [...named, { name: texts.has("other") ? "other (the rest)" : "other", isRest: true }] : named;
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
