import type { CellValue } from "@/lib/tabular/json-rows";
import { sumNumberTexts } from "@/lib/ui/exact-number";

/** Texts are added up in bundles of this size: one number of any length for each, instead of one for each cell. */
const BUNDLE = 4096;

/** Adds numbers up, without losing a digit, whatever their length. */
export class ExactSum {
  #whole = 0;
  #texts: string[] = [];
  #isBroken = false;
  count = 0;

  /** Nulls are passed over. */
  add(value: CellValue): void {
    if (value === null || value === "") return;
    this.count += 1;
    if (typeof value === "number" && Number.isSafeInteger(value)) {
      const next = this.#whole + value;
      if (Number.isSafeInteger(next)) {
        this.#whole = next;
        return;
      }
    }
    this.#texts.push(typeof value === "object" ? "" : String(value));
    if (this.#texts.length >= BUNDLE) this.#bundle();
  }

  /** @returns null when there was no number, or something that is not a plain one */
  result(): { sum: string; average: string } | null {
    if (this.count === 0) return null;
    this.#bundle();
    return this.#isBroken ? null : sumNumberTexts([String(this.#whole), ...this.#texts], 2, this.count);
  }

  #bundle(): void {
    if (this.#texts.length < 2 || this.#isBroken) return;
    const summed = sumNumberTexts(this.#texts);
    this.#isBroken = summed === null;
    this.#texts = summed === null ? [] : [summed.sum];
  }
}
