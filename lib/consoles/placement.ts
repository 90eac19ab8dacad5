import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { AppError } from "@/lib/http/errors";
import { collections } from "./collections";
import { accessOf, type ConsoleFolderDoc, type ConsolePath, type Space, spaceOf, visibleTo } from "./model";
import { consolePathOf, parseName } from "./names";
import type { ConsoleAccess, Language } from "./schema";

/** @throws AppError not_found, the same for another's private folder and for another workspace's */
export async function getFolderOrThrow(caller: Caller, folderId: ObjectId | string): Promise<ConsoleFolderDoc> {
  const folder = await collections.consoleFolders().findOne({ _id: new ObjectId(folderId), ...visibleTo(caller) });
  if (!folder) throw new AppError("not_found", "There is no such folder in this workspace. Choose another place.");
  return folder;
}

/**
 * The space for something in a folder. What is made in a folder belongs to who sees the folder; what is moved into a
 * shared one has to say so, since moving would disclose it.
 * @param asked the access that the caller names, if any
 * @param current the space of something that exists already
 * @throws AppError invalid_request when the folder has another access
 */
export function spaceIn(
  caller: Caller,
  folder: ConsoleFolderDoc | null,
  asked: ConsoleAccess | undefined,
  current: Space | null,
): Space {
  const wanted = asked ? spaceOf(asked, caller.user._id) : current;
  if (!folder) return wanted ?? spaceOf("private", caller.user._id);
  if (wanted === null || wanted === folder.space) return folder.space;
  const access = accessOf(folder.space);
  const sentence =
    access === "workspace"
      ? `The folder “${folder.path}” is shared with the workspace. To put it there, send access: "workspace" too.`
      : `The folder “${folder.path}” is private. To put it there, send access: "private" too.`;
  throw new AppError("invalid_request", sentence, { details: [{ path: "access", message: sentence }] });
}

/**
 * The place of a console, free of others.
 * @param self the console that may stand there already
 * @throws AppError invalid_request for a bad name, conflict when something has the place
 */
export async function freePlace(
  target: { workspaceId: ObjectId; space: Space; folder: ConsoleFolderDoc | null; name: string; language: Language },
  self: ObjectId | null,
): Promise<ConsolePath & { name: string }> {
  const name = parseName(target.name);
  const place = consolePathOf(target.folder?.path ?? null, name, target.language);
  await refuseTaken({ ...target, key: place.key }, self);
  return { ...place, name };
}

/** Files and folders share one namespace, as git has it. @throws AppError conflict */
export async function refuseTaken(
  { workspaceId, space, key }: { workspaceId: ObjectId; space: Space; key: string },
  self: ObjectId | null,
): Promise<void> {
  const found =
    (await collections.consoles().findOne({ workspaceId, space, key }, { projection: { path: 1 } })) ??
    (await collections.consoleFolders().findOne({ workspaceId, space, key }, { projection: { path: 1 } }));
  if (!found || (self && found._id.equals(self))) return;
  throw new AppError("conflict", `“${found.path}” is already there. Choose another name.`, {
    details: { path: found.path },
  });
}
