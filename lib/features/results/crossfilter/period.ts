import type { AggregateSpec, Condition } from "./spec";
import type { Comparison, Grain } from "./words";

/* The grain of a whole page, and the earlier period that it is compared with. */

/** How far an earlier period lies before the one that is looked at. */
export type Shift = { field: string; unit: "day" | "year"; count: number };
export type Earlier = { from: string; to: string; shift: Shift; conditions: Condition[] };

const DAY_MS = 24 * 60 * 60 * 1000;

/** The same question with its times put together by the page's grain; rows as they are stay so. */
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

/**
 * The period to compare with: the conditions under which its rows are asked for by a clock that is put forward, so that its
 * days lie on those of the present one. Null where no range of days is chosen that begins somewhere. A range that reaches
 * into days to come is as long as what there is of it.
 * @param today a day of the page's zone
 */
export function toEarlier(conditions: readonly Condition[], comparison: Comparison, today: string): Earlier | null {
  const days = conditions.filter((condition) => condition.kind === "days");
  const field = days.find(({ from }) => from !== null)?.field;
  if (field === undefined) return null;
  const own = days.filter((condition) => condition.field === field);
  // As texts they are in the order of the calendar.
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

/** The 29th of February has the 28th a year before, as for the engine. */
function toEarlierDay(day: string, { unit, count }: Shift): string {
  if (unit === "day") return toText(Date.parse(day) - count * DAY_MS);
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year - count, month, 0)).getUTCDate();
  return toText(Date.UTC(year - count, month - 1, Math.min(date, last)));
}

function toText(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}
