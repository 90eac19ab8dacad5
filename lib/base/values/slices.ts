/** Length up to which a text is written at once; in the worst case, all of it quotes, that takes about 25 ms. */
const LARGE_CHARS = 256 * 1024;
const SLICE_CHARS = 64 * 1024;

/** Returns whether a text should be written in slices. */
export function isLarge(text: string): boolean {
  return text.length > LARGE_CHARS;
}

/** Yields the text in slices that are valid texts: none splits a surrogate pair. */
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
