import { isTimeField } from "@/lib/base/charts/settings";
import { isIdentifierField, isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField } from "@/lib/base/values/json-rows";
import { type Measure, readShelves, type Shelves, writeShelves } from "../browser/edit/shelves";
import type { EditedSpec, KindTraits, Spec } from "./kind-traits";

export const NO_SHELVES: Shelves = { dimensions: [], measures: [], sort: null, limit: null };

/** Suggests one measure: the sum of an amount, else the count of rows. */
export function suggestMeasures(fields: readonly ResultField[]): Measure[] {
  const numbers = fields.filter((field) => isNumericField(field) && !isIdentifierField(field));
  const amount = numbers.find(({ type }) => type === "decimal" || type === "float64") ?? numbers[0];
  return [amount ? { field: amount.name, op: "sum", as: null } : { field: null, op: "count", as: null }];
}

/** Returns the first column of times, and the first column of texts that are no identifiers. */
export function findGroupFields(fields: readonly ResultField[]) {
  return {
    time: fields.find(isTimeField),
    word: fields.find((field) => !isTimeField(field) && !isNumericField(field) && !isIdentifierField(field)),
  };
}

/** Fills a blank specification with these shelves; null when it has dimensions or measures. */
export function fillBlank(spec: Spec, shelves: Shelves): EditedSpec | null {
  return "dimensions" in spec || "measures" in spec ? null : writeShelves(spec, shelves);
}

/** Traits of the kinds that are drawn from shapes. */
export const DRAWN_TRAITS = {
  readsData: true,
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit"],
  dimensions: ["dimensions"],
  readShelves,
} as const satisfies Partial<KindTraits>;
