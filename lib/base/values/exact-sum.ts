import { compareNumberText, sumNumberTexts } from "@/lib/base/values/exact-number";
import type { CellValue } from "@/lib/base/values/json-rows";

/** Number of texts that are summed together: one big number per bundle, instead of one per cell. */
const BUNDLE = 4096;

/** Exact aggregates of numbers, as texts. */
export type Summed = { sum: string; average: string; min: string; max: string };

/** Sums numbers and finds the smallest and the largest, exactly, for any number of digits. */
export class ExactSum {
  #whole = 0;
  #texts: string[] = [];
  #isBroken = false;
  #min: number | string | null = null;
  #max: number | string | null = null;
  count = 0;

  /** Skips nulls. */
  add(value: CellValue): void {
    if (value === null || value === "") return;
    this.count += 1;
    const number = typeof value === "number" ? value : String(value);
    if (this.#min === null || compare(number, this.#min) < 0) this.#min = number;
    if (this.#max === null || compare(number, this.#max) > 0) this.#max = number;
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      const next = this.#whole + value;
      if (Number.isSafeInteger(next)) {
        this.#whole = next;
        return;
      }
    }
    if (this.#isBroken) return;
    this.#texts.push(typeof value === "object" ? "" : String(value));
    if (this.#texts.length >= BUNDLE) this.#bundle();
  }

  /** Adds the sums of another instance. */
  merge(other: ExactSum): void {
    if (other.count === 0) return;
    this.count += other.count;
    if (this.#min === null || (other.#min !== null && compare(other.#min, this.#min) < 0)) this.#min = other.#min;
    if (this.#max === null || (other.#max !== null && compare(other.#max, this.#max) > 0)) this.#max = other.#max;
    this.#isBroken ||= other.#isBroken;
    if (this.#isBroken) return;
    this.#texts.push(String(other.#whole), ...other.#texts);
    if (this.#texts.length >= BUNDLE) this.#bundle();
  }

  /** @returns null if there was no number, or a value that is not a plain number */
  result(): Summed | null {
    if (this.count === 0) return null;
    this.#bundle();
    const summed = this.#isBroken ? null : sumNumberTexts([String(this.#whole), ...this.#texts], 2, this.count);
    return summed && { ...summed, min: String(this.#min), max: String(this.#max) };
  }

  #bundle(): void {
    if (this.#texts.length < 2 || this.#isBroken) return;
    const summed = sumNumberTexts(this.#texts);
    this.#isBroken = summed === null;
    this.#texts = summed === null ? [] : [summed.sum];
  }
}

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareNumberText(String(a), String(b));
}
