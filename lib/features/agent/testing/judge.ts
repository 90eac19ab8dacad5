/** Whether rows answer a question: the expected columns are among those given, with the same rows. */

type Rows = { fields: string[]; rows: Record<string, unknown>[] };

/** Figures agree to this many digits behind the point, or in their first six. */
const DIGITS = 2;
const RELATIVE = 1e-6;
const COLUMNS_MAX = 12;

/**
 * @param all the expected rows without their limit: of rows with one rank at the end any may be given
 */
export function isSameAnswer(given: Rows, expected: Rows, isOrdered: boolean, all: Rows = expected): boolean {
  if (given.rows.length !== expected.rows.length || given.fields.length > COLUMNS_MAX) return false;
  // A document store names no columns where nothing was found.
  if (expected.rows.length === 0) return true;
  const columnsOf = ({ fields, rows }: Rows) => fields.map((field) => rows.map((row) => normal(row[field])));
  const task = { want: columnsOf(expected), all: columnsOf(all), have: columnsOf(given), isOrdered };
  return assign(task, []);
}

type Task = { want: string[][]; all: string[][]; have: string[][]; isOrdered: boolean };

/** Gives each expected column one of those that are there, until the rows agree. */
function assign(task: Task, chosen: number[]): boolean {
  const { want, all, have, isOrdered } = task;
  if (chosen.length < want.length) {
    return have.some((_, place) => !chosen.includes(place) && assign(task, [...chosen, place]));
  }
  const taken = chosen.map((place) => have[place] ?? []);
  const given = rowsOf(taken);
  if (!isOrdered) {
    const expected = rowsOf(want).sort();
    return given.sort().every((row, i) => row === expected[i]);
  }
  // What ranks stands last: the ranks come in order, and each row is one that has its rank.
  const ranks = taken.at(-1) ?? [];
  const known = new Set(rowsOf(all));
  const areRanked = (want.at(-1) ?? []).every((rank, i) => rank === ranks[i]);
  return areRanked && given.every((row) => known.has(row)) && (want.length === 1 || isUnique(given, known.size));
}

function rowsOf(columns: readonly string[][]): string[] {
  return (columns[0] ?? []).map((_, row) => JSON.stringify(columns.map((column) => column[row])));
}

/** No row is given twice, unless people of one name have one figure. */
function isUnique(given: readonly string[], known: number): boolean {
  return new Set(given).size === given.length || known < given.length;
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
