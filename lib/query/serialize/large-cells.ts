import type { Batch } from "@/lib/tabular/fields";

/** A cell up to this is written at once; in the worst case, all of it quotes, that takes some 25 ms. */
const LARGE_CHARS = 256 * 1024;
const SLICE_CHARS = 64 * 1024;

/** Whether rows of the batch are to be written in pieces: a cell of 16 MiB takes up to a second and a half. */
export function hasLargeCell({ columns }: Batch): boolean {
  return columns.some((column) => column.some((value) => typeof value === "string" && isLarge(value)));
}

export function isLarge(text: string): boolean {
  return text.length > LARGE_CHARS;
}

/** The text in slices that are texts by themselves: none ends between the halves of a character. */
export function* slicesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + SLICE_CHARS, text.length);
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
