import type { WireValue } from "@/lib/base/values/fields";
import { valueBytes } from "./wire-values";

const MIB = 1024 * 1024;

/** Maximum size of a value that a conflict of row changes shows, in bytes, and of those of all conflicts of a response. */
const SHOWN_BYTES_MAX = 256 * 1024;
const SHOWN_TOTAL_BYTES_MAX = 8 * MIB;
/** Stands for a longer value. Equal to none that was read, so that it can't be kept as the old one by mistake. */
export const LONG_VALUE = "(value too long to show)";

/** The values of all conflicts of a response, within its size. */
export class ConflictValues {
  #bytesLeft = SHOWN_TOTAL_BYTES_MAX;
  #bytesRead = 0;

  /** Size of all values that were read to be shown, in bytes. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Returns a value as a conflict shows it. */
  show(value: WireValue): WireValue {
    const bytes = valueBytes(value);
    this.#bytesRead += bytes;
    if (bytes > Math.min(SHOWN_BYTES_MAX, this.#bytesLeft)) return LONG_VALUE;
    this.#bytesLeft -= bytes;
    return value;
  }
}
