import { link } from "./link";

export type TimeUnit = "hour" | "day" | "week" | "month" | "quarter" | "year";
/** The name of a file in `bindings/`, without its ending. */
export type BindingName = string;
/** The name of a column of the binding's rows. */
type Column = string;
export type Measure = {
  /** Column. Without it, `count` counts rows. */
  field?: Column;
  op: "count" | "countDistinct" | "sum" | "avg" | "median" | "min" | "max";
  /** Name of the column in the result. */
  as?: string;
};
type Scalar = string | number | boolean | null;
/** One value, a list of values, a range (days as YYYY-MM-DD, or numbers), or a part of a text. */
export type Condition =
  | Scalar
  | readonly Scalar[]
  | { from?: string | null; to?: string | null }
  | { from?: number | null; to?: number | null }
  | { contains: string };

/** Grouping, filters and order that the server applies to a binding's rows. */
export type BindingQuery = {
  /** One result row per distinct value; days and times are grouped by `timeUnit`. */
  groupBy?: readonly (Column | { field: Column; timeUnit?: TimeUnit; as?: string })[];
  /** Aggregates of each group, or of all rows without `groupBy`. */
  measures?: readonly Measure[];
  /** Filters by column. */
  where?: Readonly<Record<Column, Condition>>;
  /** Order by result columns, most significant first. */
  sort?: readonly { by: Column; order?: "asc" | "desc" }[];
  /** Maximum number of result rows, up to 50,000. */
  limit?: number;
  /** Default unit of grouped days and times. */
  timeUnit?: TimeUnit;
  /** Time zone of days, weeks and hours, such as `Europe/Vienna`. Default: UTC. */
  timezone?: string;
};

export type BindingField = { name: string; type: string };
export type BindingData<Row> = {
  fields: readonly BindingField[];
  rows: readonly Row[];
  /** Time of the last refresh, as ISO 8601. */
  builtAt: string;
  ageMs: number;
  /** Whether there are more rows than these. */
  truncated: boolean;
  /** Advice about omitted rows; null if none are omitted. */
  notice: string | null;
};

const UNAUTHENTICATED = 401;

/**
 * Reads a binding once.
 * @throws Error with a message for the user
 */
export async function readBinding<Row extends object = Record<string, unknown>>(
  name: BindingName,
  query?: BindingQuery,
  signal?: AbortSignal,
): Promise<BindingData<Row>> {
  const path = `__data/${encodeURIComponent(name)}.json`;
  const search = query === undefined ? "" : `?query=${encodeURIComponent(JSON.stringify(query))}`;
  const read = (base: string) => fetch(new URL(path + search, base), { signal: signal ?? null, credentials: "omit" });
  let response = await read(link().base);
  // The token in the address is valid for 15 min, the page may be open for a day.
  if (response.status === UNAUTHENTICATED) response = await read(await link().freshBase());
  if (response.ok) return response.json();
  throw new Error(await wordsOf(response, name));
}

async function wordsOf(response: Response, name: string): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    if (typeof error === "string") return error;
  } catch {
    // The response is from a proxy, or is plain text.
  }
  return text.trim().slice(0, 300) || `Couldn't load the rows of “${name}” (${response.status}).`;
}
