import { formatCount } from "@/lib/base/values/amounts";
import { ACCEPT_LABEL } from "@/lib/base/values/cut-rows";
import type { AggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { AppError } from "@/lib/platform/http/errors";

/* What a dashboard says of a dataset that was cut (docs/develop/api.md, Dashboards). */

/** A sum, a count, a mean: of a part of the rows each of them is wrong, and so is a list of the groups that there are. */
export function isAggregated({ dimensions, measures }: AggregateSpec): boolean {
  return dimensions.length + measures.length > 0;
}

/** Whether a picture of rows adds them up itself, as a specification of Vega-Lite may. */
export function aggregatesItself(spec: Readonly<Record<string, unknown>>): boolean {
  return AGGREGATING.test(JSON.stringify(spec));
}

/** Keys of transforms and channels, and the marks that draw quartiles, means and deviations. */
const AGGREGATING =
  /"(?:aggregate|joinaggregate|bin|window|density|regression|loess|quantile|pivot)":|"(?:mark|type)":"(?:boxplot|errorband|errorbar)"/;

/** @param rowCount how many rows are kept */
export function refusedTotals(rowCount: number): AppError {
  return new AppError(
    "invalid_request",
    `This dataset holds the first ${formatCount(rowCount)} rows only, so its totals would be wrong. Aggregate or filter in the query, or turn on “${ACCEPT_LABEL}” for the dataset.`,
    { details: { truncated: true, firstRows: rowCount } },
  );
}
