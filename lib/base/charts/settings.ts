import type { ChartExtras } from "@/lib/base/charts/extras";
import { isIdentifierField, isNumericField, toPlainText } from "@/lib/base/values/cell-text";
import type { CellTable, ResultField } from "@/lib/base/values/json-rows";

export const CHART_KINDS = ["line", "bar", "area", "scatter", "histogram", "pie", "kpi"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];
export const MEASURES = ["sum", "average", "min", "max", "count", "each"] as const;
/** A value to draw. `count` counts rows and has no column; `each` uses every row's value unchanged. */
export type Measure = { of: (typeof MEASURES)[number]; column: string | null };
/** Stacking of series: beside or over each other, on top of each other, or as shares of their position's total. */
export const STACKINGS = ["apart", "stacked", "share"] as const;
export type Stacking = (typeof STACKINGS)[number];
/** Order of categories: the greatest first, by name, or in the order of the rows. Scales have a fixed order. */
export const SORTS = ["value", "label", "given"] as const;
export type ChartSort = (typeof SORTS)[number];

/** Settings of a chart. Columns are stored by name, so that they outlive a change of the query. */
export type ChartSettings = {
  kind: ChartKind;
  /** Null for a figure over all rows. */
  across: string | null;
  /** At least one. With several, each is a series, and there is no colour column. */
  up: Measure[];
  colour: string | null;
  stack: Stacking;
  sort: ChartSort;
  /** Number of the greatest to show, the rest as "other". Null for as many as can be read. */
  top: number | null;
  extras?: ChartExtras | undefined;
};

/** Maximum number of distinguishable colours; the tokens have as many. */
export const SERIES_MAX = 8;
/** Maximum number of measures, one per colour. */
export const UP_MAX = SERIES_MAX;
/** Maximum number of bars that can be read, also for explicit requests. */
export const TOP_MAX = 100;
const TIMES = new Set(["date", "timestamp", "timestamptz"]);
const WORDS = new Set(["string", "boolean", "objectId", "time", "other"]);
/** Number of leading values that decide a column's variety. */
const JUDGED_ROWS = 500;
export const COUNT: Measure = { of: "count", column: null };
const PLAIN = { colour: null, stack: "stacked", sort: "value", top: null } as const;

export function isTimeField({ type }: ResultField): boolean {
  return TIMES.has(type);
}

/** Suggests the first chart of a result: over time if it has one, else by category, else one number against another. */
export function guessSettings(table: CellTable): ChartSettings | null {
  const { fields } = table;
  const numbers = fields.filter((field) => isNumericField(field) && !isIdentifierField(field));
  const amount = numbers.find(({ type }) => type === "decimal" || type === "float64") ?? numbers[0];
  const up: Measure[] = [amount ? { of: "sum", column: amount.name } : COUNT];
  const words = fields.flatMap((field, column) =>
    WORDS.has(field.type) ? [{ name: field.name, variety: countVariety(table, column) }] : [],
  );
  const colour = words.find(({ variety }) => variety > 1 && variety <= SERIES_MAX)?.name ?? null;
  const time = fields.find(isTimeField);
  if (time) return { ...PLAIN, kind: "line", across: time.name, up, colour };
  const category = words.toSorted((a, b) => b.variety - a.variety)[0];
  if (category) return { ...PLAIN, kind: "bar", across: category.name, up };
  const [first, second] = numbers;
  // A single number is a figure, not a distribution.
  if (first && table.rowCount === 1) return { ...PLAIN, kind: "kpi", across: null, up };
  if (first && second) {
    return { ...PLAIN, kind: "scatter", across: first.name, up: [{ of: "each", column: second.name }] };
  }
  const any = first ?? fields.find(isNumericField);
  return any ? { ...PLAIN, kind: "histogram", across: any.name, up: [COUNT] } : null;
}

/** Returns the stored settings if the result still has their columns; null otherwise. */
export function fitSettings(kept: ChartSettings | null, fields: readonly ResultField[]): ChartSettings | null {
  if (kept === null) return null;
  const has = (name: string | null) => name === null || fields.some((field) => field.name === name);
  return has(kept.across) && has(kept.colour) && kept.up.every(({ column }) => has(column)) ? kept : null;
}

/** Returns the settings without those that the chart's kind does not use. */
export function toDrawable(settings: ChartSettings, fields: readonly ResultField[]): ChartSettings {
  const { kind, across, up } = settings;
  const [first = COUNT] = up;
  const colour = up.length > 1 ? null : settings.colour;
  if (kind === "histogram") return { ...settings, up: [COUNT], colour: settings.colour, stack: "stacked" };
  if (kind === "pie") return { ...settings, up: [first], colour: null };
  if (kind === "scatter") return { ...settings, up: [{ ...first, of: "each" }], colour: settings.colour };
  if (kind === "kpi") {
    const field = fields.find(({ name }) => name === across);
    return { ...settings, across: field && isTimeField(field) ? across : null, colour: null };
  }
  return { ...settings, colour };
}

/** "sum revenue", "rows". */
export function toMeasureName({ of, column }: Measure): string {
  return of === "count" || column === null ? "rows" : of === "each" ? column : `${of} ${column}`;
}

/** Returns whether two values of a measure can be added: two averages cannot. */
export function isAdditive({ of }: Measure): boolean {
  return of === "sum" || of === "count" || of === "each";
}

function countVariety(table: CellTable, column: number): number {
  const seen = new Set<string>();
  for (let row = 0; row < Math.min(JUDGED_ROWS, table.rowCount); row += 1) {
    seen.add(toPlainText(table.at(row, column)));
  }
  return seen.size;
}
