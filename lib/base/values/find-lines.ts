/** A line of a text, from 1, with the part of it around the match. */
export type FoundLine = { line: number; text: string };

const SNIPPET_CHARS = 160;
/** Number of characters of a line that are kept before the match. */
const SNIPPET_LEAD = 40;

/**
 * Returns the lines of a text that match a search, ignoring case: the whole phrase if the text contains it, else any
 * word.
 * @param most maximum number of lines, from the start; `count` counts all
 */
export function findLines(text: string, search: string, most: number): { lines: FoundLine[]; count: number } {
  const phrase = search.trim().toLowerCase();
  if (phrase === "") return { lines: [], count: 0 };
  const whole = linesWith(text, [phrase], most);
  const words = phrase.split(/\s+/);
  return whole.count > 0 || words.length === 1 ? whole : linesWith(text, words, most);
}

function linesWith(text: string, words: string[], most: number): { lines: FoundLine[]; count: number } {
  const found: FoundLine[] = [];
  let count = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const folded = line.toLowerCase();
    const places = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
    if (places.length === 0) continue;
    count += 1;
    if (found.length === most) continue;
    const from = Math.max(0, Math.min(...places) - SNIPPET_LEAD);
    const piece = line.slice(from, from + SNIPPET_CHARS).toWellFormed();
    found.push({ line: index + 1, text: piece.trim() });
  }
  return { lines: found, count };
}
