"use client";

import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { ListPage } from "@/lib/platform/browser/lists";

type Options = { enabled?: boolean; refetchOnWindowFocus?: "always"; staleTime?: number };

/** Reads the first page of a list, and the next ones on request (`LoadMore`). `data` has the items that were read. */
export function usePages<T>(
  queryKey: QueryKey,
  read: (cursor: string | null, signal: AbortSignal) => Promise<ListPage<T[]>>,
  options: Options = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: toItems<T>,
    ...options,
  });
}

/** One function for all lists, so that the items keep their identity while the pages do. */
function toItems<T>({ pages }: { pages: ListPage<T[]>[] }): T[] {
  return pages.flatMap(({ data }) => data);
}

/** Returns the number of items for a page's title; undefined before all of them are read. */
export function toCount({ data, hasNextPage }: { data: readonly unknown[] | undefined; hasNextPage: boolean }) {
  return hasNextPage ? undefined : data?.length;
}
