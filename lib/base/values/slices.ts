/** A text up to this is written at once; in the worst case, all of it quotes, that takes some 25 ms. */
const LARGE_CHARS = 256 * 1024;
const SLICE_CHARS = 64 * 1024;

/** Returns true for a text that is to be written in slices. */
export function isLarge(text: string): boolean {
  return text.length > LARGE_CHARS;
}

/** Yields the text in slices that are texts by themselves: none ends between the halves of a character. */
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
