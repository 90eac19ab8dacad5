import "server-only";
import type { ObjectId } from "mongodb";
import { listTree } from "@/lib/features/repository/service";
import { AppError } from "@/lib/platform/http/errors";
import { type AppDoc, folderOf } from "./model";
import { repositoryOf } from "./repositories";

/** Allowed names of an app's thumbnail. */
export const THUMBNAILS: ReadonlySet<string> = new Set(["thumbnail.png", "thumbnail.jpg", "thumbnail.webp"]);

export type Thumbnail = { repositoryId: ObjectId; name: string; oid: string };

/** Returns the thumbnail of an app on main, the first by name if there are several; null without one. */
export async function findThumbnail(doc: AppDoc): Promise<Thumbnail | null> {
  const repositoryId = await repositoryOf(doc.workspaceId, doc.space);
  try {
    const items = await listTree({ repositoryId, path: folderOf(doc) });
    const found = items.find(({ kind, name }) => kind === "file" && THUMBNAILS.has(name));
    return found ? { repositoryId, name: found.name, oid: found.oid } : null;
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}
