import { type FolderChoice, isSameChoice } from "@/lib/features/folders/browser/item-tree";
import type { TreePage } from "@/lib/features/folders/schema";

/** The pages of one folder that have been loaded, as one. */
export type FolderPages<I> = TreePage<I> & { place: FolderChoice; pageCount: number };

type Placed = FolderChoice & { id: string };

/** Adds the next page of a folder. Entries that moved into it while it was read stay once. */
export function addPage<I extends { id: string }>(
  known: FolderPages<I> | null,
  place: FolderChoice,
  page: TreePage<I>,
): FolderPages<I> {
  if (known === null) return { ...page, place, pageCount: 1 };
  return {
    ...page,
    place,
    folders: mergeById(known.folders, page.folders),
    items: mergeById(known.items, page.items),
    pageCount: known.pageCount + 1,
  };
}

/** Shows a changed or new item in its folder, and removes it from others. Returns the same pages if nothing changes. */
export function placeItem<I extends Placed>(pages: FolderPages<I>, item: I): FolderPages<I> {
  const isHere = isSameChoice(pages.place, item);
  const at = pages.items.findIndex(({ id }) => id === item.id);
  if (at < 0) return isHere ? { ...pages, items: [...pages.items, item] } : pages;
  return { ...pages, items: isHere ? pages.items.with(at, item) : pages.items.toSpliced(at, 1) };
}

export function dropItem<I extends { id: string }>(pages: FolderPages<I>, id: string): FolderPages<I> {
  return pages.items.some((each) => each.id === id)
    ? { ...pages, items: pages.items.filter((each) => each.id !== id) }
    : pages;
}

function mergeById<T extends { id: string }>(known: readonly T[], added: readonly T[]): T[] {
  return [...new Map([...known, ...added].map((each) => [each.id, each])).values()];
}
