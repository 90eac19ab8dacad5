import type { AggregateSpec, Condition, TimeUnit } from "./spec";
import { type Comparison, GRAINS, type Grain } from "./words";

/* Grain of a whole page, and the previous period that it is compared with. */

/** Distance between the previous period and the current one. */
export type Shift = { field: string; unit: "day" | "year"; count: number };
export type Earlier = { from: string; to: string; shift: Shift; conditions: Condition[] };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Applies the page's grain to the times of a query; plain rows stay unchanged. */
export function withGrain(spec: AggregateSpec, grain: Grain | undefined): AggregateSpec {
  if (grain === undefined || spec.measures.length === 0) return spec;
  return {
    ...spec,
    timeUnit: grain,
    dimensions: spec.dimensions.map((each) =>
      "timeUnit" in each && each.timeUnit !== undefined ? { ...each, timeUnit: grain } : each,
    ),
  };
}

/** Maximum number of days of a time unit. */
const UNIT_DAYS: Readonly<Record<Grain, number>> = { year: 366, quarter: 92, month: 31, week: 7, day: 1 };
/** A chart over fewer times shows no course. */
const TIMES_WANTED = 5;

/**
 * Returns the grain for a range of days that is no longer than one time unit, which would be a single place: the
 * coarsest that has several, or days.
 * @returns undefined for a range with several of the unit, and for hours
 */
export function finerGrain(unit: TimeUnit, from: string, to: string): Grain | undefined {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  if (unit === "hour" || unit === "day" || days > UNIT_DAYS[unit]) return undefined;
  const finer = GRAINS.slice(GRAINS.indexOf(unit) + 1);
  return finer.find((grain) => days / UNIT_DAYS[grain] >= TIMES_WANTED) ?? "day";
}

/**
 * Returns the previous period, with conditions on a clock moved forward, so that its days match those of the current
 * one. Null unless the filters select a range of days with a start. A range that extends into the future is cut at
 * today.
 * @param today current day in the page's zone
 */
export function toEarlier(conditions: readonly Condition[], comparison: Comparison, today: string): Earlier | null {
  const days = conditions.filter((condition) => condition.kind === "days");
  const field = days.find(({ from }) => from !== null)?.field;
  if (field === undefined) return null;
  const own = days.filter((condition) => condition.field === field);
  // As texts they sort in calendar order.
  const from = own
    .flatMap((each) => each.from ?? [])
    .sort()
    .at(-1);
  const end = own
    .flatMap((each) => each.to ?? [])
    .sort()
    .at(0);
  if (from === undefined || end === undefined) return null;
  const to = end > today && from <= today ? today : end;
  if (from > to) return null;
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const shift: Shift = comparison === "year" ? { field, unit: "year", count: 1 } : { field, unit: "day", count };
  const isOwn = (each: Condition) => each.kind === "days" && each.field === field;
  return {
    from: toEarlierDay(from, shift),
    to: toEarlierDay(to, shift),
    shift,
    conditions: [...conditions.filter((each) => !isOwn(each)), { field, kind: "days", from, to }],
  };
}

/** Moves a day back. 29 February becomes 28 February a year earlier, as in the engine. */
function toEarlierDay(day: string, { unit, count }: Shift): string {
  if (unit === "day") return toText(Date.parse(day) - count * DAY_MS);
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year - count, month, 0)).getUTCDate();
  return toText(Date.UTC(year - count, month - 1, Math.min(date, last)));
}

function toText(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}
