import type { Access } from "@/lib/features/folders/schema";

/** All that consoles promise, in the simplest form: lists in memory, every rule written out once more. */
export type Folder = { id: string; space: string; owner: string; parent: Folder | null; name: string };
export type Item = {
  id: string;
  space: string;
  owner: string;
  folder: Folder | null;
  name: string;
  content: string;
  version: number;
  /** What its owner's history shows. */
  commits: number;
};
export type Kind = "invalid_request" | "not_found" | "conflict" | "forbidden";
export type ItemChange = {
  version: number;
  name?: string;
  content?: string;
  folder?: Folder | null;
  access?: Access;
};
export type FolderChange = { name?: string; parent?: Folder | null; access?: Access };

const DEPTH_MAX = 8;

/** A rule that forbids something. */
export class Refusal extends Error {
  constructor(readonly kind: Kind) {
    super(kind);
  }
}

export class Model {
  items: Item[] = [];
  trash: Item[] = [];
  folders: Folder[] = [];

  create(
    who: string,
    id: () => string,
    wish: { name: string; content: string; folder: Folder | null; access?: Access },
  ): Item {
    const { name, content, folder, access } = wish;
    const space = this.spaceFor(who, folder, access, null);
    const item: Item = { id: "", space, owner: who, folder, name, content, version: 1, commits: 1 };
    this.refuseTaken(item, fileOf(item), null);
    item.id = id();
    this.items.push(item);
    return item;
  }

  save(who: string, item: Item, change: ItemChange): void {
    this.see(who, this.items, item);
    const changesSide = change.access !== undefined && change.access !== accessOf(item.space);
    if (changesSide && change.access === "private" && item.owner !== who) throw new Refusal("forbidden");
    const stays = changesSide ? null : item.folder;
    const folder = change.folder === undefined ? stays : change.folder;
    const space = this.spaceFor(who, folder, change.access, item.space);
    if (change.version !== item.version) throw new Refusal("conflict");
    const after: Item = {
      ...item,
      space,
      folder,
      name: change.name ?? item.name,
      content: change.content ?? item.content,
    };
    this.refuseTaken(after, fileOf(after), item);
    const isCommit = after.space !== item.space || fileOf(after) !== fileOf(item) || after.content !== item.content;
    Object.assign(item, after, { version: item.version + 1, commits: item.commits + Number(isCommit) });
  }

  delete(who: string, item: Item): void {
    this.see(who, this.items, item);
    this.items = this.items.filter((other) => other !== item);
    item.commits += 1;
    this.trash.push(item);
  }

  undelete(who: string, item: Item): void {
    this.see(who, this.trash, item);
    const isThere = item.folder !== null && this.folders.includes(item.folder) && item.folder.space === item.space;
    const after = { ...item, folder: isThere ? item.folder : null };
    this.refuseTaken(after, fileOf(after), null);
    Object.assign(item, after, { version: item.version + 1, commits: item.commits + 1 });
    this.trash = this.trash.filter((other) => other !== item);
    this.items.push(item);
  }

  createFolder(who: string, id: () => string, wish: { name: string; parent: Folder | null; access?: Access }): Folder {
    const space = this.spaceFor(who, wish.parent, wish.access, null);
    const folder: Folder = { id: "", space, owner: who, parent: wish.parent, name: wish.name };
    if (pathOf(folder).split("/").length > DEPTH_MAX) throw new Refusal("invalid_request");
    this.refuseTaken(folder, pathOf(folder), null);
    folder.id = id();
    this.folders.push(folder);
    return folder;
  }

  changeFolder(who: string, folder: Folder, change: FolderChange): void {
    this.see(who, this.folders, folder);
    const changesSide = change.access !== undefined && change.access !== accessOf(folder.space);
    const stays = changesSide ? null : folder.parent;
    const parent = change.parent === undefined ? stays : change.parent;
    if (parent) this.see(who, this.folders, parent);
    const subtree = this.folders.filter((each) => isWithin(each, folder));
    if (parent && subtree.includes(parent)) throw new Refusal("invalid_request");
    const space = this.spaceFor(who, parent, change.access, folder.space);
    const after: Folder = { ...folder, parent, space, name: change.name ?? folder.name };
    const below = Math.max(...subtree.map((each) => depthOf(each))) - depthOf(folder);
    if (depthOf(after) + below > DEPTH_MAX) throw new Refusal("invalid_request");
    this.refuseTaken(after, pathOf(after), folder);
    const held = this.items.filter((item) => item.folder && subtree.includes(item.folder));
    if (changesSide && change.access === "private" && [...subtree, ...held].some(({ owner }) => owner !== who)) {
      throw new Refusal("forbidden");
    }
    const before = new Map(held.map((item) => [item, `${item.space}:${fileOf(item)}`]));
    Object.assign(folder, after);
    for (const each of [...subtree, ...held]) each.space = space;
    for (const item of held) item.commits += Number(before.get(item) !== `${item.space}:${fileOf(item)}`);
  }

  deleteFolder(who: string, folder: Folder, recursive: boolean): void {
    this.see(who, this.folders, folder);
    const subtree = this.folders.filter((each) => isWithin(each, folder));
    const held = this.items.filter((item) => item.folder && subtree.includes(item.folder));
    if (!recursive && subtree.length + held.length > 1) throw new Refusal("conflict");
    for (const item of held) this.delete(who, item);
    this.folders = this.folders.filter((each) => !subtree.includes(each));
  }

  private spaceFor(who: string, folder: Folder | null, asked: Access | undefined, current: string | null): string {
    const wanted = asked ? (asked === "workspace" ? asked : who) : current;
    if (!folder) return wanted ?? who;
    this.see(who, this.folders, folder);
    if (wanted !== null && wanted !== folder.space) throw new Refusal("invalid_request");
    return folder.space;
  }

  private see<T extends { space: string }>(who: string, all: T[], one: T): void {
    if (!all.includes(one) || (one.space !== "workspace" && one.space !== who)) throw new Refusal("not_found");
  }

  private refuseTaken({ space }: { space: string }, path: string, self: Item | Folder | null): void {
    const places = [
      ...this.items.map((item) => ({ one: item as Item | Folder, path: fileOf(item) })),
      ...this.folders.map((folder) => ({ one: folder as Item | Folder, path: pathOf(folder) })),
    ];
    const isTaken = places.some(
      ({ one, path: taken }) => one !== self && one.space === space && taken.toLowerCase() === path.toLowerCase(),
    );
    if (isTaken) throw new Refusal("conflict");
  }
}

export function pathOf(folder: Folder): string {
  return folder.parent ? `${pathOf(folder.parent)}/${folder.name}` : folder.name;
}

/** Below `consoles/`. */
export function fileOf({ folder, name }: Pick<Item, "folder" | "name">): string {
  const file = name.endsWith(".sql") ? name : `${name}.sql`;
  return folder ? `${pathOf(folder)}/${file}` : file;
}

function accessOf(space: string): Access {
  return space === "workspace" ? "workspace" : "private";
}

function depthOf(folder: Folder): number {
  return folder.parent ? depthOf(folder.parent) + 1 : 1;
}

function isWithin(folder: Folder, top: Folder): boolean {
  return folder === top || (folder.parent !== null && isWithin(folder.parent, top));
}
