import "server-only";
import type { Collection, ObjectId } from "mongodb";
import { publish } from "@/lib/events/publish";
import { log } from "@/lib/log";
import { collections } from "./collections";
import { type ConsoleIntent, type ConsoleWrite, type Space, WORKSPACE_SPACE } from "./model";

type Standing = { _id: ObjectId; workspaceId: ObjectId; space: Space; ownerId: ObjectId };
type Kind = ConsoleWrite["kind"];

const FOLDER_KINDS: ReadonlySet<Kind> = new Set(["insertFolder", "updateFolder", "removeFolder"]);

/** Tells those who look on that what belongs to a console has changed, as its schedule: of a private one its owner alone. */
export function tellConsole({ _id, workspaceId, space, ownerId }: Standing): void {
  const onlyFor = space === WORKSPACE_SPACE ? {} : { onlyFor: ownerId };
  publish({ workspaceId, kind: "console", resourceType: "console", resourceId: _id, ...onlyFor });
}

/** Tells those who look on what a change has done: of a private console its owner, of a shared one everybody. */
export async function tellChange(workspaceId: ObjectId, { writes }: ConsoleIntent): Promise<void> {
  try {
    const ofFolders = writes.filter(({ kind }) => FOLDER_KINDS.has(kind));
    const ofConsoles = writes.filter(({ kind }) => !FOLDER_KINDS.has(kind));
    const [consoles, deleted, folders] = await Promise.all([
      standings(collections.consoles() as unknown as Collection<Standing>, workspaceId, ofConsoles),
      standings(collections.deletedConsoles() as unknown as Collection<Standing>, workspaceId, ofConsoles),
      standings(collections.consoleFolders() as unknown as Collection<Standing>, workspaceId, ofFolders),
    ]);
    // One that is no longer shared was everybody's until now: they have to learn that it is gone.
    const moved = new Set(writes.filter(changesSpace).map((write) => idOf(write).toHexString()));
    const tell = (resourceType: string) => (each: Standing) => {
      const isForAll = each.space === WORKSPACE_SPACE || moved.has(each._id.toHexString());
      const onlyFor = isForAll ? {} : { onlyFor: each.ownerId };
      publish({ workspaceId, kind: "console", resourceType, resourceId: each._id, ...onlyFor });
    };
    [...consoles, ...deleted].forEach(tell("console"));
    folders.forEach(tell("folder"));
  } catch (error) {
    // What was done is done; whoever looks reads it sooner or later.
    log.warn({ err: error }, "a change of consoles could not be told");
  }
}

function standings(
  collection: Collection<Standing>,
  workspaceId: ObjectId,
  writes: readonly ConsoleWrite[],
): Promise<Standing[]> {
  if (writes.length === 0) return Promise.resolve([]);
  const filter = { workspaceId, _id: { $in: writes.map(idOf) } };
  return collection.find(filter, { projection: { workspaceId: 1, space: 1, ownerId: 1 } }).toArray();
}

function changesSpace(write: ConsoleWrite): boolean {
  return (write.kind === "update" || write.kind === "updateFolder") && write.set.space !== undefined;
}

function idOf(write: ConsoleWrite): ObjectId {
  return "doc" in write ? write.doc._id : write.id;
}
