import { ANY_VALUES_MAX, CONDITION_OPS, type Condition } from "@/lib/base/sql/conditions";

/** Sort and filters of a table by column name: the address contains them before the columns are known. */
export type NamedArrangement = {
  sort: { column: string; isDescending: boolean } | null;
  filters: (Condition & { column: string })[];
};

export const NAMED_PLAIN: NamedArrangement = { sort: null, filters: [] };

/** Maximum number of filters in one request for a table. */
const FILTERS_MAX = 20;

/** Returns the parameters of an address for a table's sort and filters. */
export function toTableParams({ sort, filters }: NamedArrangement): [string, string][] {
  return [
    ...(sort === null ? [] : [[sort.isDescending ? "desc" : "asc", sort.column] as [string, string]]),
    ...filters.map(({ column, ...condition }): [string, string] => [
      "filter",
      JSON.stringify([column, condition.op, condition.op === "any" ? condition.values : condition.value]),
    ]),
  ];
}

/** Returns whether a parameter of an address is one of a table's. */
export function isTableParam(name: string): boolean {
  return name === "asc" || name === "desc" || name === "filter";
}

/** @returns `isWhole` false when something in the address was invalid: it is omitted */
export function readTableParams(params: URLSearchParams): { named: NamedArrangement; isWhole: boolean } {
  const column = params.get("desc") ?? params.get("asc");
  const sort = column ? { column, isDescending: params.has("desc") } : null;
  const given = params.getAll("filter");
  const read = given.slice(0, FILTERS_MAX).map(readFilter);
  const filters = read.filter((each) => each !== null);
  return { named: { sort, filters }, isWhole: filters.length === given.length };
}

function readFilter(text: string): (Condition & { column: string }) | null {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return null;
  const [column, op, value] = parts as unknown[];
  if (typeof column !== "string" || column === "") return null;
  const isValue = (each: unknown) => each === null || typeof each === "string";
  if (op === "any") {
    const isList = Array.isArray(value) && value.length > 0 && value.length <= ANY_VALUES_MAX && value.every(isValue);
    return isList ? { column, op, values: value as (string | null)[] } : null;
  }
  const known = CONDITION_OPS.find((each) => each === op);
  if (known === undefined || !isValue(value)) return null;
  if (value === null && known !== "is" && known !== "not") return null;
  return { column, op: known, value: value as string | null };
}
