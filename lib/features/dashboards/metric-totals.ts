import type { Field } from "@/lib/base/values/fields";
import type { AggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { AppError } from "@/lib/platform/http/errors";
import type { Source } from "./schema";

/** Groups of a source of metrics, and the columns whose values do not add up to the value of all groups. */
export type MetricGroups = {
  dimensions: NonNullable<Extract<Source, { metrics: string[] }>["dimensions"]>;
  unsummable: readonly string[];
};

/** Units from the finest: groups by one of them stay apart in units before it. */
const UNITS = ["hour", "day", "week", "month", "quarter", "year"];
const SUMS: ReadonlySet<string> = new Set(["sum", "ratio"]);

/**
 * Rejects the sum of a ratio, a mean or a distinct count over several groups. Without all dimensions, a widget adds up
 * several rows of its source.
 * @param hasTotals whether the widget also shows totals of its groups
 * @throws AppError invalid_request
 */
export function refuseWrongTotals(
  { dimensions, unsummable }: MetricGroups,
  spec: AggregateSpec,
  fields: readonly Field[],
  hasTotals: boolean,
): void {
  const summed = spec.measures
    .flatMap(({ op, field, by }) => (SUMS.has(op) ? [field, by] : []))
    .find((name) => name !== undefined && unsummable.includes(name));
  if (summed === undefined) return;
  const isApart = ({ name, grain }: MetricGroups["dimensions"][number]) =>
    spec.dimensions.some((shown) => {
      if (shown.field !== name) return false;
      const isTime = /^(date|time)/.test(fields.find((field) => field.name === name)?.type ?? "");
      const unit = isTime ? (("timeUnit" in shown ? shown.timeUnit : undefined) ?? spec.timeUnit) : undefined;
      return unit === undefined || (grain !== undefined && UNITS.indexOf(unit) <= UNITS.indexOf(grain));
    });
  if (dimensions.length === 0 || (dimensions.every(isApart) && !hasTotals)) return;
  throw new AppError(
    "invalid_request",
    `“${summed}” can't be added up over groups. Remove dimensions from the source, or show all of them without totals.`,
  );
}
