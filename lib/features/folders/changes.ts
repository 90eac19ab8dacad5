import "server-only";
import { type Change, findHead, MAIN_BRANCH, type Main, prepareCommit } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { ItemKind } from "./item-kind";
import {
  type FolderDoc,
  type ItemChange,
  type ItemDoc,
  type PrivateCommit,
  type Space,
  WORKSPACE_SPACE,
  type Write,
} from "./model";
import { privateRepositoryOf } from "./repositories";

/** An open change is in one document, which the store limits to 16 MiB. */
const CHANGE_BYTES_MAX = 12 * 1024 * 1024;
/** Maximum number of folders per workspace and kind. Lists stay fast below it. */
export const FOLDERS_MAX = 2_000;

type Pair = { before: ItemDoc | null; after: ItemDoc | null };

/** Collects the writes of one change, to documents and to git. Nothing is written before it is decided. */
export class Changes {
  /** The commit's message. */
  message = "";
  readonly now = new Date();
  private readonly pairs: Pair[] = [];
  private readonly folderWrites: Write[] = [];

  constructor(
    readonly caller: Caller,
    private readonly itemKind: ItemKind,
  ) {}

  /** @throws AppError conflict when the workspace is full */
  async insert(after: ItemDoc): Promise<void> {
    const { workspaceId } = this.caller;
    const { itemsMax, items, root } = this.itemKind;
    if ((await items().countDocuments({ workspaceId })) >= itemsMax) {
      throw new AppError("conflict", `Limit of ${itemsMax} ${root} reached. Delete some first.`);
    }
    this.pairs.push({ before: null, after });
  }

  update(before: ItemDoc, after: ItemDoc): void {
    this.pairs.push({ before, after });
  }

  /** Writes the item's file again, with settings that have changed elsewhere. */
  rewrite(doc: ItemDoc): void {
    this.pairs.push({ before: doc, after: doc });
  }

  /** Moves an item to the deleted ones, where an undo can restore it. */
  discard(before: ItemDoc): void {
    this.pairs.push({ before, after: null });
  }

  /** @throws AppError conflict when the workspace is full */
  async insertFolder(doc: FolderDoc): Promise<void> {
    const { workspaceId } = this.caller;
    if ((await this.itemKind.folders().countDocuments({ workspaceId })) >= FOLDERS_MAX) {
      throw new AppError("conflict", `Limit of ${FOLDERS_MAX} folders reached. Delete some first.`);
    }
    this.folderWrites.push({ kind: "insertFolder", doc });
  }

  updateFolder(before: FolderDoc, after: FolderDoc): void {
    this.folderWrites.push({ kind: "updateFolder", id: before._id, set: difference(before, after) });
  }

  removeFolder(folder: FolderDoc): void {
    this.folderWrites.push({ kind: "removeFolder", id: folder._id });
  }

  /**
   * Stores the commits of the change. No branch moves.
   * @returns main's new head, and the change that makes the documents equal to it
   * @throws AppError too_large, storage_full
   */
  async prepare(main: Main): Promise<{ oid: string | null; change: ItemChange }> {
    const { user, workspaceId } = this.caller;
    const change: ItemChange = {
      userId: user._id,
      at: this.now,
      root: this.itemKind.root,
      writes: [...this.folderWrites, ...this.pairs.map((pair) => toWrite(this.itemKind, pair))],
    };
    if (Buffer.byteLength(JSON.stringify(change)) > CHANGE_BYTES_MAX) {
      throw new AppError("too_large", `Too many ${this.itemKind.root} in one change. Change one folder at a time.`);
    }
    let { oid } = main;
    const commits: PrivateCommit[] = [];
    for (const [space, changes] of await this.bySpace()) {
      const commit = { author: user, message: this.message, changes, change: main.seq + 1, now: this.now };
      if (space === WORKSPACE_SPACE) oid = await prepareCommit(workspaceId, main.oid, commit);
      else {
        const repositoryId = await privateRepositoryOf(workspaceId, space);
        const base = await findHead(repositoryId, MAIN_BRANCH);
        const made = await prepareCommit(repositoryId, base, commit);
        if (made !== null && made !== base) commits.push({ repositoryId, base, oid: made });
      }
    }
    return { oid, change: { ...change, ...(commits.length > 0 && { commits }) } };
  }

  private async bySpace(): Promise<Map<Space, Change[]>> {
    const afters = this.pairs.flatMap(({ after }) => after ?? []);
    const texts = await this.itemKind.textsOf(this.caller.workspaceId, afters);
    const textOf = (doc: ItemDoc) => texts.get(doc._id.toHexString()) ?? doc.content;
    const bySpace = new Map<Space, Change[]>();
    const add = (space: Space, change: Change) => {
      const changes = bySpace.get(space);
      if (changes) changes.push(change);
      else bySpace.set(space, [change]);
    };
    for (const { before, after } of this.pairs) {
      if (before && before.space !== after?.space) add(before.space, { kind: "delete", path: before.file });
      if (!after) continue;
      const { file: path, space, _id } = after;
      const file = { content: textOf(after), fileId: _id.toHexString() };
      const isMoved = before?.space === space && before.file !== path;
      add(space, isMoved ? { kind: "move", from: before.file, to: path, ...file } : { kind: "put", path, ...file });
    }
    return bySpace;
  }
}

function toWrite({ searchedFields = [] }: ItemKind, { before, after }: Pair): Write {
  if (before && after) {
    const set = difference(before, after);
    const isSearched = searchedFields.some((name) => name in set);
    return { kind: "update", id: before._id, set: { ...(isSearched && fieldsOf(after, searchedFields)), ...set } };
  }
  if (after) return { kind: "insert", doc: after };
  if (before) return { kind: "discard", id: before._id };
  throw new Error("A change must start or end with a document.");
}

/** Returns the fields with these names that an object has. */
export function fieldsOf<T extends object>(object: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name))) as Partial<T>;
}

/** Returns the fields that differ: a move of a folder must not include all texts in it. */
function difference<T extends object>(before: T, after: T): Partial<T> {
  const changed = Object.entries(after).filter(([name, value]) => before[name as keyof T] !== value);
  return Object.fromEntries(changed) as Partial<T>;
}
