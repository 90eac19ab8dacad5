import { isIdentifierField, isNumericField, toPlainText } from "@/lib/base/values/cell-text";
import type { CellTable, ResultField } from "@/lib/base/values/json-rows";

export const CHART_KINDS = ["line", "bar", "area", "scatter", "histogram", "pie", "kpi"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];
export const MEASURES = ["sum", "average", "min", "max", "count", "each"] as const;
/** What is drawn upwards; `count` counts rows and has no column, `each` takes every row's value as it is. */
export type Measure = { of: (typeof MEASURES)[number]; column: string | null };
/** Series beside or over each other, on top of each other, or as shares of their place's whole. */
export const STACKINGS = ["apart", "stacked", "share"] as const;
export type Stacking = (typeof STACKINGS)[number];
/** The order of categories: the greatest first, by their names, or as the rows come. Scales have an order of their own. */
export const SORTS = ["value", "label", "given"] as const;
export type ChartSort = (typeof SORTS)[number];

/** What a chart shows. Columns by name, so that they outlive a change of the query. */
export type ChartSettings = {
  kind: ChartKind;
  /** Null for a figure over all rows. */
  across: string | null;
  /** At least one. With several of them each is a series, and there is no colour. */
  up: Measure[];
  colour: string | null;
  stack: Stacking;
  sort: ChartSort;
  /** So many of the greatest; the rest as "other". Null for as many as can be read. */
  top: number | null;
};

/** More colours than this cannot be told apart; the tokens have as many. */
export const SERIES_MAX = 8;
/** As many measures as there are colours. */
export const UP_MAX = SERIES_MAX;
/** More bars than this cannot be read, whoever asks for them. */
export const TOP_MAX = 100;
const TIMES = new Set(["date", "timestamp", "timestamptz"]);
const WORDS = new Set(["string", "boolean", "objectId", "time", "other"]);
/** A column's variety is judged by so many of its first values. */
const JUDGED_ROWS = 500;
export const COUNT: Measure = { of: "count", column: null };
const PLAIN = { colour: null, stack: "stacked", sort: "value", top: null } as const;

export function isTimeField({ type }: ResultField): boolean {
  return TIMES.has(type);
}

/** A first chart for a result: over time if it has one, else by category, else one number against another. */
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
  // One row of one number is a figure, not a distribution.
  if (first && table.rowCount === 1) return { ...PLAIN, kind: "kpi", across: null, up };
  if (first && second) {
    return { ...PLAIN, kind: "scatter", across: first.name, up: [{ of: "each", column: second.name }] };
  }
  const any = first ?? fields.find(isNumericField);
  return any ? { ...PLAIN, kind: "histogram", across: any.name, up: [COUNT] } : null;
}

/** Kept settings, where the result still has their columns; null otherwise. */
export function fitSettings(kept: ChartSettings | null, fields: readonly ResultField[]): ChartSettings | null {
  if (kept === null) return null;
  const has = (name: string | null) => name === null || fields.some((field) => field.name === name);
  return has(kept.across) && has(kept.colour) && kept.up.every(({ column }) => has(column)) ? kept : null;
}

/** The settings as they are drawn: what a kind has no use for is taken out. */
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

/** What may be added to another of its like: two averages together are nothing. */
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
