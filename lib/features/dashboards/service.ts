import "server-only";
import { ObjectId } from "mongodb";
import type { Use } from "@/lib/features/connections/uses";
import { consoleIdsOn } from "@/lib/features/consoles/service";
import { bringBack } from "@/lib/features/folders/bring-back";
import { changeItems } from "@/lib/features/folders/change-items";
import { contentAt, getCommit } from "@/lib/features/folders/history";
import { lookUpItems } from "@/lib/features/folders/lookup";
import { accessOf, type ItemDoc, visibleTo } from "@/lib/features/folders/model";
import { copyName, placeOf } from "@/lib/features/folders/names";
import {
  freePlace,
  getFolderOrThrow,
  keysIn,
  noSuch,
  placeAsked,
  saveMessage,
  spaceIn,
  stale,
} from "@/lib/features/folders/placement";
import { readersOf, visibleIdsOf } from "@/lib/features/folders/readers";
import type { LookupQuery, TreePage, TreeQuery } from "@/lib/features/folders/schema";
import { readTreePage } from "@/lib/features/folders/tree";
import { dropDatasets } from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";
import { complete, fieldsOf, parseText, partsGone, readText, refuseUnfit, sourcesOf } from "./content";
import { DASHBOARDS, ENDING } from "./item-kind";
import { TITLE_CHARS_MAX } from "./limits";
import { type DashboardDoc, toDashboard, toDashboardSummary } from "./model";
import { fileNameFor, stemOf } from "./names";
import { withOwnRunStatus, withRunStatus } from "./run-status";
import type {
  CreateDashboardBody,
  Dashboard,
  DashboardCommit,
  DashboardFile,
  DashboardSummary,
  SentParts,
  UpdateDashboardBody,
} from "./schema";
import { refuseUnreadable } from "./sources";
import { refuseBadSpecs } from "./specs";
import { changesBetween } from "./words";

/** Lists the dashboards that the caller can see, without their content, in order of creation. */
export async function listDashboards(caller: Caller, page: PageRequest): Promise<Page<DashboardSummary>> {
  const order = { order: "oldest", projection: { content: 0, searchKeys: 0 } } as const;
  const found = await findPage(collections.dashboards(), visibleTo(caller), page, order, toDashboardSummary);
  return { ...found, items: await withRunStatus(caller, found.items) };
}

/** Returns one page of a folder. @throws AppError as `readTreePage` */
export function readDashboardTree(caller: Caller, query: TreeQuery): Promise<TreePage<DashboardSummary>> {
  return readTreePage(caller, DASHBOARDS, query, listed(caller));
}

/** Returns the dashboards with the given ids, or those saved last. */
export function lookUpDashboards(caller: Caller, query: LookupQuery): Promise<DashboardSummary[]> {
  return lookUpItems(caller, DASHBOARDS, query, listed(caller));
}

function listed(caller: Caller) {
  return {
    projection: { content: 0, searchKeys: 0 },
    toItems: (docs: DashboardDoc[]) => withRunStatus(caller, docs.map(toDashboardSummary)),
  } as const;
}

/**
 * @throws AppError not_found, the same for an unknown dashboard, another workspace's and another member's private one
 */
export async function getDashboard(caller: Caller, dashboardId: ObjectId): Promise<Dashboard> {
  return withOwnRunStatus(caller, toDashboard(await getDashboardDocOrThrow(caller, dashboardId)));
}

/** Returns the stored document. @throws AppError not_found */
export async function getDashboardDocOrThrow(caller: Caller, dashboardId: ObjectId): Promise<DashboardDoc> {
  const doc = await collections.dashboards().findOne({ _id: dashboardId, ...visibleTo(caller) });
  if (!doc) throw noSuch(DASHBOARDS);
  return doc;
}

/**
 * Creates a dashboard and the first commit of its file.
 * @throws AppError invalid_request for parts that do not fit together, not_found for a folder, connection or console
 */
export async function createDashboard(caller: Caller, body: CreateDashboardBody): Promise<Dashboard> {
  const { title, description, folderId, access, message } = body;
  const file: DashboardFile = {
    title,
    description: description ?? "",
    ...{ datasets: [], widgets: [], filters: [] },
    ...complete(body),
  };
  await refuseUnsavable(caller, file, null);
  return changeItems(caller, DASHBOARDS, async (changes) => {
    const folder = folderId ? await getFolderOrThrow(caller, DASHBOARDS, folderId) : null;
    const doc = await newDoc(caller, file, spaceIn(caller, folder, access, null), folder, changes.now);
    changes.message = message ?? `Create ${doc.path}`;
    await changes.insert(doc);
    return toDashboard(doc);
  });
}

/**
 * Saves a dashboard: content, title, folder, access. Makes a commit if its file changes.
 * @throws AppError conflict with details {current} for a version that is not the current one; not_found;
 * invalid_request; forbidden for making another member's dashboard private
 */
export async function updateDashboard(
  caller: Caller,
  dashboardId: ObjectId,
  body: UpdateDashboardBody,
): Promise<Dashboard> {
  let gone: string[] = [];
  const dashboard = await changeItems(caller, DASHBOARDS, async (changes) => {
    const before = await getDashboardDocOrThrow(caller, dashboardId);
    const { space, folder } = await placeAsked(caller, DASHBOARDS, before, body);
    if (before.version !== body.version) throw stale(DASHBOARDS, toDashboard(before));
    const old = readText(before.content);
    const file: DashboardFile = {
      ...old,
      ...(body.title !== undefined && { title: body.title }),
      ...(body.description !== undefined && { description: body.description ?? "" }),
      ...complete(body),
    };
    await refuseUnsavable(caller, file, before);
    gone = partsGone(old, file);
    const home = { workspaceId: before.workspaceId, space, folder };
    const stays =
      file.title === old.title && space === before.space && String(folder?._id ?? null) === String(before.folderId);
    const name = stays ? before.name : await fileNameFor(file.title, home, space === before.space ? before.key : null);
    const place = await freePlace(DASHBOARDS, { ...home, name, ending: ENDING }, dashboardId);
    const saved: DashboardDoc = {
      ...before,
      ...place,
      ...fieldsOf(file),
      space,
      folderId: folder?._id ?? null,
      version: before.version + 1,
      updatedAt: changes.now,
    };
    changes.message = body.message ?? saveMessage(before, saved);
    changes.update(before, saved);
    return toDashboard(saved);
  });
  await dropRows(caller, dashboardId, gone);
  return withOwnRunStatus(caller, dashboard);
}

/**
 * Validates content without saving it.
 * @param change null for a new dashboard
 * @returns the sent parts as they would be stored, with IDs and positions
 * @throws AppError as `createDashboard` and `updateDashboard`
 */
export async function checkDashboard(
  caller: Caller,
  change: { dashboardId: ObjectId; version: number } | null,
  parts: SentParts,
): Promise<ReturnType<typeof complete>> {
  const doc = change && (await getDashboardDocOrThrow(caller, change.dashboardId));
  if (doc && doc.version !== change?.version) throw stale(DASHBOARDS, toDashboard(doc));
  const completed = complete(parts);
  const old = doc ? readText(doc.content) : { title: "", description: "", datasets: [], widgets: [], filters: [] };
  await refuseUnsavable(caller, { ...old, ...completed }, doc);
  return completed;
}

/** @param before null for a new dashboard */
async function refuseUnsavable(caller: Caller, file: DashboardFile, before: DashboardDoc | null): Promise<void> {
  const old = before && readText(before.content);
  refuseUnfit(file);
  refuseBadSpecs(file.widgets, old?.widgets);
  // Existing sources were checked when they were added: moving a widget requires no right to them.
  const known = new Set(old && sourcesOf(old).map(({ source }) => JSON.stringify(source)));
  const added = sourcesOf(file).filter(({ source }) => !known.has(JSON.stringify(source)));
  await refuseUnreadable(caller, before?.ownerId ?? caller.user._id, added);
}

/** Creates a copy beside the original, owned by the caller. @throws AppError not_found */
export function duplicateDashboard(caller: Caller, dashboardId: ObjectId): Promise<Dashboard> {
  return changeItems(caller, DASHBOARDS, async (changes) => {
    const original = await getDashboardDocOrThrow(caller, dashboardId);
    const { workspaceId, space, folderId } = original;
    const folder = folderId ? await getFolderOrThrow(caller, DASHBOARDS, folderId) : null;
    const taken = await keysIn(DASHBOARDS, { workspaceId, space, folderId });
    const isFree = (title: string) =>
      !taken.has(placeOf(DASHBOARDS.root, folder?.path ?? null, stemOf(title), ENDING).key);
    const short = [...original.title].slice(0, TITLE_CHARS_MAX - " copy 2000".length).join("");
    const file = { ...readText(original.content), title: copyName(short, [], isFree) };
    const copy = await newDoc(caller, file, space, folder, changes.now);
    changes.message = `Duplicate ${original.path} as ${copy.path}`;
    await changes.insert(copy);
    return toDashboard(copy);
  });
}

/** Deletes a dashboard with a commit. For a time, `undeleteDashboard` can restore it. @throws AppError not_found */
export function deleteDashboard(caller: Caller, dashboardId: ObjectId): Promise<void> {
  return changeItems(caller, DASHBOARDS, async (changes) => {
    const doc = await getDashboardDocOrThrow(caller, dashboardId);
    changes.message = `Delete ${doc.path}`;
    changes.discard(doc);
  });
}

/** Restores a deleted dashboard with its history (`bringBack`). @throws AppError as `bringBack` */
export async function undeleteDashboard(
  caller: Caller,
  dashboardId: ObjectId,
  folderId: string | null | undefined,
): Promise<Dashboard> {
  const nameIn = (doc: ItemDoc, folder: Parameters<typeof fileNameFor>[1]["folder"]) =>
    fileNameFor(doc.name, { workspaceId: doc.workspaceId, space: doc.space, folder }, null);
  return toDashboard((await bringBack(caller, DASHBOARDS, dashboardId, folderId, nameIn)) as DashboardDoc);
}

/** Returns the changes of one commit to a dashboard, also in words. @throws AppError as `getCommit` of folders */
export async function getDashboardCommit(caller: Caller, dashboardId: ObjectId, sha: string): Promise<DashboardCommit> {
  const commit = await getCommit(caller, DASHBOARDS, dashboardId, sha);
  const changes = commit.files.flatMap(({ before, after }) => changesBetween(parseText(before), parseText(after)));
  return { ...commit, changes };
}

/**
 * Restores a dashboard's content after a commit, as a new commit. Its title and folder stay.
 * @throws AppError invalid_request (malformed sha), conflict (several commits fit), not_found (unknown, of other files,
 * or one that left no dashboard)
 */
export async function restoreVersion(caller: Caller, dashboardId: ObjectId, sha: string): Promise<Dashboard> {
  const { content, label } = await contentAt(caller, DASHBOARDS, dashboardId, sha);
  const then = parseText(content);
  if (!then) throw new AppError("not_found", "The dashboard is invalid in this commit. Choose another one.");
  let gone: string[] = [];
  const dashboard = await changeItems(caller, DASHBOARDS, async (changes) => {
    const before = await getDashboardDocOrThrow(caller, dashboardId);
    const file = { ...then, title: before.title };
    gone = partsGone(readText(before.content), file);
    const saved = { ...before, ...fieldsOf(file), version: before.version + 1, updatedAt: changes.now };
    changes.message = `Restore ${before.path} to ${label}`;
    changes.update(before, saved);
    return toDashboard(saved);
  });
  await dropRows(caller, dashboardId, gone);
  return withOwnRunStatus(caller, dashboard);
}

/** Drops the rows of datasets and widgets that a save has removed. */
async function dropRows({ workspaceId }: Caller, id: ObjectId, names: string[]): Promise<void> {
  if (names.length > 0) await dropDatasets({ workspaceId, kind: "dashboard", id }, names);
}

/** Returns which of these dashboards the caller can see. Recently deleted ones count as they last were. */
export function visibleDashboardIds(caller: Caller, ids: ObjectId[]): Promise<Set<string>> {
  return visibleIdsOf(DASHBOARDS, caller, ids);
}

/**
 * Returns the readers of a dashboard: every member, or the id of its only owner. A recently deleted one counts as it
 * last was.
 */
export function findDashboardReaders(
  workspaceId: ObjectId,
  dashboardId: ObjectId,
): Promise<"everybody" | "nobody" | ObjectId> {
  return readersOf(DASHBOARDS, workspaceId, dashboardId);
}

/** Lists the dashboards that read a connection, directly or through a console. */
export async function listDashboardUses(caller: Caller, connectionId: ObjectId): Promise<Use[]> {
  const { workspaceId } = caller;
  const consoleIds = await consoleIdsOn(caller, connectionId);
  const docs = await collections
    .dashboards()
    .find(
      { workspaceId, $or: [{ connectionIds: connectionId }, { consoleIds: { $in: consoleIds } }] },
      { projection: { title: 1, space: 1 } },
    )
    .sort({ _id: 1 })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return docs.map(({ _id, title, space }) => ({
    kind: "dashboard",
    id: _id.toHexString(),
    // It counts as a use, but its name is private.
    name: accessOf(space) === "private" ? "A private dashboard" : title,
  }));
}

async function newDoc(
  { workspaceId, user }: Caller,
  file: DashboardFile,
  space: DashboardDoc["space"],
  folder: Awaited<ReturnType<typeof getFolderOrThrow>> | null,
  now: Date,
): Promise<DashboardDoc> {
  const home = { workspaceId, space, folder };
  const name = await fileNameFor(file.title, home, null);
  return {
    _id: new ObjectId(),
    workspaceId,
    space,
    ownerId: user._id,
    folderId: folder?._id ?? null,
    ...(await freePlace(DASHBOARDS, { ...home, name, ending: ENDING }, null)),
    ...fieldsOf(file),
    version: 1,
    seq: 0,
    createdAt: now,
    updatedAt: now,
  };
}
