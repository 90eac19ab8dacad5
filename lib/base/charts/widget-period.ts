import type { ChartData, ChartPlace, Met } from "@/lib/base/charts/data";
import { type ChartSettings, isTimeField } from "@/lib/base/charts/settings";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";

/* Draws the earlier period, and applies the page's grain to a specification. */

export const NOW_NAME = "This period";
export const BEFORE_NAME = "Previous period";
export const YEAR_BEFORE_NAME = "Same period last year";
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** Weeks keep their first day. */
const WEEKS_OF_YEAR_MS = 52 * WEEK_MS;

/**
 * Returns the rows of a chart that is compared with the year before: its own, shown a year later, up to its last time.
 * Undefined for a chart that is not compared so, and for one without times.
 */
export function toYearBefore(
  spec: Readonly<Record<string, unknown>>,
  { fields, rows }: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
): ResultRow[] | undefined {
  const at = fields.findIndex(isTimeField);
  const time = fields[at]?.name;
  if (spec.compare !== "year" || time === undefined) return undefined;
  const unit = toUnit(spec, at) || (isWeekly(rows, time) ? "week" : undefined);
  let last = "";
  for (const { [time]: value } of rows) if (typeof value === "string" && value > last) last = value;
  return rows.flatMap((row) => {
    const moved = toYearLater(row[time], unit);
    return moved === null || moved > last ? [] : [{ ...row, [time]: moved }];
  });
}

function toUnit({ dimensions, timeUnit }: Readonly<Record<string, unknown>>, at: number): unknown {
  const dimension: unknown = Array.isArray(dimensions) ? dimensions[at] : undefined;
  const own = typeof dimension === "object" && dimension !== null && "timeUnit" in dimension && dimension.timeUnit;
  return own || timeUnit;
}

/** Returns whether all times are whole weeks apart, such as those of a query that groups by week. */
function isWeekly(rows: readonly ResultRow[], time: string): boolean {
  const days = [...new Set(rows.map(({ [time]: value }) => String(value).slice(0, 10)))];
  const [first = ""] = days;
  const isApart = days.every((day) => Number.isInteger((Date.parse(day) - Date.parse(first)) / WEEK_MS));
  // The first days of two months may be whole weeks apart too.
  return isApart && days.some((day) => day.slice(8) !== first.slice(8));
}

/**
 * Returns the rows of an earlier period with their weeks on the weekday of the chart's own. A query that groups by week
 * has first days, which the shift onto this period moves to another weekday. Other times stay unchanged.
 */
export function toOwnWeeks(
  before: ResultRow[],
  { fields, rows }: { fields: readonly ResultField[]; rows: readonly ResultRow[] },
): ResultRow[] {
  const time = fields.find(isTimeField)?.name;
  if (time === undefined || !isWeekly(rows, time) || !isWeekly(before, time)) return before;
  const own = Date.parse(String(rows[0]?.[time]).slice(0, 10));
  return before.map((row) => {
    const text = String(row[time]);
    const dayMs = Date.parse(text.slice(0, 10));
    const lateMs = (((dayMs - own) % WEEK_MS) + WEEK_MS) % WEEK_MS;
    const day = new Date(dayMs - lateMs).toISOString().slice(0, 10);
    return { ...row, [time]: `${day}${text.slice(10)}` };
  });
}

/** Returns null for a value that is no time. 29 February becomes 28 February a year later, as in the engine. */
function toYearLater(value: CellValue | undefined, unit: unknown): string | null {
  const [, year = "", rest = ""] = /^(\d{4})(-\d\d-\d\d(?:$|[T ].*))/.exec(String(value)) ?? [];
  if (year === "") return null;
  if (unit !== "week") return `${String(Number(year) + 1).padStart(4, "0")}${rest.replace(/^-02-29/, "-02-28")}`;
  const day = Date.parse(`${year}${rest.slice(0, 6)}`);
  return Number.isNaN(day) ? null : new Date(day + WEEKS_OF_YEAR_MS).toISOString().slice(0, 10) + rest.slice(6);
}

/** Returns the specification as the server computes it: times are grouped by the page's grain. */
export function withPageGrain(spec: Record<string, unknown>, grain: string | undefined): Record<string, unknown> {
  if (grain === undefined || !Array.isArray(spec.measures) || spec.measures.length === 0) return spec;
  const dimensions = Array.isArray(spec.dimensions) ? spec.dimensions : [];
  return {
    ...spec,
    timeUnit: grain,
    dimensions: dimensions.map((each: unknown) =>
      typeof each === "object" && each !== null && "timeUnit" in each ? { ...each, timeUnit: grain } : each,
    ),
  };
}

/** Returns whether a page has times: a widget that groups them, or a figure with a trend. */
export function hasTimes(widgets: readonly { spec: Readonly<Record<string, unknown>> }[]): boolean {
  return widgets.some(
    ({ spec }) =>
      typeof spec.trend === "object" ||
      typeof spec.timeUnit === "string" ||
      (Array.isArray(spec.dimensions) &&
        spec.dimensions.some((each: unknown) => typeof each === "object" && each !== null && "timeUnit" in each)),
  );
}

/** Maximum number of compared series: no one can distinguish more than twice as many lines. */
const COMPARED_SERIES_MAX = 4;

/** Returns whether an earlier period can be drawn: dashed lines over times, or a second bar beside each. */
export function canShowBefore({ kind }: ChartSettings, { scale, step, series, restPlaces }: ChartData): boolean {
  if (step !== null || restPlaces > 0 || series.some(({ isRest }) => isRest)) return false;
  if (kind === "line" || kind === "area") return scale === "time" && series.length <= COMPARED_SERIES_MAX;
  return kind === "bar" && (scale === "time" || scale === "category") && series.length === 1;
}

/**
 * Adds each series of the earlier period to a chart. Places on a time axis include those that only the earlier period
 * has; a category that is not shown now is left out.
 * @param now chart for which `canShowBefore` returns true
 * @param then by the same settings, its times shifted onto those of `now`
 * @param beforeName name of the earlier period
 */
export function mergeBefore(now: ChartData, then: ChartData, beforeName = BEFORE_NAME): ChartData {
  const places = now.scale === "time" ? unite(now.places, then.places) : now.places;
  const isAlone = now.series.length === 1;
  const before = now.series.map(({ name }, of) => {
    // A single series has a fixed name, whether it is a measure or the last remaining colour.
    const at = isAlone ? 0 : then.series.findIndex((each) => each.name === name);
    return { of, name: isAlone ? beforeName : `${name} (${beforeName.toLowerCase()})`, cells: then.cells[at] ?? [] };
  });
  const placed = (cells: readonly Met[], from: readonly ChartPlace[]) => {
    const byPlace = new Map(from.map(({ at }, place) => [at, cells[place] ?? null]));
    return places.map(({ at }) => byPlace.get(at) ?? null);
  };
  return {
    ...now,
    places,
    series: [
      ...now.series.map((each) => (isAlone ? { ...each, name: NOW_NAME } : each)),
      ...before.map(({ name, of }) => ({ name, isRest: false, isBefore: true, ...(!isAlone && { of }) })),
    ],
    upFields: now.upFields.length > 1 ? [...now.upFields, ...now.upFields] : now.upFields,
    cells: [
      ...now.cells.map((cells) => placed(cells, now.places)),
      ...before.map(({ cells }) => placed(cells, then.places)),
    ],
  };
}

function unite(ours: readonly ChartPlace[], theirs: readonly ChartPlace[]): ChartPlace[] {
  const byTime = new Map([...theirs, ...ours].map((place) => [place.at, place]));
  return [...byTime.values()].sort((a, b) => Number(a.at) - Number(b.at));
}
