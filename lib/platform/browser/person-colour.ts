/** Colours that hold white text at 4.5:1 or better. */
const COLOURS = ["#2E6F73", "#7A4B8C", "#A0552A", "#3F63A8", "#8A3A55", "#4B6B2F"];

/** Returns a person's colour: the same everywhere and always, spread evenly over ids. */
export function toPersonColour(userId: string): string {
  return COLOURS[toHash(userId) % COLOURS.length] ?? "#2E6F73";
}

/**
 * Hashes with FNV-1a and the final mix of MurmurHash3. Ids of successive users differ by as many documents as the store
 * creates beside each, and with a plain sum more than half of them had the colour of the previous one.
 */
function toHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
