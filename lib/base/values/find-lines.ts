/** One line of a text, from 1, and a piece of it around what was found. */
export type FoundLine = { line: number; text: string };

const SNIPPET_CHARS = 160;
/** What is kept of a line before what was found. */
const SNIPPET_LEAD = 40;

/**
 * The lines of a text that hold what is looked for, whatever its case: the whole of it where it stands so, else any word.
 * @param most so many of them, from the beginning; `count` is of all
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
