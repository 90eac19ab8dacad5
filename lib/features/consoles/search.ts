import "server-only";
import type { Filter, ObjectId, Sort } from "mongodb";
import { escapeRegex } from "@/lib/base/values/escape-regex";
import { findLines } from "@/lib/base/values/find-lines";
import { visibleTo } from "@/lib/features/folders/model";
import { textKeyPattern, wantedKeysOf, wordsOf } from "@/lib/features/folders/search-keys";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import { type ConsoleDoc, toConsoleSummary } from "./model";
import { withRunStatus } from "./run-status";
import type { SearchHit } from "./schema";
import { SUMMARY } from "./service";

/** Maximum number of search results, best first. */
const HITS_MAX = 50;
/** Maximum number of consoles that are compared for a key of a name, and for the rarest word of their texts. */
const NAMED_MAX = 100;
const WITH_WORD_MAX = 300;
/** Maximum number of consoles, saved last, that are searched for parts of words: no index finds those. */
const RECENT_MAX = 200;
/** Maximum number of words looked up in names, and of the longest ones in texts: those are rarest. */
const NAME_WORDS_MAX = 8;
const TEXT_WORDS_MAX = 3;
/** Maximum number of texts in memory at once: each has up to 1 MiB. */
const TEXTS_MAX = 20;
/** Maximum number of matching lines shown per text. */
const LINES_MAX = 5;

const { content: _, ...WITH_TEXT } = SUMMARY;

/** Ranks, best first: whole name, start of the name, in the name, in the path, elsewhere. */
const RANKS = { name: 0, nameStart: 1, inName: 2, inPath: 3, inText: 4 } as const;

/**
 * Returns the caller's consoles whose path, description and text together contain every word of `q`, ignoring case.
 * Matches in the name come first, then the latest saves. Words are found by their beginnings, and parts of words among
 * the latest saves. It reads a bounded number of index entries and documents.
 */
export async function searchConsoles(caller: Caller, q: string): Promise<SearchHit[]> {
  const words = q.toLowerCase().split(/\s+/);
  const holds = words.map((word) => {
    const pattern = { $regex: escapeRegex(word), $options: "i" };
    return { $or: [{ path: pattern }, { description: pattern }, { content: pattern }] };
  });
  const ids = await findCandidates(caller, wordsOf(q));
  const filter = { _id: { $in: ids }, ...visibleTo(caller), $and: holds };
  const found = await collections
    .consoles()
    .find(filter, { projection: { name: 1, path: 1, updatedAt: 1 } })
    .toArray();
  const best = found
    .map((doc) => ({ id: doc._id, rank: rankOf(doc, words), updatedAt: doc.updatedAt.getTime() }))
    .sort((a, b) => a.rank - b.rank || b.updatedAt - a.updatedAt)
    .slice(0, HITS_MAX)
    .map(({ id }) => id);
  return withRunStatus(caller, await readHits(caller, best, q));
}

/** Returns the ids of consoles by keys of their names, by the rarest word of their texts, and of the latest saves. */
async function findCandidates(caller: Caller, words: readonly string[]): Promise<ObjectId[]> {
  const idsOf = async (filter: Filter<ConsoleDoc>, limit: number, sort: Sort = {}) => {
    const options = { projection: { _id: 1 }, sort, limit } as const;
    const docs = await collections.consoles().find({ ...visibleTo(caller), ...filter }, options).toArray(); // biome-ignore format: one look
    return docs.map(({ _id }) => _id);
  };
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, TEXT_WORDS_MAX);
  const nameKeys = wantedKeysOf(words.slice(0, NAME_WORDS_MAX));
  const [named, withWord, recent] = await Promise.all([
    Promise.all(nameKeys.map((searchKeys) => idsOf({ searchKeys }, NAMED_MAX))),
    Promise.all(longest.map((word) => idsOf({ textKeys: textKeyPattern(word) }, WITH_WORD_MAX))),
    idsOf({}, RECENT_MAX, { updatedAt: -1 }),
  ]);
  const [rarest = []] = withWord.sort((a, b) => a.length - b.length);
  return [...new Map([named, rarest, recent].flat(2).map((id) => [id.toHexString(), id])).values()];
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
