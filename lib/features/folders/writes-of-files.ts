import "server-only";
import { createHash } from "node:crypto";
import { ObjectId } from "mongodb";
import { changedFiles, readBlobs } from "@/lib/features/repository/service";
import { fieldsOf } from "./changes";
import type { ItemFile, ItemKind } from "./item-kind";
import { type FolderDoc, type ItemDoc, WORKSPACE_SPACE, type Write } from "./model";
import { endingOf, folderPlaceOf, placeOfFile } from "./names";

type Push = { workspaceId: ObjectId; seq: number; userId: ObjectId; at: Date; before: string | null; after: string };

/** The id of an item is the permanent id of its file. */
const ITEM_ID = /^[0-9a-f]{24}$/;
/** Returns the id of the item of a file; null if it has an id of another form. */
function toItemId(fileId: string): ObjectId | null {
  return ITEM_ID.test(fileId) ? new ObjectId(fileId) : null;
}
const TIME_HEX = 8;
const HASH_HEX = 16;

/** The writes of a push, and the files that it wrote, by the ids of their items. */
type Written = { writes: Write[]; files: { id: ObjectId; file: ItemFile }[] };

/**
 * Returns the writes that make the shared items of a kind equal to the files that a push has changed. Without `before`,
 * to all files of main that differ from their items; items without a file stay.
 */
export async function writesOfFiles(itemKind: ItemKind, push: Push): Promise<Written> {
  const { workspaceId } = push;
  const changed = await changedFiles(workspaceId, push.before, push.after, itemKind.root);
  if (changed.length === 0) return { writes: [], files: [] };
  const texts = new Map<string, string>();
  const oids = changed.flatMap(({ before, after }) => (after === null ? [] : [after, ...(before ? [before] : [])]));
  for await (const [oid, content] of readBlobs(workspaceId, oids)) texts.set(oid, content.toString("utf8"));
  const ids = changed.flatMap(({ fileId }) => toItemId(fileId) ?? []);
  const docs = await itemKind
    .items()
    .find({ workspaceId, space: WORKSPACE_SPACE, _id: { $in: ids } })
    .toArray();
  const byId = new Map(docs.map((doc) => [doc._id.toHexString(), doc]));
  const returned = await returnedAmong(itemKind, push, ids, byId);
  const known = push.before === null ? await itemKind.textsOf(workspaceId, docs) : null;
  const folders = await SharedFolders.of(itemKind, push);
  const written: Written = { writes: [], files: [] };
  for (const { fileId, path, before, after } of changed) {
    const doc = byId.get(fileId) ?? null;
    if (path === null) {
      if (doc) written.writes.push({ kind: "discard", id: doc._id });
      continue;
    }
    const back = returned.get(fileId) ?? null;
    const previous = back?.text ?? (known ? known.get(fileId) : before && texts.get(before));
    const file: ItemFile = {
      workspaceId,
      path,
      text: texts.get(after) ?? "",
      previous: previous ?? null,
      before: back?.doc ?? doc,
    };
    if (known && doc?.file === path && doc.content === itemKind.contentIn(file.text)) continue;
    await addFile(itemKind, push, folders, { fileId, file, isBack: back !== null }, written);
  }
  return { ...written, writes: [...folders.added, ...written.writes] };
}

/**
 * Returns the deleted items among those with a file, with the text of their last file, by id. Those that another attempt
 * at this push has written already are included, until they are no longer stored as deleted.
 */
async function returnedAmong(
  itemKind: ItemKind,
  { workspaceId, seq }: Push,
  ids: readonly ObjectId[],
  byId: ReadonlyMap<string, ItemDoc>,
): Promise<Map<string, { doc: ItemDoc; text: string | null }>> {
  const absent = ids.filter((id) => (byId.get(id.toHexString())?.seq ?? seq) === seq);
  if (absent.length === 0) return new Map();
  const found = await itemKind
    .deleted()
    .find({ workspaceId, space: WORKSPACE_SPACE, _id: { $in: absent } })
    .toArray();
  const docs = found.map(({ deletedAt: _, deletedBy: __, ...doc }): ItemDoc => doc);
  const texts = await itemKind.textsOf(workspaceId, docs);
  return new Map(
    docs.map((doc) => {
      const id = doc._id.toHexString();
      return [id, { doc, text: texts.get(id) ?? null }];
    }),
  );
}

async function addFile(
  itemKind: ItemKind,
  { workspaceId, userId, at }: Push,
  folders: SharedFolders,
  { fileId, file, isBack }: { fileId: string; file: ItemFile; isBack: boolean },
  { writes, files }: Written,
): Promise<void> {
  const { before } = file;
  const { folderPath, ...place } = placeOfFile(itemKind, file.path);
  // Names may include the extension; git does not tell.
  if (before && hasEnding(itemKind.root, before)) place.name += endingOf(itemKind.root, place);
  const set = {
    ...(before && fieldsOf(before, itemKind.searchedFields ?? [])),
    ...(await itemKind.toFields(file)),
    ...place,
    folderId: folders.at(folderPath),
    version: (before?.version ?? 0) + 1,
    updatedAt: at,
  };
  const id = before?._id ?? toItemId(fileId) ?? idFor(at, fileId);
  files.push({ id, file });
  if (before && isBack) writes.push({ kind: "insert", doc: { ...before, ...set, seq: 0 } });
  else if (before) writes.push({ kind: "update", id, set, swaps: before.key !== place.key });
  else {
    const added = { _id: id, workspaceId, space: WORKSPACE_SPACE, ownerId: userId, seq: 0, createdAt: at };
    writes.push({ kind: "insert", doc: { ...added, ...set } as ItemDoc });
  }
}

/** The folders of a kind that everyone sees, with those that a push adds. */
class SharedFolders {
  readonly added: Write[] = [];
  private constructor(
    private readonly root: string,
    private readonly push: Push,
    private readonly ids: Map<string, ObjectId>,
  ) {}

  static async of({ folders, root }: ItemKind, push: Push): Promise<SharedFolders> {
    const known = await folders()
      .find({ workspaceId: push.workspaceId, space: WORKSPACE_SPACE }, { projection: { key: 1 } })
      .toArray();
    return new SharedFolders(root, push, new Map(known.map(({ key, _id }) => [key, _id])));
  }

  /** Returns the id of a folder, which is added if it does not exist. */
  at(path: string | null): ObjectId | null {
    if (path === null) return null;
    const slash = path.lastIndexOf("/");
    const name = path.slice(slash + 1);
    const parentPath = slash === -1 ? null : path.slice(0, slash);
    const place = folderPlaceOf(this.root, parentPath, name);
    const known = this.ids.get(place.key);
    if (known) return known;
    const { workspaceId, userId, at, seq } = this.push;
    const doc: FolderDoc = {
      // The same id from every server that completes the push.
      _id: idFor(at, `${workspaceId.toHexString()}/${seq}/${this.root}/${place.key}`),
      workspaceId,
      space: WORKSPACE_SPACE,
      ownerId: userId,
      parentId: this.at(parentPath),
      name,
      ...place,
      seq: 0,
      createdAt: at,
      updatedAt: at,
    };
    this.added.push({ kind: "insertFolder", doc });
    this.ids.set(place.key, doc._id);
    return doc._id;
  }
}

function hasEnding(root: string, doc: ItemDoc): boolean {
  return doc.name === doc.path.slice(doc.path.lastIndexOf("/") + 1) + endingOf(root, doc);
}

function idFor(at: Date, text: string): ObjectId {
  const time = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(TIME_HEX, "0");
  return new ObjectId(`${time}${createHash("sha1").update(text).digest("hex").slice(0, HASH_HEX)}`);
}
