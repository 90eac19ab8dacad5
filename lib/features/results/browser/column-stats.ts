import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toPlainText } from "@/lib/features/results/browser/cell-text";
import { toConditionKind } from "@/lib/features/results/browser/column-filter";
import { countShown, type ShownRows, toTableRow } from "@/lib/features/results/browser/shown-rows";
import { isTurnDue, turn } from "@/lib/features/results/browser/turn";

/** A bar of a histogram: its values are from `from` to `to`, which belongs to the next bar, except in the last. */
export type StatsBar = { from: number; to: number; count: number };
/** Statistics of a column. Values are exact texts. */
export type ColumnStats = {
  rows: number;
  nulls: number;
  /** Null for more than `DISTINCT_MAX`. */
  distinct: number | null;
  /** Null without an order, and without values. */
  min: string | null;
  max: string | null;
  /** Null for other values than numbers. */
  average: string | null;
  sum: string | null;
  /** Histogram of numbers, or of times in epoch milliseconds; empty for few distinct values. */
  bars: StatsBar[];
  /** Most frequent values, the most frequent first; empty where each occurs once. */
  top: { value: string; count: number }[];
};

export const BARS = 16;
export const TOP_MAX = 8;
/** Each distinct value takes about 100 bytes while they are counted. */
export const DISTINCT_MAX = 1_000_000;
/** Rows between two looks at the clock. */
const SLICE_ROWS = 4096;

/** Computes the statistics of a column over the shown rows. Yields to other work. */
export async function toColumnStats(shown: ShownRows, column: number): Promise<ColumnStats> {
  const field = shown.table.fields[column] ?? { name: "", type: "other" };
  const rows = countShown(shown);
  const stats = new StatsCounter(field);
  let since = performance.now();
  for (let row = 0; row < rows; row += 1) {
    stats.add(shown.table.at(toTableRow(shown, row), column));
    if (row % SLICE_ROWS === 0 && isTurnDue(since)) {
      await turn();
      since = performance.now();
    }
  }
  return stats.result(rows);
}

class StatsCounter {
  readonly #counts = new Map<string, number>();
  readonly #sum = new ExactSum();
  readonly #numbers: number[] = [];
  readonly #isNumeric: boolean;
  readonly #isTime: boolean;
  readonly #isOrdered: boolean;
  #filled = 0;
  #isCut = false;
  #min: string | null = null;
  #max: string | null = null;

  constructor(field: ResultField) {
    const kind = toConditionKind(field);
    this.#isNumeric = isNumericField(field);
    this.#isTime = kind === "date" || kind === "time";
    this.#isOrdered = this.#isTime || kind === "text";
  }

  add(value: CellValue): void {
    if (value === null) return;
    this.#filled += 1;
    const text = toPlainText(value);
    const count = this.#counts.get(text);
    if (count !== undefined) this.#counts.set(text, count + 1);
    else if (this.#counts.size < DISTINCT_MAX) this.#counts.set(text, 1);
    else this.#isCut = true;
    if (this.#isNumeric) {
      this.#sum.add(value);
      this.#numbers.push(Number(text));
    } else if (this.#isOrdered) {
      if (this.#min === null || text < this.#min) this.#min = text;
      if (this.#max === null || text > this.#max) this.#max = text;
      if (this.#isTime) this.#numbers.push(Date.parse(text));
    }
  }

  result(rows: number): ColumnStats {
    const sums = this.#isNumeric ? this.#sum.result() : null;
    const distinct = this.#isCut ? null : this.#counts.size;
    return {
      rows,
      nulls: rows - this.#filled,
      distinct,
      min: sums?.min ?? this.#min,
      max: sums?.max ?? this.#max,
      average: sums?.average ?? null,
      sum: sums?.sum ?? null,
      bars: distinct !== null && distinct <= TOP_MAX ? [] : toBars(this.#numbers),
      top: toTop(this.#counts),
    };
  }
}

/** Counts values in bars of one width; none for fewer than two different values. NaN and infinite values are left out. */
function toBars(values: readonly number[]): StatsBar[] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least >= most) return [];
  const counts = new Array<number>(BARS).fill(0);
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    const at = Math.min(BARS - 1, Math.floor(((value - least) / (most - least)) * BARS));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return toStatsBars(least, most, counts);
}

/** Returns bars of one width. @param counts of each bar */
export function toStatsBars(least: number, most: number, counts: readonly number[]): StatsBar[] {
  const edge = (at: number) => least + ((most - least) * at) / counts.length;
  return counts.map((count, at) => ({ from: edge(at), to: edge(at + 1), count }));
}

function toTop(counts: ReadonlyMap<string, number>): { value: string; count: number }[] {
  const top: { value: string; count: number }[] = [];
  for (const [value, count] of counts) {
    if (count < 2 && counts.size > TOP_MAX) continue;
    const last = top.at(-1);
    if (top.length === TOP_MAX && last && last.count >= count) continue;
    const at = top.findIndex((each) => each.count < count);
    top.splice(at < 0 ? top.length : at, 0, { value, count });
    if (top.length > TOP_MAX) top.pop();
  }
  return top;
}
