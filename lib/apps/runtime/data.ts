import { link } from "./link";

export type TimeUnit = "hour" | "day" | "week" | "month" | "quarter" | "year";
export type Measure = {
  /** Left out, `count` counts rows. */
  field?: string;
  op: "count" | "countDistinct" | "sum" | "avg" | "median" | "min" | "max";
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
  groupBy?: readonly (string | { field: string; timeUnit?: TimeUnit; as?: string })[];
  measures?: readonly Measure[];
  where?: Readonly<Record<string, Condition>>;
  sort?: readonly { by: string; order?: "asc" | "desc" }[];
  limit?: number;
  timeUnit?: TimeUnit;
  timezone?: string;
};

export type BindingField = { name: string; type: string };
export type BindingData<Row> = {
  fields: readonly BindingField[];
  rows: readonly Row[];
  builtAt: string;
  ageMs: number;
  truncated: boolean;
  notice: string | null;
};

const UNAUTHENTICATED = 401;

/**
 * Reads a binding once.
 * @throws Error in words for a person
 */
export async function readBinding<Row extends object = Record<string, unknown>>(
  name: string,
  query?: BindingQuery,
  signal?: AbortSignal,
): Promise<BindingData<Row>> {
  const path = `__data/${encodeURIComponent(name)}.json`;
  const search = query === undefined ? "" : `?query=${encodeURIComponent(JSON.stringify(query))}`;
  const read = (base: string) => fetch(new URL(path + search, base), { signal: signal ?? null, credentials: "omit" });
  let response = await read(link().base);
  // The token of the address lives for a quarter of an hour, the page maybe for a day.
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
    // It came from somebody on the way, or is a text.
  }
  return text.trim().slice(0, 300) || `The rows of “${name}” could not be read (${response.status}).`;
}
