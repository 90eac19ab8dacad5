import type { Access, Folder } from "@/lib/features/folders/schema";
import type { TreeNode } from "@/lib/platform/browser/tree-node";

/** A location for items: a folder, or with `folderId` null the top of one of the two roots. */
export type FolderChoice = { folderId: string | null; access: Access };

/** One of the two roots of a tree, by the access of the items below it. */
export type Root = { id: string; access: Access; label: string };

/** A row: a root, a folder, an item, or the rest of a folder that is not loaded. `place` of an item is its location. */
export type ItemNode<I> = TreeNode &
  (
    | { kind: "root"; place: FolderChoice; count: number }
    | { kind: "folder"; folder: Folder; place: FolderChoice; count: number }
    | { kind: "item"; item: I; place: FolderChoice }
    | { kind: "rest"; place: FolderChoice; state: Exclude<FolderState, { is: "whole" }> }
  );

/** Loading state of an expanded folder. */
export type FolderState = { is: "whole" } | { is: "partial" } | { is: "loading" } | { is: "failed"; message: string };

export type ItemTreeInput<I> = {
  items: readonly I[];
  toPlacedItem: (item: I) => FolderChoice & { id: string; name: string };
  folders: readonly Folder[];
  roots: readonly Root[];
  /** Nodes that the user expanded or collapsed, by id. By default, roots are expanded and folders collapsed. */
  toggled: Readonly<Record<string, boolean>>;
  /** Number of items below a folder or a root. */
  countOf: (place: FolderChoice) => number;
  stateOf: (place: FolderChoice) => FolderState;
};

/** `aria-setsize` of a folder whose size is unknown. */
const UNKNOWN_SIZE = -1;

/** Returns the two roots. @param prefix distinguishes the ids of one tree from another's */
export function toRoots(prefix = ""): Root[] {
  return [
    { id: `${prefix}mine`, access: "private", label: "Private" },
    { id: `${prefix}workspace`, access: "workspace", label: "Workspace" },
  ];
}

/** Returns the location at the top of a root. */
export function toTop({ access }: Root): FolderChoice {
  return { folderId: null, access };
}

/** Returns the visible rows of a tree, from top to bottom, without descending into collapsed folders. */
export function buildItemTree<I>(input: ItemTreeInput<I>): ItemNode<I>[] {
  const { items, toPlacedItem, folders, roots, toggled, countOf, stateOf } = input;
  const foldersIn = groupBy(folders, (each) => toChoiceKey({ folderId: each.parentId, access: each.access }));
  const itemsIn = groupBy(items, (each) => toChoiceKey(toPlacedItem(each)));
  const nodes: ItemNode<I>[] = [];

  const addAll = (place: FolderChoice, parentId: string, level: number) => {
    const key = toChoiceKey(place);
    const inside = [...(foldersIn.get(key) ?? [])].sort(byName);
    const files = (itemsIn.get(key) ?? []).map((item) => ({ item, ...toPlacedItem(item) })).sort(byName);
    const state = stateOf(place);
    const setSize = state.is === "whole" ? inside.length + files.length : UNKNOWN_SIZE;
    inside.forEach((folder, i) => {
      const isExpanded = toggled[folder.id] ?? false;
      const own = toFolderChoice(folder);
      nodes.push({
        kind: "folder",
        id: folder.id,
        parentId,
        level,
        label: folder.name,
        isExpanded,
        folder,
        place: own,
        count: countOf(own),
        positionInSet: i + 1,
        setSize,
      });
      if (isExpanded) addAll(own, folder.id, level + 1);
    });
    files.forEach(({ item, id, name }, i) => {
      const positionInSet = inside.length + i + 1;
      nodes.push({ kind: "item", item, place, id, parentId, level, label: name, positionInSet, setSize });
    });
    if (state.is === "whole") return;
    const [id, positionInSet] = [`${parentId}-rest`, inside.length + files.length + 1];
    nodes.push({ kind: "rest", place, state, id, parentId, level, label: "Show more", positionInSet, setSize });
  };

  roots.forEach(({ id, access, label }, i) => {
    const place: FolderChoice = { folderId: null, access };
    const isExpanded = toggled[id] ?? true;
    const [positionInSet, setSize] = [i + 1, roots.length];
    const count = countOf(place);
    nodes.push({ kind: "root", id, parentId: null, level: 0, label, isExpanded, place, count, positionInSet, setSize });
    if (isExpanded) addAll(place, id, 1);
  });
  return nodes;
}

/** Lists the targets of a move: the two roots and all folders, each after its parent. */
export function listFolderChoices(
  folders: readonly Folder[],
): { id: string; label: string; level: number; place: FolderChoice }[] {
  const toggled = Object.fromEntries(folders.map(({ id }) => [id, true]));
  const none = {
    items: [],
    toPlacedItem: (item: never) => item,
    countOf: () => 0,
    stateOf: () => ({ is: "whole" as const }),
  };
  return buildItemTree<never>({ ...none, folders, roots: toRoots(), toggled }).flatMap((node) =>
    node.kind === "root" || node.kind === "folder"
      ? [{ id: node.id, label: node.label, level: node.level, place: node.place }]
      : [],
  );
}

/** Returns whether a folder is inside another one, or is the same. */
export function isInside(folders: readonly Folder[], folderId: string | null, outerId: string): boolean {
  const byId = new Map(folders.map((each) => [each.id, each]));
  for (let at = folderId; at !== null; at = byId.get(at)?.parentId ?? null) if (at === outerId) return true;
  return false;
}

export function isSameChoice(a: FolderChoice, b: FolderChoice): boolean {
  return toChoiceKey(a) === toChoiceKey(b);
}

/** Returns the names of an item's folders, outermost first; empty at the top level. */
export function toTrail(path: string): string[] {
  return path.split("/").slice(0, -1);
}

/** Returns an item's folders as text; at the top level, who sees it. */
export function toLocationText({ path, access }: { path: string; access: Access }): string {
  return toTrail(path).join(" / ") || (access === "private" ? "Private" : "Workspace");
}

/** Returns "New folder", with the first free number if that is taken. */
export function toFreeFolderName(taken: readonly string[]): string {
  const names = new Set(taken.map((each) => each.toLowerCase()));
  let name = "New folder";
  for (let n = 2; names.has(name.toLowerCase()); n++) name = `New folder ${n}`;
  return name;
}

function toFolderChoice(folder: Folder): FolderChoice {
  return { folderId: folder.id, access: folder.access };
}

export function toChoiceKey({ folderId, access }: FolderChoice): string {
  return folderId ?? `top:${access}`;
}

const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function byName(a: { name: string }, b: { name: string }): number {
  return NAMES.compare(a.name, b.name);
}

function groupBy<T>(items: readonly T[], toKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = toKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
