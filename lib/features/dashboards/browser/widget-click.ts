import { withPageGrain } from "@/lib/base/charts/widget-period";
import { toPlainText } from "@/lib/base/values/cell-text";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { Grain } from "@/lib/features/results/crossfilter/words";

/** A clickable column: its name in the widget, and its field in the dataset. */
export type ClickColumn = { column: string; field: string; type: string; unit: string | null };
export type DayRange = { from: string; to: string };

const TIMES = new Set(["date", "timestamp", "timestamptz"]);
const DAY_MS = 86_400_000;

/**
 * Returns the columns of a widget that map to one column of its dataset: its dimensions, or all columns of rows that
 * are not aggregated.
 */
export function findClickColumns(
  spec: Readonly<Record<string, unknown>>,
  fields: readonly ResultField[],
): ClickColumn[] {
  const dimensions = Array.isArray(spec.dimensions) ? spec.dimensions : [];
  const measures = Array.isArray(spec.measures) ? spec.measures : [];
  if (dimensions.length + measures.length === 0) {
    return fields.map(({ name, type }) => ({ column: name, field: name, type, unit: null }));
  }
  return fields.slice(0, dimensions.length).map(({ name, type }, at) => {
    const dimension = dimensions[at] as string | { field: string; timeUnit?: string };
    const isNamed = typeof dimension === "string";
    const ownUnit = isNamed ? undefined : dimension.timeUnit;
    const unit = ownUnit ?? (TIMES.has(type) && typeof spec.timeUnit === "string" ? spec.timeUnit : null);
    return { column: name, field: isNamed ? dimension : dimension.field, type, unit };
  });
}

/**
 * Returns the specification and the data of a widget as a page shows them, grouped by the grain of the data, else of
 * the page. Fields have the time units of their groups, so that a month is shown as one.
 */
export function toShownWidget<D extends { fields: ResultField[]; grain?: string | undefined }>(
  widgetSpec: Record<string, unknown>,
  data: D,
  pageGrain: string | undefined,
): { spec: Record<string, unknown>; data: D } {
  const spec = withPageGrain(widgetSpec, data.grain ?? pageGrain);
  const columns = findClickColumns(spec, data.fields);
  const fields = data.fields.map((field, at) => ({ ...field, grain: columns[at]?.unit ?? undefined }));
  return { spec, data: { ...data, fields } };
}

export function isTimeColumn({ type }: ClickColumn): boolean {
  return TIMES.has(type);
}

/**
 * Returns the days of a bucket that begins at a local time.
 * @param nextMs start of the next bucket, when a chart has merged several; else the unit determines it
 */
export function toDayRange(atMs: number, unit: string | null, nextMs: number | null = null): DayRange | null {
  // Filters cannot be finer than a day.
  if (unit === "hour") return null;
  const from = new Date(atMs);
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate()];
  const end =
    nextMs ??
    {
      year: Date.UTC(year + 1, month, day),
      quarter: Date.UTC(year, month + 3, day),
      month: Date.UTC(year, month + 1, day),
      week: Date.UTC(year, month, day + 7),
    }[unit ?? ""] ??
    Date.UTC(year, month, day + 1);
  return { from: toDay(atMs), to: toDay(Math.max(atMs, end - DAY_MS)) };
}

/**
 * Returns the value of a category's label; undefined for a label that the chart added. A text equal to our label for
 * null is itself; our label then says "(no text)" (lib/base/charts/data.ts).
 */
export function toLabelled(rows: readonly ResultRow[], column: string, label: string): CellValue | undefined {
  const values = rows.map((row) => row[column] ?? null);
  const text = values.find((value) => value !== null && value !== "" && toPlainText(value) === label);
  if (text !== undefined) return text;
  if (/^null( \(no text\))?$/.test(label) && values.includes(null)) return null;
  return /^\(empty\)( \(no text\))?$/.test(label) && values.includes("") ? "" : undefined;
}

/** Grains that divide each grain into few parts, the coarsest one first. */
const FINER: Readonly<Partial<Record<string, readonly Grain[]>>> = {
  year: ["quarter", "month"],
  quarter: ["month", "week"],
  month: ["week", "day"],
  week: ["day"],
};

/** Returns the finer grains at which a click can be shown: those of its first column that is a range of days. */
export function findFinerGrains(columns: readonly ClickColumn[], click: ClickValue): readonly Grain[] {
  const time = columns.find(({ field }) => isRange(click[field]));
  return FINER[time?.unit ?? ""] ?? [];
}

/** Returns the click on all columns of a row of groups; null if one of them cannot be filtered. */
export function toRowClick(columns: readonly ClickColumn[], row: ResultRow): ClickValue | null {
  const entries = columns.map((column) => [column.field, toCellClick(column, row[column.column])] as const);
  if (entries.length === 0 || entries.some(([, value]) => value === null)) return null;
  return Object.fromEntries(entries) as ClickValue;
}

/** Returns the filter value for a table cell; null where it cannot be filtered. */
export function toCellClick(column: ClickColumn, value: CellValue | undefined): ClickValue[string] | null {
  if (value === null || value === undefined) return [null];
  if (typeof value === "object") return null;
  if (!isTimeColumn(column)) return [value];
  const at = Date.parse(String(value).slice(0, 10));
  // The day of an instant depends on the time zone, which the text omits.
  return Number.isNaN(at) || (column.type === "timestamptz" && column.unit === null)
    ? null
    : toDayRange(at, column.unit);
}

/**
 * Combines two clicks: lists are joined, and days extend from the first to the last. A click on other columns replaces
 * the previous one.
 */
export function addClick(before: ClickValue | null, click: ClickValue): ClickValue {
  const names = Object.keys(click);
  if (before === null || names.length !== Object.keys(before).length || !names.every((name) => name in before)) {
    return click;
  }
  return Object.fromEntries(
    names.map((name) => {
      const [old, now] = [before[name], click[name]];
      if (isList(old) && isList(now)) return [name, [...new Set([...old, ...now])]];
      if (!isRange(old) || !isRange(now)) return [name, now];
      // Days as texts sort in time order.
      return [name, { from: [old.from, now.from].sort()[0], to: [old.to, now.to].sort()[1] }];
    }),
  ) as ClickValue;
}

/** Returns whether the selection contains a click, by the columns that both have. */
export function isClicked(pressed: ClickValue | null, click: ClickValue): boolean {
  if (pressed === null) return false;
  const names = Object.keys(click).filter((name) => name in pressed);
  return (
    names.length > 0 &&
    names.every((name) => {
      const [all, one] = [pressed[name], click[name]];
      if (isList(all) && isList(one)) return one.every((value) => all.includes(value));
      return isRange(all) && isRange(one) && one.from >= all.from && one.to <= all.to;
    })
  );
}

export function isSameClick(a: ClickValue | null, b: ClickValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isList(value: ClickValue[string] | undefined): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRange(value: ClickValue[string] | undefined): value is DayRange {
  return value !== undefined && !Array.isArray(value);
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
