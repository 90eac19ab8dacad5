"use client";

import { hashKey, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { toIdLists } from "@/lib/platform/browser/lists";

/** Maximum number of items of a list that are looked up in the life of a document: far more than its pages name. */
const IDS_MAX = 2000;
/** Ids to look up, by the hash of their list's key. */
const wanted = new Map<string, Set<string>>();

type Source<T> = {
  /** Begins with the key of the list, so that invalidating the list reads the items again. */
  queryKey: QueryKey;
  /** @param ids as the `ids` of a request */
  read: (ids: string, signal: AbortSignal) => Promise<T[]>;
  idOf: (item: T) => string;
};

/**
 * Returns a finder of items by id: undefined while one is looked up, null if it does not exist or there is no id. Items
 * that are not among the loaded ones are looked up together, once for all components.
 * @param loaded the read pages of the list; undefined until the first one is read
 */
export function useLookUp<T>(loaded: readonly T[] | undefined, { queryKey, read, idOf }: Source<T>) {
  const client = useQueryClient();
  const hash = hashKey(queryKey);
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      // Waits for the other components of the same commit: each cancels the read before its own.
      await null;
      signal.throwIfAborted();
      const asked = new Set(wanted.get(hash));
      const items = (await Promise.all(toIdLists([...asked]).map((ids) => read(ids, signal)))).flat();
      return { asked, items: new Map(items.map((item) => [idOf(item), item])) };
    },
  });
  const byId = new Map(loaded?.map((item) => [idOf(item), item]));
  const missed = new Set<string>();
  useEffect(() => {
    if (loaded === undefined) return;
    const ids = wanted.get(hash) ?? new Set();
    wanted.set(hash, ids);
    const fresh = [...missed].filter((id) => !ids.has(id)).slice(0, IDS_MAX - ids.size);
    for (const id of fresh) ids.add(id);
    if (fresh.length > 0) void client.invalidateQueries({ queryKey });
  });
  return (id: string | null | undefined): T | null | undefined => {
    if (!id) return null;
    const found = byId.get(id) ?? data?.items.get(id);
    if (found !== undefined) return found;
    missed.add(id);
    return data?.asked.has(id) ? null : undefined;
  };
}
