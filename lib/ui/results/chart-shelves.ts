import type { ResultField } from "@/lib/tabular/json-rows";
import { isIdentifierField, isNumericField, toPlainText } from "@/lib/ui/cell-text";
import type { CellTable } from "@/lib/ui/results/row-table";

export const CHART_KINDS = ["line", "bar", "area", "dots"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];
export const MEASURES = ["sum", "average", "min", "max", "count", "each"] as const;
/** What is drawn upwards; `count` counts rows and has no column, `each` draws every row by itself. */
export type Measure = { of: (typeof MEASURES)[number]; column: string | null };
/** The four shelves of a chart. Columns by name, so that they outlive a change of the query. */
export type ChartShelves = { kind: ChartKind; across: string; up: Measure; colour: string | null };

/** More colours than this cannot be told apart; the tokens have as many. */
export const SERIES_MAX = 8;
const TIMES = new Set(["date", "timestamp", "timestamptz"]);
const WORDS = new Set(["string", "boolean", "objectId", "time", "other"]);
/** A column's variety is judged by so many of its first values. */
const JUDGED_ROWS = 500;

export function isTimeField({ type }: ResultField): boolean {
  return TIMES.has(type);
}

/** A first chart for a result: over time if it has one, else by category, else one number against another. */
export function guessShelves(table: CellTable): ChartShelves | null {
  const { fields } = table;
  const numbers = fields.filter((field) => isNumericField(field) && !isIdentifierField(field));
  const amount = numbers.find(({ type }) => type === "decimal" || type === "float64") ?? numbers[0];
  const up: Measure = amount ? { of: "sum", column: amount.name } : { of: "count", column: null };
  const words = fields.flatMap((field, column) =>
    WORDS.has(field.type) ? [{ name: field.name, variety: countVariety(table, column) }] : [],
  );
  const asSeries = words.find(({ variety }) => variety > 1 && variety <= SERIES_MAX)?.name ?? null;
  const time = fields.find(isTimeField);
  if (time) return { kind: "line", across: time.name, up, colour: asSeries };
  const category = words.toSorted((a, b) => b.variety - a.variety)[0];
  if (category) return { kind: "bar", across: category.name, up, colour: null };
  const [first, second] = numbers;
  if (first && second) {
    return { kind: "dots", across: first.name, up: { of: "each", column: second.name }, colour: null };
  }
  const any = first ?? fields.find(isNumericField);
  return any ? { kind: "bar", across: any.name, up: { of: "count", column: null }, colour: null } : null;
}

/** Kept shelves, where the result still has their columns; null otherwise. */
export function fitShelves(kept: ChartShelves | null, fields: readonly ResultField[]): ChartShelves | null {
  if (kept === null) return null;
  const has = (name: string | null) => name === null || fields.some((field) => field.name === name);
  return has(kept.across) && has(kept.up.column) && has(kept.colour) ? kept : null;
}

/** "sum revenue", "rows". */
export function toMeasureName({ of, column }: Measure): string {
  return of === "count" || column === null ? "rows" : of === "each" ? column : `${of} ${column}`;
}

function countVariety(table: CellTable, column: number): number {
  const seen = new Set<string>();
  for (let row = 0; row < Math.min(JUDGED_ROWS, table.rowCount); row += 1) {
    seen.add(toPlainText(table.at(row, column)));
  }
  return seen.size;
}
