import { link } from "./link";

export type TimeUnit = "hour" | "day" | "week" | "month" | "quarter" | "year";
/** The name of a file in `bindings/`, without its ending. */
export type BindingName = string;
/** The name of a column of the binding's rows. */
type Column = string;
export type Measure = {
  /** Left out, `count` counts rows. */
  field?: Column;
  op: "count" | "countDistinct" | "sum" | "avg" | "median" | "min" | "max";
  /** What the column is called in the answer. */
  as?: string;
};
type Scalar = string | number | boolean | null;
/** One value, one of several, from and to (days as YYYY-MM-DD, or numbers), or a part of a text. */
export type Condition =
  | Scalar
  | readonly Scalar[]
  | { from?: string | null; to?: string | null }
  | { from?: number | null; to?: number | null }
  | { contains: string };

/** What is to be made of a binding's rows before they are sent. */
export type BindingQuery = {
  /** A row of the answer for each of their values; days and times by their `timeUnit`. */
  groupBy?: readonly (Column | { field: Column; timeUnit?: TimeUnit; as?: string })[];
  /** What is computed of each group, or of all rows without one. */
  measures?: readonly Measure[];
  /** The rows that count, by column. */
  where?: Readonly<Record<Column, Condition>>;
  /** By columns of the answer, the first one first. */
  sort?: readonly { by: Column; order?: "asc" | "desc" }[];
  /** Rows of the answer, 50,000 at the most. */
  limit?: number;
  /** Of every grouped day and time that names none of its own. */
  timeUnit?: TimeUnit;
  /** By whose clock days, weeks and hours go, such as `Europe/Vienna`; UTC without one. */
  timezone?: string;
};

export type BindingField = { name: string; type: string };
export type BindingData<Row> = {
  fields: readonly BindingField[];
  rows: readonly Row[];
  /** The rows are no older; as ISO 8601. */
  builtAt: string;
  ageMs: number;
  /** There is more than these rows. */
  truncated: boolean;
  /** What to do about what is left out; null when nothing is. */
  notice: string | null;
};

const UNAUTHENTICATED = 401;

/**
 * Reads a binding once.
 * @throws Error in words for a person
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
  return text.trim().slice(0, 300) || `The rows of “${name}” could not be read (${response.status}).`;
}
