import type { ChartData, ChartPlace, Met } from "@/lib/base/charts/data";
import type { ChartSettings } from "@/lib/base/charts/settings";

/* Draws the earlier period, and applies the page's grain to a specification. */

export const NOW_NAME = "This period";
export const BEFORE_NAME = "Previous period";

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
 */
export function mergeBefore(now: ChartData, then: ChartData): ChartData {
  const places = now.scale === "time" ? unite(now.places, then.places) : now.places;
  const isAlone = now.series.length === 1;
  const before = now.series.map(({ name }, of) => {
    // A single series has a fixed name, whether it is a measure or the last remaining colour.
    const at = isAlone ? 0 : then.series.findIndex((each) => each.name === name);
    return { of, name: isAlone ? BEFORE_NAME : `${name} (previous period)`, cells: then.cells[at] ?? [] };
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
