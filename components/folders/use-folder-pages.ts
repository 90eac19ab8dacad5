"use client";

import { type QueryClient, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { showFailure } from "@/components/ui/toast";
import { addPage, dropItem, type FolderPages, placeItem } from "@/lib/features/folders/browser/folder-pages";
import { type FolderChoice, type FolderState, toChoiceKey } from "@/lib/features/folders/browser/item-tree";
import { FOLDER_COUNT_MAX } from "@/lib/features/folders/limits";
import type { Folder, TreePage } from "@/lib/features/folders/schema";
import { ApiError } from "@/lib/platform/browser/request";

type Item = FolderChoice & { id: string };

/** Reads the folders of one kind. `key` begins the query keys of their pages. */
export type FolderSource<I extends Item = Item> = {
  key: readonly unknown[];
  read: (place: FolderChoice, cursor: string | null, signal?: AbortSignal) => Promise<TreePage<I>>;
};

/**
 * Maximum number of pages of a folder that are read again after a change. A folder with more of them open shows these,
 * and the rest on request: a change by someone else must not cost as many requests as there are pages.
 */
const REREAD_MAX = 3;
const NO_FOLDERS: Folder[] = [];
const WHOLE: FolderState = { is: "whole" };

/** Requested folders: the two top levels, expanded folders, and the folder of the shown item. */
type Wanted = {
  tops: readonly FolderChoice[];
  isExpanded: (folderId: string) => boolean;
  /** Folder whose ancestors are loaded too. */
  revealed: FolderChoice | null;
};

/** Loads the first page of each visible folder, and more on request. Collapsed folders are not read. */
export function useFolderPages<I extends Item>(source: FolderSource<I>, { tops, isExpanded, revealed }: Wanted) {
  const client = useQueryClient();
  const toKey = (place: FolderChoice) => [...source.key, toChoiceKey(place)];
  const readCached = (place: FolderChoice) => client.getQueryData<FolderPages<I>>(toKey(place));

  const places = new Map<string, FolderChoice>();
  const visit = (place: FolderChoice) => {
    const key = toChoiceKey(place);
    if (places.has(key)) return;
    places.set(key, place);
    const { folders = [], trail = [] } = readCached(place) ?? {};
    for (const { id, access } of [...trail, ...folders]) if (isExpanded(id)) visit({ folderId: id, access });
  };
  for (const top of tops) visit(top);
  if (revealed !== null && revealed.folderId !== null) visit(revealed);

  const { folders, items, counts, states } = useQueries({
    queries: [...places.values()].map((place) => ({
      queryKey: toKey(place),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readPages(source, place, Math.min(REREAD_MAX, readCached(place)?.pageCount ?? 1), signal),
    })),
    combine: combine<I>,
  });
  const keys = [...places.keys()];
  const countOf = (place: FolderChoice) => counts[toChoiceKey(place)] ?? 0;
  const stateOf = (place: FolderChoice): FolderState => states[keys.indexOf(toChoiceKey(place))] ?? WHOLE;
  const more = useCallback(
    async (place: FolderChoice) => {
      const queryKey = [...source.key, toChoiceKey(place)];
      const known = client.getQueryData<FolderPages<I>>(queryKey);
      if (!known) return client.refetchQueries({ queryKey });
      if (known.nextCursor === null) return;
      try {
        const next = await source.read(place, known.nextCursor);
        client.setQueryData<FolderPages<I>>(queryKey, (now) => (now === known ? addPage(known, place, next) : now));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        showFailure(`Couldn't load the folder. ${error.message}`);
      }
    },
    [client, source],
  );
  /** Returns the loaded pages of a folder, which is read if it is collapsed. @throws ApiError */
  const load = (place: FolderChoice): Promise<FolderPages<I>> =>
    client.ensureQueryData({ queryKey: toKey(place), queryFn: ({ signal }) => readPages(source, place, 1, signal) });
  /** Folders around the revealed one, and itself; null until they are known. */
  const trail =
    revealed === null ? null : revealed.folderId === null ? NO_FOLDERS : (readCached(revealed)?.trail ?? null);
  return { folders, items, trail, countOf, stateOf, more, load };
}

async function readPages<I extends Item>(
  source: FolderSource<I>,
  place: FolderChoice,
  pageCount: number,
  signal: AbortSignal,
): Promise<FolderPages<I>> {
  let pages = addPage(null, place, await source.read(place, null, signal));
  while (pages.pageCount < pageCount && pages.nextCursor !== null) {
    pages = addPage(pages, place, await source.read(place, pages.nextCursor, signal));
  }
  return pages;
}

type Loaded<I> = { data: FolderPages<I> | undefined; error: Error | null };

/** Joins the loaded folders. All values are plain, so they keep their identity while nothing changes. */
function combine<I extends Item>(results: readonly Loaded<I>[]) {
  const pages = results.flatMap(({ data }) => data ?? []);
  const folders = new Map<string, Folder>();
  for (const { trail } of pages) for (const each of trail) folders.set(each.id, each);
  const counts: Record<string, number> = {};
  for (const { place, folders: inside, items } of pages) {
    let total = items.length;
    for (const each of inside) {
      folders.set(each.id, each);
      counts[each.id] = each.count;
      total += each.count;
    }
    if (place.folderId === null) counts[toChoiceKey(place)] = Math.min(FOLDER_COUNT_MAX, total);
  }
  return {
    folders: [...folders.values()],
    items: pages.flatMap(({ items }) => items),
    counts,
    states: results.map(toState),
  };
}

function toState<I>({ data, error }: Loaded<I>): FolderState {
  if (data) return data.nextCursor === null ? WHOLE : { is: "partial" };
  return error ? { is: "failed", message: error.message } : { is: "loading" };
}

/** Shows a changed or new item in the loaded folders. @param key of the kind's pages */
export function placeInFolders<I extends Item>(client: QueryClient, key: readonly unknown[], item: I): void {
  client.setQueriesData<FolderPages<I>>({ queryKey: key }, (pages) => pages && placeItem(pages, item));
}

/** Removes an item from the loaded folders. */
export function dropFromFolders(client: QueryClient, key: readonly unknown[], id: string): void {
  client.setQueriesData<FolderPages<Item>>({ queryKey: key }, (pages) => pages && dropItem(pages, id));
}

/** Returns the items of the loaded folders. */
export function listLoaded<I extends Item>(client: QueryClient, key: readonly unknown[]): I[] {
  return client.getQueriesData<FolderPages<I>>({ queryKey: key }).flatMap(([, pages]) => pages?.items ?? []);
}
