/** Returns as many of the first items as fit the given size as JSON, in bytes; at least one. */
export function upToBytes<T>(items: readonly T[], bytesMax: number): T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return index > 0 && bytes > bytesMax;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Returns the start of a text, with a mark if it was cut. */
export function shortText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}

/** Maximum size of a file's text for the model. It fits a result with line breaks and quotes escaped. */
const CONTENT_BYTES_MAX = 24_000;

/** Returns a file's text for the model, or its start. */
export function shownContent(text: string): { content: string; truncated: boolean } {
  const content = beginningOf(text, CONTENT_BYTES_MAX);
  return { content, truncated: content.length < text.length };
}

/**
 * Returns the start of a text that fits the given size in bytes; it may end inside a word, but not inside a character.
 */
export function beginningOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, bytesMax).toWellFormed());
  let end = Math.min(bytes.length, bytesMax);
  // A byte that starts with these two bits continues a character.
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
