/** Whether rows answer a question: the expected columns are among those given, with the same rows. */

type Rows = { fields: string[]; rows: Record<string, unknown>[] };

/** Figures agree to this many digits behind the point, or in their first six. */
const DIGITS = 2;
const RELATIVE = 1e-6;
const COLUMNS_MAX = 12;

export function isSameAnswer(given: Rows, expected: Rows, isOrdered: boolean): boolean {
  if (given.rows.length !== expected.rows.length || given.fields.length > COLUMNS_MAX) return false;
  const have = given.fields.map((field) => given.rows.map((row) => normal(row[field])));
  const want = expected.fields.map((field) => expected.rows.map((row) => normal(row[field])));
  return assign(want, have, [], isOrdered);
}

/** Gives each expected column one of those that are there, until the rows agree. */
function assign(want: string[][], have: string[][], chosen: number[], isOrdered: boolean): boolean {
  if (chosen.length === want.length) {
    const rowsOf = (columns: string[][]) =>
      (columns[0] ?? []).map((_, row) => JSON.stringify(columns.map((column) => column[row])));
    const expected = rowsOf(want);
    const given = rowsOf(chosen.map((place) => have[place] ?? []));
    if (isOrdered) {
      // What ranks stands last; rows of one rank may come in any order.
      settle(expected, want.at(-1) ?? []);
      settle(given, have[chosen.at(-1) ?? 0] ?? []);
    } else {
      expected.sort();
      given.sort();
    }
    return expected.every((row, i) => row === given[i]);
  }
  return have.some((_, place) => !chosen.includes(place) && assign(want, have, [...chosen, place], isOrdered));
}

function settle(rows: string[], ranks: readonly string[]): void {
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (to < rows.length && ranks[to] === ranks[from]) to++;
    rows.splice(from, to - from, ...rows.slice(from, to).sort());
    from = to;
  }
}

/** One writing for a value, whatever engine gives it. */
function normal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return normal(value.toISOString());
  if (typeof value === "boolean") return value ? "1" : "0";
  const text = String(value).trim();
  const day = /^(\d{4}-\d{2}-\d{2})(?:[T ]00:00:00(?:\.0+)?(?:Z|\+00(?::00)?)?)?$/.exec(text)?.[1];
  // The first day stands for its month, quarter or year.
  if (day) return /-01$/.test(day) ? day.slice(0, 7) : day;
  const quarter = /^(\d{4})-?\s?Q([1-4])$/.exec(text);
  if (quarter) return `${quarter[1]}-${String(Number(quarter[2]) * 3 - 2).padStart(2, "0")}`;
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) {
    const number = Number(text);
    const rounded =
      Math.abs(number) * RELATIVE > 0.5 * 10 ** -DIGITS
        ? Number(number.toPrecision(7))
        : Number(number.toFixed(DIGITS));
    return String(rounded);
  }
  return text.toLowerCase();
}
