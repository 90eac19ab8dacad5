import type { Measure } from "@/lib/base/charts/settings";
import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue } from "@/lib/base/values/json-rows";

/** A value of a chart: the number that is drawn, and its exact text. */
export type ChartCell = { value: number; text: string };

/** Aggregates the rows of one place and series. `rows` also counts rows without a value. */
export class Amount {
  rows = 0;
  count = 0;
  #exact = new ExactSum();
  #sum = 0;
  #lost = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  /** @returns false if the value is not a number */
  add(value: CellValue): boolean {
    const number = toNumber(value);
    if (number === null) return false;
    this.count += 1;
    this.#exact.add(value);
    this.#plus(number);
    this.#min = Math.min(this.#min, number);
    this.#max = Math.max(this.#max, number);
    return true;
  }

  merge(other: Amount): void {
    this.rows += other.rows;
    this.count += other.count;
    this.#exact.merge(other.#exact);
    this.#plus(other.#sum);
    this.#plus(-other.#lost);
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }

  /** @returns null if no row had a value */
  read({ of }: Measure): ChartCell | null {
    if (of === "count") return { value: this.rows, text: String(this.rows) };
    if (this.count === 0) return null;
    // Floats with an exponent have no exact sum: the nearest one is as precise as the inputs.
    const exact = this.#exact.result();
    if (of === "average") return toCell(exact?.average, this.#sum / this.count);
    if (of === "min") return toCell(exact?.min, this.#min);
    if (of === "max") return toCell(exact?.max, this.#max);
    return toCell(exact?.sum, this.#sum);
  }

  /** Adds a float, and carries the rounding error of each step into the next (Kahan summation). */
  #plus(number: number): void {
    const next = number - this.#lost;
    const sum = this.#sum + next;
    this.#lost = sum - this.#sum - next;
    this.#sum = sum;
  }
}

/** Returns null for values without a position on an axis: nulls, text, NaN, infinities. */
export function toNumber(value: CellValue): number | null {
  if (value === null || value === "" || typeof value === "object" || typeof value === "boolean") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function toCell(text: string | undefined, value: number): ChartCell {
  return text === undefined ? { value, text: String(value) } : { value: Number(text), text };
}
