import type { ConsoleAccess, ConsoleFolder, ConsoleSummary } from "@/lib/client/consoles";
import type { TreeNode } from "@/lib/ui/tree-node";
import type { DraftConsole } from "@/lib/ui/workbench";

/** The two ends of the tree, by the access of what is below them. */
export const ROOTS: readonly { id: string; access: ConsoleAccess; label: string }[] = [
  { id: "mine", access: "private", label: "Mine" },
  { id: "workspace", access: "workspace", label: "Workspace" },
];

/** A place for consoles: a folder, or with `folderId` null the top of one of the two ends. */
export type FolderChoice = { folderId: string | null; access: ConsoleAccess };

export type ConsoleNode = TreeNode &
  (
    | { kind: "root"; place: FolderChoice; count: number }
    | { kind: "folder"; folder: ConsoleFolder; place: FolderChoice; count: number }
    | { kind: "console"; console: ConsoleSummary }
    | { kind: "unsaved"; console: DraftConsole }
  );

export type ConsoleTreeInput = {
  consoles: ConsoleSummary[];
  folders: ConsoleFolder[];
  unsaved: DraftConsole[];
  /** What a person has opened or closed, by id; the ends are open, folders closed by themselves. */
  toggled: Record<string, boolean>;
};

/** The visible rows of the tree of consoles, from the top down; what is in a closed folder is not looked at. */
export function buildConsoleTree({ consoles, folders, unsaved, toggled }: ConsoleTreeInput): ConsoleNode[] {
  const foldersIn = groupBy(folders, (each) => toChoiceKey({ folderId: each.parentId, access: each.access }));
  const consolesIn = groupBy(consoles, (each) => toChoiceKey(each));
  const countIn = (place: FolderChoice): number => {
    const key = toChoiceKey(place);
    const below = (foldersIn.get(key) ?? []).reduce((sum, each) => sum + countIn(toFolderChoice(each)), 0);
    return (consolesIn.get(key)?.length ?? 0) + below;
  };
  const nodes: ConsoleNode[] = [];

  const addAll = (place: FolderChoice, parentId: string, level: number, extra: DraftConsole[]) => {
    const key = toChoiceKey(place);
    const inside = [...(foldersIn.get(key) ?? [])].sort(byName);
    const files = [
      ...(consolesIn.get(key) ?? []).map((console) => ({
        kind: "console" as const,
        console,
        name: console.name,
        id: console.id,
      })),
      ...extra.map((console) => ({ kind: "unsaved" as const, console, name: console.name, id: console.id })),
    ].sort(byName);
    const setSize = inside.length + files.length;
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
        count: countIn(own),
        positionInSet: i + 1,
        setSize,
      });
      if (isExpanded) addAll(own, folder.id, level + 1, []);
    });
    files.forEach(({ id, name, ...file }, i) => {
      nodes.push({ ...file, id, parentId, level, label: name, positionInSet: inside.length + i + 1, setSize });
    });
  };

  ROOTS.forEach(({ id, access, label }, i) => {
    const place: FolderChoice = { folderId: null, access };
    const isExpanded = toggled[id] ?? true;
    nodes.push({
      kind: "root",
      id,
      parentId: null,
      level: 0,
      label,
      isExpanded,
      place,
      count: countIn(place) + (access === "private" ? unsaved.length : 0),
      positionInSet: i + 1,
      setSize: ROOTS.length,
    });
    if (isExpanded) addAll(place, id, 1, access === "private" ? unsaved : []);
  });
  return nodes;
}

/** Everything that something can be moved into: the two ends and all folders, each after the one that holds it. */
export function listFolderChoices(
  folders: ConsoleFolder[],
): { id: string; label: string; level: number; place: FolderChoice }[] {
  const toggled = Object.fromEntries(folders.map(({ id }) => [id, true]));
  return buildConsoleTree({ consoles: [], folders, unsaved: [], toggled }).flatMap((node) =>
    node.kind === "root" || node.kind === "folder"
      ? [{ id: node.id, label: node.label, level: node.level, place: node.place }]
      : [],
  );
}

/** Whether a folder lies inside of another one, or is it. */
export function isInside(folders: ConsoleFolder[], folderId: string | null, outerId: string): boolean {
  const byId = new Map(folders.map((each) => [each.id, each]));
  for (let at = folderId; at !== null; at = byId.get(at)?.parentId ?? null) if (at === outerId) return true;
  return false;
}

export function isSameChoice(a: FolderChoice, b: FolderChoice): boolean {
  return toChoiceKey(a) === toChoiceKey(b);
}

/** Names of the folders that lead to a console, from the outside in; empty at the top. */
export function toTrail(path: string): string[] {
  return path.split("/").slice(0, -1);
}

function toFolderChoice(folder: ConsoleFolder): FolderChoice {
  return { folderId: folder.id, access: folder.access };
}

function toChoiceKey({ folderId, access }: FolderChoice): string {
  return folderId ?? `top:${access}`;
}

const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function byName(a: { name: string }, b: { name: string }): number {
  return NAMES.compare(a.name, b.name);
}

function groupBy<T>(items: T[], toKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = toKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
