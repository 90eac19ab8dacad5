import { wallClock } from "@/lib/base/charts/moments";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import {
  type ClickColumn,
  findClickColumns,
  toCellClick,
  toDayRange,
} from "@/lib/features/dashboards/browser/widget-click";
import type { PivotHead, PivotLayout } from "@/lib/features/dashboards/kinds/pivot/layout";
import { pivotTraits } from "@/lib/features/dashboards/kinds/pivot/traits";

export type PivotClicks = { rows: ClickColumn[]; columns: ClickColumn[] };

/** Returns the clickable columns of the row fields and of the column fields. */
export function toClickColumns(
  spec: Readonly<Record<string, unknown>>,
  { rowFields, columnFields, measures }: PivotLayout,
  units: readonly (string | null)[],
): PivotClicks {
  const all = findClickColumns(pivotTraits.toPlain(spec), [...rowFields, ...columnFields, ...measures]).map(
    (column, at) => ({ ...column, unit: units[at] ?? null }),
  );
  return { rows: all.slice(0, rowFields.length), columns: all.slice(rowFields.length) };
}

/**
 * Returns the filter of a head or cell: the values of its row and its column.
 * @returns null for the grand total, and where a value cannot be filtered
 */
export function toMarkClick(
  clicks: PivotClicks,
  row: readonly CellValue[],
  column: readonly CellValue[],
): ClickValue | null {
  const pairs = [
    ...row.map((value, at) => [clicks.rows[at], value] as const),
    ...column.map((value, at) => [clicks.columns[at], value] as const),
  ];
  const click: Record<string, ClickValue[string]> = {};
  for (const [each, value] of pairs) {
    const one = each === undefined ? null : toCellClick(each, value);
    if (each === undefined || one === null) return null;
    // A field in several units is filtered by its finest group, which comes last.
    click[each.field] = one;
  }
  return pairs.length === 0 ? null : click;
}

/** Returns whether the period of a group is not over yet in the reader's zone. */
export function isIncomplete(
  { values }: PivotHead,
  fields: readonly ResultField[],
  units: readonly (string | null)[],
  { now, zone }: { now: number; zone: string | null },
): boolean {
  const clock = wallClock(zone)(new Date(now).toISOString()) ?? now;
  const today = new Date(clock).toISOString().slice(0, 10);
  return values.some((value, at) => {
    const unit = units[at] ?? null;
    if (unit === null || unit === "hour" || fields[at]?.type !== "date" || typeof value !== "string") return false;
    const from = Date.parse(value);
    const days = Number.isNaN(from) ? null : toDayRange(from, unit);
    return days !== null && days.from <= today && today <= days.to;
  });
}
