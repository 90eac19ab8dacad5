import type { ResultRow } from "@/lib/base/values/json-rows";

/**
 * Reads rows from pieces of NDJSON text, wherever the pieces were cut. A whole piece is parsed at once, which takes
 * half the time of one line after the other; line ends inside of values are escaped, so only rows end with one.
 */
export class NdjsonRows {
  #rest = "";

  /** @returns the rows that are complete with this piece */
  read(text: string): ResultRow[] {
    const end = text.lastIndexOf("\n");
    if (end < 0) {
      this.#rest += text;
      return [];
    }
    const lines = this.#rest + text.slice(0, end);
    this.#rest = text.slice(end + 1);
    return lines === "" ? [] : JSON.parse(`[${lines.replaceAll("\n", ",")}]`);
  }

  /** True when the text ended where a row ends. */
  get isWhole(): boolean {
    return this.#rest === "";
  }
}
