import "server-only";
import type { Filter, ObjectId } from "mongodb";
import { escapeRegex } from "@/lib/base/values/escape-regex";
import { findLines } from "@/lib/base/values/find-lines";
import { visibleTo } from "@/lib/features/folders/model";
import {
  isTextWord,
  pathKey,
  textKeyPattern,
  wantedKeysOf,
  withSearchKeys,
  wordsOf,
} from "@/lib/features/folders/search-keys";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import { SEARCH_HITS_MAX } from "./limits";
import { type ConsoleDoc, toConsoleSummary } from "./model";
import { withRunStatus } from "./run-status";
import type { SearchHit } from "./schema";
import { SUMMARY } from "./service";

/** Maximum number of consoles that are compared because their names have all words. */
const NAMED_MAX = 100;
/** Number of consoles up to which a word is rare: all that have it are compared. */
const RARE_MAX = 300;
/** Maximum number of consoles, saved last, that are searched for parts of words: no index finds those. */
const RECENT_MAX = 200;
/** Maximum number of words of a search that consoles are found by; the others are only compared. */
const WORDS_MAX = 8;
/** Maximum number of words, the longest ones, that may prove to be rare. */
const COUNTED_WORDS_MAX = 3;
/** Maximum number of texts read or compared at once: each has up to 1 MiB. */
const TEXTS_MAX = 20;
/** Milliseconds after which a search stops to compare: texts of 1 MiB with dozens of common words take seconds. */
const COMPARE_MS = 2_000;
/** Maximum number of matching lines shown per text. */
const LINES_MAX = 5;

const { content: _, ...WITH_TEXT } = SUMMARY;

/** Order of the latest saves, whose index also serves filters that most consoles pass. */
const LATEST = { sort: { updatedAt: -1 }, hint: { workspaceId: 1, space: 1, updatedAt: -1 } } as const;

/** Ranks, best first: whole name, start of the name, in the name, in the path, elsewhere. */
const RANKS = { name: 0, nameStart: 1, inName: 2, inPath: 3, inText: 4 } as const;

/** `isIncomplete`: the search ended before it had compared all consoles that may match. */
type ConsoleSearch = { hits: SearchHit[]; isIncomplete: boolean };

/**
 * Returns the caller's consoles whose path, description and text together contain every word of `q`, ignoring case.
 * Matches in the name come first, then the latest saves. Words are found by their beginnings, and parts of words among
 * the latest saves. It reads a bounded number of index entries and documents, unless each word alone is in hundreds of
 * consoles: then it compares them in the order of their saves, until enough have all words or two seconds have passed.
 */
export async function searchConsoles(caller: Caller, q: string): Promise<ConsoleSearch> {
  const words = q.toLowerCase().split(/\s+/);
  const { ids, common } = await findCandidates(caller, wordsOf(q));
  const { found, isIncomplete } = await compare(caller, q, ids, common);
  const best = found
    .map((doc) => ({ id: doc._id, rank: rankOf(doc, words), updatedAt: doc.updatedAt.getTime() }))
    .sort((a, b) => a.rank - b.rank || b.updatedAt - a.updatedAt)
    .slice(0, SEARCH_HITS_MAX)
    .map(({ id }) => id);
  return { hits: await withRunStatus(caller, await readHits(caller, best, q)), isIncomplete };
}

type Compared = Pick<ConsoleDoc, "_id" | "name" | "path" | "updatedAt">;

/** Returns those of the candidates that contain every word, and enough of the common ones. */
async function compare(
  caller: Caller,
  q: string,
  ids: readonly ObjectId[],
  common: Filter<ConsoleDoc> | null,
): Promise<{ found: Compared[]; isIncomplete: boolean }> {
  const end = performance.now() + COMPARE_MS;
  const isLate = () => performance.now() > end;
  const found = new Map<string, Compared>();
  const holds = toParts(q).map(toHeld);
  for (let at = 0; at < ids.length; at += TEXTS_MAX) {
    if (isLate()) return { found: [...found.values()], isIncomplete: true };
    await compareSome(ids.slice(at, at + TEXTS_MAX));
  }
  if (!common) return { found: [...found.values()], isIncomplete: false };
  const cursor = collections
    .consoles()
    .find({ ...visibleTo(caller), ...common }, { projection: { _id: 1 }, batchSize: TEXTS_MAX, ...LATEST });
  try {
    for (let matches = 0; matches < SEARCH_HITS_MAX && (await cursor.hasNext()); ) {
      if (isLate()) return { found: [...found.values()], isIncomplete: true };
      matches += await compareSome(cursor.readBufferedDocuments(TEXTS_MAX).map(({ _id }) => _id));
    }
  } finally {
    await cursor.close();
  }
  return { found: [...found.values()], isIncomplete: false };

  async function compareSome(some: ObjectId[]): Promise<number> {
    const filter = { _id: { $in: some }, ...visibleTo(caller), $and: holds };
    const options = { projection: { name: 1, path: 1, updatedAt: 1 } } as const;
    const matches = await collections.consoles().find(filter, options).toArray();
    for (const doc of matches) found.set(doc._id.toHexString(), doc);
    return matches.length;
  }
}

/** Returns the words to compare: each once, and none that is part of another. */
function toParts(q: string): string[] {
  const words = [...new Set(q.split(/\s+/))];
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

/** Returns the filter of consoles that have a text, with its accents composed or decomposed. */
function toHeld(text: string): Filter<ConsoleDoc> {
  const forms = new Set([text, text.normalize("NFC"), text.normalize("NFD")]);
  const patterns = [...forms].map((form) => ({ $regex: escapeRegex(form), $options: "i" }));
  return { $or: patterns.flatMap((pattern) => [{ path: pattern }, { description: pattern }, { content: pattern }]) };
}

/** Consoles that may have all words of a search. */
interface Candidates {
  /** Those that have the rarest word, or all words in their names; then the latest saves. */
  readonly ids: ObjectId[];
  /** The filter of all that may match, if each word is in hundreds of consoles. */
  readonly common: Filter<ConsoleDoc> | null;
}

/** @param words folded */
async function findCandidates(caller: Caller, words: readonly string[]): Promise<Candidates> {
  const idsOf = async (filter: Filter<ConsoleDoc>, limit: number, order?: typeof LATEST) => {
    const options = { projection: { _id: 1 }, limit, ...order } as const;
    const docs = await collections.consoles().find({ ...visibleTo(caller), ...filter }, options).toArray(); // biome-ignore format: one look
    return docs.map(({ _id }) => _id);
  };
  const all = [...new Set(words)];
  const long = all.filter(isTextWord);
  // No key of a text shows that it has a single character. Alone, it finds the words that begin with it.
  const keyed = (long.length > 0 ? long : all).sort((a, b) => b.length - a.length).slice(0, WORDS_MAX);
  const counted = keyed.slice(0, COUNTED_WORDS_MAX).map(async (word) => {
    const filters = [{ textKeys: textKeyPattern(word) }, pathKey(word)];
    const found = await Promise.all(filters.map((filter) => idsOf(filter, RARE_MAX + 1)));
    return found.every(({ length }) => length <= RARE_MAX) ? [found.flat()] : [];
  });
  const [latest, ...withWord] = await Promise.all([idsOf({}, RECENT_MAX, LATEST), ...counted]);
  const [rarest] = withWord.flat().sort((a, b) => a.length - b.length);
  const isCommon = !rarest && keyed.length > 0;
  const named = isCommon ? wantedKeysOf(words.slice(0, WORDS_MAX)) : [];
  const withNames = await Promise.all(named.map((keys) => idsOf(withSearchKeys(keys), NAMED_MAX)));
  const ids = [rarest ?? withNames.flat(), latest].flat();
  const common = { $and: keyed.map((word) => ({ $or: [{ textKeys: textKeyPattern(word) }, pathKey(word)] })) };
  return { ids: [...new Map(ids.map((id) => [id.toHexString(), id])).values()], common: isCommon ? common : null };
}

/** Returns these consoles, in this order, with the lines of their texts that match. */
async function readHits(caller: Caller, ids: ObjectId[], q: string): Promise<SearchHit[]> {
  const hits = new Map<string, SearchHit>();
  const docs = collections
    .consoles()
    .find({ _id: { $in: ids }, ...visibleTo(caller) }, { projection: WITH_TEXT })
    .batchSize(TEXTS_MAX);
  for await (const doc of docs) {
    const { lines, count } = findLines(doc.content, q, LINES_MAX);
    hits.set(doc._id.toHexString(), { ...toConsoleSummary(doc), snippet: lines[0] ?? null, lines, lineCount: count });
  }
  // Some may have been deleted or made private in the meantime.
  return ids.flatMap((id) => hits.get(id.toHexString()) ?? []);
}

function rankOf(doc: Pick<ConsoleDoc, "name" | "path">, words: string[]): number {
  const [name, path, phrase] = [doc.name.toLowerCase(), doc.path.toLowerCase(), words.join(" ")];
  if (name === phrase || path === phrase) return RANKS.name;
  if (name.startsWith(phrase)) return RANKS.nameStart;
  if (words.every((word) => name.includes(word))) return RANKS.inName;
  return words.every((word) => path.includes(word)) ? RANKS.inPath : RANKS.inText;
}
