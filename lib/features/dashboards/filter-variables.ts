import { withTexts } from "@/lib/base/values/exact-sources";
import { toCondition } from "@/lib/features/results/crossfilter/filters";
import type { Condition } from "@/lib/features/results/crossfilter/spec";
import type { Filled, Part } from "./parts";
import type { Filter } from "./schema";

/** The values of a page's filters, by filter id; an omitted filter has its default. */
type FilterValues = {
  filters: readonly Filter[];
  values: Readonly<Record<string, unknown>>;
  /** Determines, with `zone`, the days of date presets. */
  now: Date;
  zone: string;
};

/** Returns the condition of a filter; null if it matches everything. @throws AppError as `toCondition` */
export function conditionOf({ values, now, zone }: FilterValues, filter: Filter): Condition | null {
  const value = Object.hasOwn(values, filter.id) ? values[filter.id] : withTexts(filter.default);
  return toCondition(filter, value, { now, zone });
}

/** Returns the parts with the values that filters give to the variables of their consoles. */
export function fillVariables<T extends Part>(page: FilterValues, parts: readonly T[]): T[] {
  return parts.map((part) => {
    const id = part.name.slice(part.name.indexOf(":") + 1);
    const filled = page.filters.flatMap((filter): [string, Filled][] => {
      const names = filter.variables && Object.hasOwn(filter.variables, id) ? filter.variables[id] : undefined;
      if (!names) return [];
      const { value, from, to } = toFilled(conditionOf(page, filter));
      const pairs = [
        [names.value, value],
        [names.from, from],
        [names.to, to],
      ] as const;
      return pairs.flatMap(([name, each]): [string, Filled][] => (name === undefined ? [] : [[name, each]]));
    });
    return filled.length === 0 ? part : { ...part, variables: Object.fromEntries(filled) };
  });
}

/** Returns the same with the defaults of all filters, which scheduled refreshes use. */
export function fillDefaults<T extends Part>(filters: readonly Filter[], now: Date, parts: readonly T[]): T[] {
  return fillVariables({ filters, values: {}, now, zone: "UTC" }, parts);
}

function toFilled(condition: Condition | null): { value: Filled; from: Filled; to: Filled } {
  const day = (value: string | null): Filled => value && { type: "date", value };
  if (condition?.kind === "days") return { value: null, from: day(condition.from), to: day(condition.to) };
  const none = { from: null, to: null };
  if (condition?.kind === "contains") return { ...none, value: condition.text };
  return { ...none, value: condition?.kind === "oneOf" ? ((condition.values[0] ?? null) as Filled) : null };
}
