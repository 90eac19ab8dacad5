import "server-only";
import type { Collection, ObjectId } from "mongodb";
import { publish } from "@/lib/platform/events/publish";
import { log } from "@/lib/platform/log";
import type { Written } from "./apply-change";
import { type ItemChange, type Push, type Space, WORKSPACE_SPACE, type Write } from "./model";

type Standing = { _id: ObjectId; workspaceId: ObjectId; space: Space; ownerId: ObjectId; version?: number };
type Kind = Write["kind"];

const FOLDER_KINDS: ReadonlySet<Kind> = new Set(["insertFolder", "updateFolder", "removeFolder"]);

/** Publishes the events of a change: for a private item to its owner, for a shared one to everyone. */
export async function publishChange(
  workspaceId: ObjectId,
  { userId, push }: Pick<ItemChange, "userId" | "push">,
  all: readonly Written[],
): Promise<void> {
  const facts = { userId: userId.toHexString(), ...(push && { push }) };
  for (const written of all) await publishItems(workspaceId, facts, written);
  if (push) publishPush(workspaceId, userId, push);
}

/** Publishes a push to main, also one that changes no item. */
export function publishPush(workspaceId: ObjectId, userId: ObjectId, push: Push): void {
  const data = { userId: userId.toHexString(), push };
  publish({ workspaceId, kind: "push", resourceType: "workspace", resourceId: workspaceId, data });
}

async function publishItems(
  workspaceId: ObjectId,
  facts: Record<string, unknown>,
  { itemKind, writes }: Written,
): Promise<void> {
  const { noun } = itemKind;
  try {
    const ofFolders = writes.filter(({ kind }) => FOLDER_KINDS.has(kind));
    const ofItems = writes.filter(({ kind }) => !FOLDER_KINDS.has(kind));
    const [items, deleted, folders] = await Promise.all([
      standings(itemKind.items() as unknown as Collection<Standing>, workspaceId, ofItems),
      standings(itemKind.deleted() as unknown as Collection<Standing>, workspaceId, ofItems),
      standings(itemKind.folders() as unknown as Collection<Standing>, workspaceId, ofFolders),
    ]);
    // An item that is no longer shared was visible to everyone: they must learn that it is gone.
    const moved = new Set(writes.filter(changesSpace).map((write) => idOf(write).toHexString()));
    const tell =
      (resourceType: string, more: Record<string, unknown> = {}) =>
      (each: Standing) => {
        const isForAll = each.space === WORKSPACE_SPACE || moved.has(each._id.toHexString());
        const onlyFor = isForAll ? {} : { onlyFor: each.ownerId };
        // Clients that have this version already need not request it.
        const data = { ...facts, ...(each.version !== undefined && { version: each.version }), ...more };
        publish({ workspaceId, kind: noun, resourceType, resourceId: each._id, ...onlyFor, data });
      };
    items.forEach(tell(noun));
    deleted.forEach(tell(noun, { deleted: true }));
    folders.forEach(tell("folder"));
  } catch (error) {
    // The change itself is complete; viewers read it sooner or later.
    log.warn({ err: error }, "failed to publish the events of a change");
  }
}

function standings(
  collection: Collection<Standing>,
  workspaceId: ObjectId,
  writes: readonly Write[],
): Promise<Standing[]> {
  if (writes.length === 0) return Promise.resolve([]);
  const filter = { workspaceId, _id: { $in: writes.map(idOf) } };
  return collection.find(filter, { projection: { workspaceId: 1, space: 1, ownerId: 1, version: 1 } }).toArray();
}

function changesSpace(write: Write): boolean {
  return (write.kind === "update" || write.kind === "updateFolder") && write.set.space !== undefined;
}

function idOf(write: Write): ObjectId {
  return "doc" in write ? write.doc._id : write.id;
}
