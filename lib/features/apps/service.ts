import "server-only";
import { ObjectId } from "mongodb";
import { accessOf, spaceOf, visibleTo, WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { commitChanges } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { findPage, toListFilter } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { collections } from "./collections";
import { publishAppEvent } from "./events";
import { APPS_MAX } from "./limits";
import { type AppDoc, folderOf, toApp } from "./model";
import { moveApp } from "./move";
import { executeRemoval, noteRemoval } from "./removals";
import { repositoryOf } from "./repositories";
import { stopSessions } from "./sandbox/registry";
import type { App, AppSummary, CreateAppBody, UpdateAppBody } from "./schema";
import { claimSlug } from "./slugs";
import { fillTemplate } from "./templates";
import { findThumbnail } from "./thumbnail";

/**
 * Creates an app from a template. Its files are a commit on main, visible to everyone who may see the app; nothing is
 * published.
 * @throws AppError conflict when the workspace is full or lacks the data of the template, storage_full
 */
export async function createApp(caller: Caller, body: CreateAppBody): Promise<App> {
  const { workspaceId, user } = caller;
  const { title, description, access = "private", template = "blank" } = body;
  if ((await collections.apps().countDocuments({ workspaceId })) >= APPS_MAX) {
    throw new AppError("conflict", `Limit of ${APPS_MAX} apps reached. Delete some first.`);
  }
  const files = await fillTemplate(workspaceId, template, title);
  const space = spaceOf(access, user._id);
  const now = new Date();
  const doc: AppDoc = {
    _id: new ObjectId(),
    workspaceId,
    space,
    slug: await claimSlug(workspaceId, space, title),
    title,
    description: description ?? "",
    ownerId: user._id,
    publishedSha: null,
    publishedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  // Inserted before its files: a crash leaves an empty app that can be deleted, not files without an app.
  await collections.apps().insertOne(doc);
  try {
    await commitChanges({
      repositoryId: await repositoryOf(workspaceId, space),
      author: { name: user.name, email: user.email },
      message: `Add the app ${title}`,
      changes: Array.from(files, ([path, content]) => ({ kind: "put", path: `${folderOf(doc)}/${path}`, content })),
    });
  } catch (error) {
    await collections.apps().deleteOne({ _id: doc._id, workspaceId });
    throw error;
  }
  publishAppEvent(doc);
  return withThumbnail(caller, doc);
}

/** Lists the apps that the caller can see, in order of creation: all, or those with these ids. */
export async function listApps(
  caller: Caller,
  { ids, ...page }: PageRequest & { ids?: string },
): Promise<Page<AppSummary>> {
  const filter = { ...visibleTo(caller), ...toListFilter({ ids }) };
  return findPage(collections.apps(), filter, page, { order: "oldest" }, (doc) => {
    const { thumbnail: _, ...app } = toApp(doc, caller.user._id, null);
    return app;
  });
}

/** Returns an app. @throws AppError not_found */
export async function getApp(caller: Caller, ref: string): Promise<App> {
  return withThumbnail(caller, await getAppDocOrThrow(caller, ref));
}

/**
 * Updates an app's title, description and access. Its slug stays, unless an app in the other space has it.
 * @throws AppError not_found; forbidden for making another member's app private
 */
export async function updateApp(caller: Caller, ref: string, body: UpdateAppBody): Promise<App> {
  const doc = await getAppDocOrThrow(caller, ref);
  const { title, description, access } = body;
  const changesAccess = access !== undefined && access !== accessOf(doc.space);
  if (changesAccess && !doc.ownerId.equals(caller.user._id)) {
    throw new AppError("forbidden", "Only the app's owner can make it private.");
  }
  const set = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description: description ?? "" }),
    updatedAt: new Date(),
  };
  const { _id, workspaceId } = doc;
  const { matchedCount } = await collections.apps().updateOne({ _id, ...visibleTo(caller) }, { $set: set });
  if (matchedCount === 0) throw noSuchApp();
  if (changesAccess) await moveApp(caller, { ...doc, ...set }, spaceOf(access, caller.user._id));
  const saved = await collections.apps().findOne({ _id, workspaceId });
  if (!saved) throw noSuchApp();
  // An app that is no longer shared was visible to all members: they must learn that it is gone.
  publishAppEvent(changesAccess ? { ...saved, space: WORKSPACE_SPACE } : saved);
  return withThumbnail(caller, saved);
}

/**
 * Deletes an app with all of its drafts; committed files stay in git.
 * @throws AppError not_found; forbidden for users who are neither its owner nor an admin
 */
export async function deleteApp(caller: Caller, ref: string): Promise<void> {
  const doc = await getAppToDeleteOrThrow(caller, ref);
  const removal = await noteRemoval(doc, caller.user, `Delete the app ${doc.title}`);
  const { deletedCount } = await collections.apps().deleteOne({ _id: doc._id, workspaceId: doc.workspaceId });
  await executeRemoval(removal);
  await stopSessions({ workspaceId: doc.workspaceId, appId: doc._id });
  if (deletedCount === 0) throw noSuchApp();
  publishAppEvent(doc);
}

/** @throws AppError as `deleteApp` */
export async function getAppToDeleteOrThrow(caller: Caller, ref: string): Promise<AppDoc> {
  const doc = await getAppDocOrThrow(caller, ref);
  if (doc.ownerId.equals(caller.user._id) || isAtLeast(caller.role, "admin")) return doc;
  throw new AppError("forbidden", "Only the app's owner and admins can delete it.");
}

/**
 * Returns an app by its id or its slug. If a shared and a private app have the same slug, returns the shared one:
 * addresses are passed on.
 * @throws AppError not_found, the same for an unknown app, another workspace's and another member's private one
 */
export async function getAppDocOrThrow(caller: Caller, ref: string): Promise<AppDoc> {
  if (/^[0-9a-f]{24}$/i.test(ref)) {
    const doc = await collections.apps().findOne({ _id: new ObjectId(ref), ...visibleTo(caller) });
    if (!doc) throw noSuchApp();
    return doc;
  }
  const docs = await collections
    .apps()
    .find({ slug: ref, ...visibleTo(caller) })
    .limit(2)
    .toArray();
  const doc = docs.find(({ space }) => space === WORKSPACE_SPACE) ?? docs[0];
  if (!doc) throw noSuchApp();
  return doc;
}

/** Returns the ids of apps that the caller may see. */
export async function visibleAppIds(caller: Caller, ids: ObjectId[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const docs = await collections
    .apps()
    .find({ _id: { $in: ids }, ...visibleTo(caller) }, { projection: { _id: 1 } })
    .toArray();
  return new Set(docs.map(({ _id }) => _id.toHexString()));
}

async function withThumbnail({ user }: Caller, doc: AppDoc): Promise<App> {
  return toApp(doc, user._id, (await findThumbnail(doc))?.name ?? null);
}

function noSuchApp(): AppError {
  return new AppError("not_found", "App not found.");
}
