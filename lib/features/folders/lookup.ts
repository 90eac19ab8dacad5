import "server-only";
import { type Filter, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import type { ItemKind } from "./item-kind";
import { type ItemDoc, visibleTo } from "./model";
import type { LookupQuery } from "./schema";
import { pathKey, rankPath, wantedKeysOf, withSearchKeys, wordsOf } from "./search-keys";
import type { TreeItems } from "./tree";

/** Maximum number of results of a search; more are not read. */
const FOUND_MAX = 50;
/** Maximum number of items read for each list of keys of a search. */
const READ_MAX = 100;
/** Number of items up to which a word is rare: all that have it are read. */
const RARE_MAX = 200;
/** Maximum number of words of a search; the rest is only compared with what was read. */
const WORDS_MAX = 8;
/** Maximum number of items, saved last, that are searched for a part of a word: no index finds those. */
const RECENT_MAX = 200;

/**
 * Returns the items with these ids that the caller can see, latest save first; with `q`, those whose path matches, best
 * first; without both, those saved last. It reads a bounded number of index entries and items, unless each word alone is
 * in hundreds of paths: then it reads those of one word until enough of them have all.
 */
export async function lookUpItems<D extends ItemDoc, T>(
  caller: Caller,
  itemKind: ItemKind,
  { ids, q }: LookupQuery,
  { projection, toItems }: TreeItems<D, T>,
): Promise<T[]> {
  const find = (filter: Filter<ItemDoc>, limit: number) =>
    itemKind
      .items()
      .find({ ...visibleTo(caller), ...filter }, { projection })
      .limit(limit);
  const findLatest = (filter: Filter<ItemDoc>, limit: number) => find(filter, limit).sort({ updatedAt: -1 }).toArray();
  const search = async (words: string[]) => {
    const looked = words.slice(0, WORDS_MAX);
    const rarest = await findRarest(looked);
    const queries = rarest ? [{ _id: { $in: rarest } }] : wantedKeysOf(looked).map(withSearchKeys);
    const byQuery = await Promise.all(queries.map((each) => find(each, rarest ? RARE_MAX : READ_MAX).toArray()));
    const found = rankItems(byQuery.flat(), words);
    return found.length >= FOUND_MAX ? found : rankItems([...found, ...(await findLatest({}, RECENT_MAX))], words);
  };
  /** Returns the items of the rarest of several words; null if all are in too many. */
  const findRarest = async (words: string[]) => {
    if (words.length < 2) return null;
    const idsOf = (word: string) =>
      find(pathKey(word), RARE_MAX + 1)
        .project<{ _id: ObjectId }>({ _id: 1 })
        .toArray();
    const found = await Promise.all([...new Set(words)].map(idsOf));
    const rare = found.filter(({ length }) => length <= RARE_MAX).sort((a, b) => a.length - b.length);
    return rare[0]?.map(({ _id }) => _id) ?? null;
  };
  const named = ids?.split(",").map((id) => new ObjectId(id));
  const docs = named
    ? await findLatest({ _id: { $in: named } }, named.length)
    : q === undefined
      ? await findLatest({}, LIST_LIMIT_MAX)
      : await search(wordsOf(q));
  return toItems(docs as unknown as D[]);
}

/** Returns the matching items once each, best first, of equal ones the latest save first. */
function rankItems(docs: readonly ItemDoc[], words: string[]): ItemDoc[] {
  const byId = new Map(docs.map((doc) => [doc._id.toHexString(), doc]));
  return [...byId.values()]
    .flatMap((doc) => {
      const rank = words.length === 0 ? null : rankPath(doc.path, words);
      return rank === null ? [] : [{ doc, rank }];
    })
    .sort((a, b) => a.rank - b.rank || b.doc.updatedAt.getTime() - a.doc.updatedAt.getTime())
    .slice(0, FOUND_MAX)
    .map(({ doc }) => doc);
}
