import type { ResultRow } from "@/lib/base/values/json-rows";

/**
 * Parses rows from chunks of NDJSON text, with any boundaries. A chunk is parsed as a whole, in half the time of line
 * by line; line ends inside values are escaped, so only rows end with one.
 */
export class NdjsonRows {
  #rest = "";

  /** @returns the rows that this chunk completes */
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

  /** Returns whether the text ended at the end of a row. */
  get isWhole(): boolean {
    return this.#rest === "";
  }
}
