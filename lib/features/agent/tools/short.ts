/** As many of these as take so many bytes as JSON, from the first on; one at least. */
export function upToBytes<T>(items: readonly T[], bytesMax: number): T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return index > 0 && bytes > bytesMax;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** The beginning of a text, with a mark where it was cut. */
export function shortText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}

/** As much of a text from its beginning as takes so many bytes; it may end in the middle of a word, not of a character. */
export function beginningOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, bytesMax).toWellFormed());
  let end = Math.min(bytes.length, bytesMax);
  // What begins with these two bits goes on with a character.
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
