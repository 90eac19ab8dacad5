/** Maximum length of a prefix in the index; longer words are compared after the look-up. */
const PREFIX_CHARS_MAX = 16;
/** Maximum number of keys of an item: its name and folders have up to 1,000 bytes. */
const KEYS_MAX = 400;
/**
 * Maximum number of keys of a text, from its start: those of about 100 KiB of SQL. Words after them are found only in the
 * latest saves.
 */
const TEXT_KEYS_MAX = 2_000;
/** Words of one character are in nearly every text. */
const TEXT_WORD_CHARS_MIN = 2;
const TEXT_WORD = /[\p{L}\p{N}]{2,}/gu;
/** Marks the key of a whole name, and those of the beginnings of names. Words have letters and digits only. */
const WHOLE_NAME = "=";
const NAME_START = "^";

/** Returns a text without case and diacritics. */
export function foldText(text: string): string {
  // Upper case first, so that ß equals SS.
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase();
}

/** Returns the words of a text, folded. */
export function wordsOf(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Returns the keys that an index holds for an item: each beginning of each word of its path, the whole name, and the
 * beginnings of the name's first word. So a look-up of equal keys finds words by their beginnings, in any store.
 */
export function searchKeysOf(path: string): string[] {
  const [name = "", ...folders] = path.split("/").reverse();
  const words = wordsOf(name);
  const keys = new Set([WHOLE_NAME + words.join(" ")]);
  for (const prefix of prefixesOf(words[0] ?? "")) keys.add(NAME_START + prefix);
  for (const word of [...words, ...folders.flatMap(wordsOf)]) for (const prefix of prefixesOf(word)) keys.add(prefix);
  return [...keys].slice(0, KEYS_MAX);
}

/** Returns the keys that an index holds for a text: its words, once each. Words have at least two characters. */
export function textKeysOf(text: string): string[] {
  const keys = new Set<string>();
  for (const [word] of foldText(text).matchAll(TEXT_WORD)) {
    keys.add(toPrefix(word));
    if (keys.size === TEXT_KEYS_MAX) break;
  }
  return [...keys];
}

/** Returns the pattern of a text's keys that begin with a word. An index serves it. */
export function textKeyPattern(word: string): { $regex: string } {
  return { $regex: `^${toPrefix(word)}` };
}

/** Returns the filter of items whose path has a word that begins with this one. An index serves it. */
export function pathKey(word: string): { searchKeys: string } {
  return { searchKeys: toPrefix(word) };
}

/** Returns whether the keys of a text show that it lacks this word. */
export function isTextWord(word: string): boolean {
  return [...word.slice(0, 2 * TEXT_WORD_CHARS_MIN)].length >= TEXT_WORD_CHARS_MIN;
}

/**
 * Returns the keys of the items that may match the words of a search, the best first. Items match that have all keys of
 * one of the lists.
 */
export function wantedKeysOf(words: readonly string[]): string[][] {
  const [first] = words;
  if (first === undefined) return [];
  const prefixes = [...new Set(words.map(toPrefix))];
  return [[WHOLE_NAME + words.join(" ")], [NAME_START + toPrefix(first), ...prefixes], prefixes];
}

/** Returns the filter of items that have all of these keys. An index serves it, by the rarest of them. */
export function withSearchKeys(keys: readonly string[]): { $and: { searchKeys: string }[] } {
  return { $and: keys.map((searchKeys) => ({ searchKeys })) };
}

/** Ranks, best first. */
const RANKS = { name: 0, nameStart: 1, inName: 2, inPath: 3, inside: 4 } as const;

/** Returns the rank of a path in a search, the best lowest; null if it does not match. @param words of the search */
export function rankPath(path: string, words: readonly string[]): number | null {
  const name = wordsOf(path.slice(path.lastIndexOf("/") + 1));
  const [phrase, nameText] = [words.join(" "), name.join(" ")];
  if (nameText === phrase) return RANKS.name;
  if (nameText.startsWith(phrase)) return RANKS.nameStart;
  if (words.every((word) => name.some((each) => each.startsWith(word)))) return RANKS.inName;
  const all = wordsOf(path);
  if (words.every((word) => all.some((each) => each.startsWith(word)))) return RANKS.inPath;
  return words.every((word) => all.some((each) => each.includes(word))) ? RANKS.inside : null;
}

/** Cuts at characters, not at halves of surrogate pairs. */
function toPrefix(word: string): string {
  return [...word.slice(0, 2 * PREFIX_CHARS_MAX)].slice(0, PREFIX_CHARS_MAX).join("");
}

function prefixesOf(word: string): string[] {
  const characters = [...word].slice(0, PREFIX_CHARS_MAX);
  return characters.map((_, at) => characters.slice(0, at + 1).join(""));
}
