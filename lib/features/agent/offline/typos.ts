import { editDistance } from "@/lib/base/values/edit-distance";
import type { Linked } from "./link";
import type { Schema } from "./schema";
import { GRAMMAR, singularOf } from "./words";

/** Minimum length of a corrected word: shorter ones have too many neighbours. */
const LENGTH_MIN = 5;

/**
 * Corrects unknown words that differ in one letter from a single word of the schema's names or of the language. Null if
 * there is none. The first letter has to be right.
 */
export function correctTypos(linked: Linked, schema: Schema): { text: string; assumed: string[] } | null {
  const { tokens, mentions, dates } = linked;
  const isKnown = (i: number) =>
    mentions.some(({ from, to }) => i >= from && i < to) ||
    dates.some(({ fromToken, toToken }) => i >= fromToken && i < toToken);
  const words = wordsOf(schema);
  let { text } = linked;
  const assumed: string[] = [];
  for (let i = tokens.length - 1; i >= 0; i--) {
    const token = tokens[i];
    if (!token || token.isQuoted || token.number !== null || token.lower.length < LENGTH_MIN) continue;
    if (isKnown(i) || GRAMMAR.has(token.lower)) continue;
    const near = words.filter(
      (word) =>
        word[0] === token.lower[0] &&
        Math.abs(word.length - token.lower.length) <= 1 &&
        editDistance(word, token.lower) === 1,
    );
    const [word] = near;
    // Both "order" and "orders" may be one letter away: they are one word.
    if (!word || near.some((other) => singularOf(other) !== singularOf(word))) continue;
    text = `${text.slice(0, token.at)}${word}${text.slice(token.at + token.raw.length)}`;
    assumed.unshift(`I assumed that “${token.raw}” means “${word}”.`);
  }
  return assumed.length === 0 ? null : { text, assumed };
}

/** "Avrage" is an operator. */
const GRAMMAR_WORDS = [...GRAMMAR].filter((word) => word.length > LENGTH_MIN);

/** Returns the words of all names, in the singular and the plural, and those of the language. */
function wordsOf({ tables }: Schema): string[] {
  const all = tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
  const words = all.flatMap((name) =>
    name
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}]+/u),
  );
  const forms = words.flatMap((word) => [word, singularOf(word), pluralOf(singularOf(word))]);
  const names = forms.filter((word) => word.length >= LENGTH_MIN && !GRAMMAR.has(word));
  return [...new Set([...names, ...GRAMMAR_WORDS])];
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
