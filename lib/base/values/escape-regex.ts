/** Returns a pattern that matches a text literally, in JavaScript and in the store. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
