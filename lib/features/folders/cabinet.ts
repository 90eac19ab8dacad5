import "server-only";
import type { Collection, ObjectId } from "mongodb";
import type { Deleted, FiledDoc, FolderDoc, JournalDoc } from "./model";

/** One kind of thing that is filed: in folders, with versions, as files of the workspace's repository. */
export type Cabinet = {
  /** What one is called, in sentences and in the events of the workspace. */
  noun: "console" | "dashboard";
  /** The folder of the repository that holds their files, and what several are called. */
  root: "consoles" | "dashboards";
  /** Of one workspace; one with more has a program that makes them. Lists and searches stay quick below it. */
  itemsMax: number;
  items: () => Collection<FiledDoc>;
  folders: () => Collection<FolderDoc>;
  deleted: () => Collection<Deleted<FiledDoc>>;
  journals: () => Collection<JournalDoc>;
  /** Removes what stands on one that is deleted. It is called more than once for one, and must bear that. */
  forget?: (workspaceId: ObjectId, id: ObjectId) => Promise<void>;
};

/** The accessors as a cabinet has them: it carries the fields of a kind along and does not read them. */
export function asFiled<D extends FiledDoc>(drawers: {
  items: () => Collection<D>;
  folders: () => Collection<FolderDoc>;
  deleted: () => Collection<Deleted<D>>;
  journals: () => Collection<JournalDoc>;
}): Pick<Cabinet, "items" | "folders" | "deleted" | "journals"> {
  return drawers as unknown as Pick<Cabinet, "items" | "folders" | "deleted" | "journals">;
}
