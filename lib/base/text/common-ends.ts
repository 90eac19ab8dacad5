/** Number of characters that are compared at once. */
const COMPARED_CHARS = 4096;

/** Returns the length of the common prefix of two texts. */
export function commonHead(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.slice(at, at + COMPARED_CHARS) === other.slice(at, at + COMPARED_CHARS))
    at += COMPARED_CHARS;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return Math.min(at, length);
}

/** Returns the length of the common suffix, after the common prefix. */
export function commonTail(one: string, other: string, head: number): number {
  const length = Math.min(one.length, other.length) - head;
  const end = (text: string, count: number) => text.slice(text.length - count - COMPARED_CHARS, text.length - count);
  let count = 0;
  while (count + COMPARED_CHARS <= length && end(one, count) === end(other, count)) count += COMPARED_CHARS;
  while (count < length && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count))
    count += 1;
  return count;
}
