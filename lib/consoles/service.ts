import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { getConnectionDocOrThrow, getDriverOrThrow } from "@/lib/connections/service";
import { AppError } from "@/lib/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/http/paging";
import { collections } from "./collections";
import { changeConsoles } from "./journal";
import { accessOf, type ConsoleDoc, type ConsoleFolderDoc, toConsole, toConsoleSummary, visibleTo } from "./model";
import { consolePathOf, copyName } from "./names";
import { freePlace, getFolderOrThrow, spaceIn } from "./placement";
import type {
  Console,
  ConsoleSummary,
  CreateConsoleBody,
  Language,
  UndeleteConsoleBody,
  UpdateConsoleBody,
} from "./schema";
import { withOwnStanding, withStanding } from "./standing";

/** The consoles that the caller may see, without their texts and charts, in the order in which they were made. */
export async function listConsoles(caller: Caller, { limit, cursor }: PageRequest): Promise<Page<ConsoleSummary>> {
  const after = readCursor(cursor);
  const docs = await collections
    .consoles()
    .find({ ...visibleTo(caller), ...(after && { _id: { $gt: after } }) })
    .project<Omit<ConsoleDoc, "content" | "chart">>({ content: 0, chart: 0 })
    .sort({ _id: 1 })
    .limit(withExtra(limit))
    .toArray();
  const page = toPage(docs, limit, toConsoleSummary);
  return { ...page, items: await withStanding(caller, page.items) };
}

/** @throws AppError not_found, the same for an unknown console, another workspace's and another member's private one */
export async function getConsole(caller: Caller, consoleId: ObjectId): Promise<Console> {
  return withOwnStanding(caller, toConsole(await getConsoleDocOrThrow(caller, consoleId)));
}

/** The stored record. @throws AppError not_found */
export async function getConsoleDocOrThrow(caller: Caller, consoleId: ObjectId): Promise<ConsoleDoc> {
  const doc = await collections.consoles().findOne({ _id: consoleId, ...visibleTo(caller) });
  if (!doc) throw noSuchConsole();
  return doc;
}

/** The stored records of these, in any order. @throws AppError not_found when the caller cannot see one of them */
export async function getConsoleDocsOrThrow(caller: Caller, ids: ObjectId[]): Promise<ConsoleDoc[]> {
  if (ids.length === 0) return [];
  const docs = await collections
    .consoles()
    .find({ _id: { $in: ids }, ...visibleTo(caller) })
    .toArray();
  if (docs.length < new Set(ids.map((id) => id.toHexString())).size) throw noSuchConsole();
  return docs;
}

/** Which of these consoles the caller may see; those that were deleted lately, as they were then. */
export async function visibleConsoleIds(caller: Caller, ids: ObjectId[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const filter = { _id: { $in: ids }, ...visibleTo(caller) };
  const found = [
    ...(await collections
      .consoles()
      .find(filter, { projection: { _id: 1 } })
      .toArray()),
    ...(await collections
      .deletedConsoles()
      .find(filter, { projection: { _id: 1 } })
      .toArray()),
  ];
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

/** Who may see a console: every member, or its owner alone, by their id. A lately deleted one as it was. */
export async function findConsoleReaders(
  workspaceId: ObjectId,
  consoleId: ObjectId,
): Promise<"everybody" | "nobody" | ObjectId> {
  const filter = { _id: consoleId, workspaceId };
  const options = { projection: { space: 1, ownerId: 1 } };
  const doc =
    (await collections.consoles().findOne(filter, options)) ??
    (await collections.deletedConsoles().findOne(filter, options));
  if (!doc) return "nobody";
  return accessOf(doc.space) === "private" ? doc.ownerId : "everybody";
}

/**
 * Makes a console, and the first commit of its file.
 * @throws AppError invalid_request, not_found for a folder or connection, conflict when the name is taken
 */
export async function createConsole(caller: Caller, body: CreateConsoleBody): Promise<Console> {
  const { workspaceId, user } = caller;
  const connectionLanguage = await languageOf(caller, body.connectionId);
  const language = body.language ?? connectionLanguage ?? "sql";
  return changeConsoles(caller, async (changes) => {
    const { now } = changes;
    const folder = body.folderId ? await getFolderOrThrow(caller, body.folderId) : null;
    const space = spaceIn(caller, folder, body.access, null);
    const place = await freePlace({ workspaceId, space, folder, name: body.name, language }, null);
    const doc: ConsoleDoc = {
      _id: new ObjectId(),
      workspaceId,
      space,
      ownerId: user._id,
      folderId: folder?._id ?? null,
      connectionId: body.connectionId ? new ObjectId(body.connectionId) : null,
      ...place,
      language,
      content: body.content,
      chart: toChart(body.chart),
      version: 1,
      seq: 0,
      createdAt: now,
      updatedAt: now,
    };
    changes.message = body.message ?? `Create ${doc.path}`;
    await changes.insert(doc);
    return toConsole(doc);
  });
}

/**
 * Saves a console: its text, its chart, its place, its connection, who sees it. A commit, if the file changes.
 * @throws AppError conflict with details {current} for a version that is not the current one, and when the name is
 *   taken; not_found; invalid_request; forbidden for who makes another member's console private
 */
export async function updateConsole(caller: Caller, consoleId: ObjectId, body: UpdateConsoleBody): Promise<Console> {
  await languageOf(caller, body.connectionId);
  const saved = await changeConsoles(caller, async (changes) => {
    const before = await getConsoleDocOrThrow(caller, consoleId);
    const after = await toUpdated(caller, before, body);
    if (before.version !== body.version) throw stale(before);
    const place = await freePlace(after, consoleId);
    const { folder, ...doc } = after;
    const saved: ConsoleDoc = { ...doc, ...place, version: before.version + 1, updatedAt: changes.now };
    changes.message = body.message ?? messageOf(before, saved);
    changes.update(before, saved);
    return toConsole(saved);
  });
  return withOwnStanding(caller, saved);
}

/**
 * Replaces a console's text by an older one, as a save of its own.
 * @param label what the commit's message calls the older version
 */
export async function restoreContent(
  caller: Caller,
  consoleId: ObjectId,
  content: string,
  label: string,
): Promise<Console> {
  const restored = await changeConsoles(caller, async (changes) => {
    const before = await getConsoleDocOrThrow(caller, consoleId);
    const saved = { ...before, content, version: before.version + 1, updatedAt: changes.now };
    changes.message = `Restore ${before.path} to ${label}`;
    changes.update(before, saved);
    return toConsole(saved);
  });
  return withOwnStanding(caller, restored);
}

/** A copy beside the original, of which the caller is the owner. @throws AppError not_found */
export function duplicateConsole(caller: Caller, consoleId: ObjectId): Promise<Console> {
  const { workspaceId, user } = caller;
  return changeConsoles(caller, async (changes) => {
    const { now } = changes;
    const original = await getConsoleDocOrThrow(caller, consoleId);
    const { space, folderId, language } = original;
    const folder = folderId && (await getFolderOrThrow(caller, folderId));
    const beside = [
      ...(await collections
        .consoles()
        .find({ workspaceId, space, folderId }, { projection: { key: 1 } })
        .toArray()),
      ...(await collections
        .consoleFolders()
        .find({ workspaceId, space, parentId: folderId }, { projection: { key: 1 } })
        .toArray()),
    ];
    const taken = new Set(beside.map(({ key }) => key));
    const isFree = (name: string) => !taken.has(consolePathOf(folder?.path ?? null, name, language).key);
    const name = copyName(original.name, isFree);
    const place = await freePlace({ workspaceId, space, folder, name, language }, null);
    const copy = {
      ...original,
      ...place,
      _id: new ObjectId(),
      ownerId: user._id,
      version: 1,
      seq: 0,
      createdAt: now,
      updatedAt: now,
    };
    changes.message = `Duplicate ${original.path} as ${copy.path}`;
    await changes.insert(copy);
    return toConsole(copy);
  });
}

/** Deletes a console: a commit, and for a time something that `undeleteConsole` takes back. @throws AppError not_found */
export function deleteConsole(caller: Caller, consoleId: ObjectId): Promise<void> {
  return changeConsoles(caller, async (changes) => {
    const doc = await getConsoleDocOrThrow(caller, consoleId);
    changes.message = `Delete ${doc.path}`;
    changes.discard(doc);
  });
}

/**
 * Brings a deleted console back with its history: to the folder that is named, else to its old place or, when its
 * folder is gone, to the top level.
 * @throws AppError not_found when it is no deleted console that the caller may see, and for the folder that is named;
 *   invalid_request when that folder has another access; conflict when the name is taken
 */
export async function undeleteConsole(
  caller: Caller,
  consoleId: ObjectId,
  body: UndeleteConsoleBody,
): Promise<Console> {
  const undeleted = await changeConsoles(caller, async (changes) => {
    const found = await collections.deletedConsoles().findOne({ _id: consoleId, ...visibleTo(caller) });
    if (!found) throw new AppError("not_found", "There is no such deleted console in this workspace.");
    const { deletedAt: _, deletedBy: __, ...doc } = found;
    const { workspaceId, space, folderId } = doc;
    const folder = body.folderId
      ? await getFolderOrThrow(caller, body.folderId)
      : body.folderId === undefined && folderId
        ? await collections.consoleFolders().findOne({ _id: folderId, workspaceId, space })
        : null;
    if (folder && folder.space !== space) throw otherAccess(folder);
    const place = await freePlace({ ...doc, folder }, null);
    const back = { ...doc, ...place, folderId: folder?._id ?? null, version: doc.version + 1, updatedAt: changes.now };
    changes.message = `Bring ${back.path} back`;
    await changes.insert(back);
    return toConsole(back);
  });
  return withOwnStanding(caller, undeleted);
}

/** A restored console keeps its access: unlike a move, there is no word for another one. */
function otherAccess({ path, space }: ConsoleFolderDoc): AppError {
  const message =
    accessOf(space) === "workspace"
      ? `The folder “${path}” is shared with the workspace, and the console is not. Choose another folder.`
      : `The folder “${path}” is private, and the console is not. Choose another folder.`;
  return new AppError("invalid_request", message, { details: [{ path: "folderId", message }] });
}

type Updated = Omit<ConsoleDoc, "path" | "file" | "key"> & {
  folder: Awaited<ReturnType<typeof getFolderOrThrow>> | null;
};

/** What the caller asks for, without its place and version. */
async function toUpdated(caller: Caller, before: ConsoleDoc, body: UpdateConsoleBody): Promise<Updated> {
  const changesAccess = body.access !== undefined && body.access !== accessOf(before.space);
  if (changesAccess && body.access === "private" && !before.ownerId.equals(caller.user._id)) {
    throw new AppError("forbidden", "Only the owner of a console can make it private.");
  }
  // A console that changes sides leaves its folder, which stays on the old one.
  const stays = changesAccess ? null : before.folderId;
  const folderId = body.folderId === undefined ? stays : body.folderId;
  const folder = folderId ? await getFolderOrThrow(caller, folderId) : null;
  const { path: _, file: __, key: ___, ...kept } = before;
  return {
    ...kept,
    space: spaceIn(caller, folder, body.access, before.space),
    folderId: folder?._id ?? null,
    folder,
    name: body.name ?? before.name,
    content: body.content ?? before.content,
    chart: body.chart === undefined ? before.chart : toChart(body.chart),
    language: body.language ?? before.language,
    connectionId: body.connectionId === undefined ? before.connectionId : toId(body.connectionId),
  };
}

function messageOf(before: ConsoleDoc, after: ConsoleDoc): string {
  if (before.space !== after.space) {
    return accessOf(after.space) === "workspace" ? `Share ${after.path}` : `Make ${after.path} private`;
  }
  if (before.file === after.file) return `Save ${after.path}`;
  return before.folderId?.toHexString() === after.folderId?.toHexString()
    ? `Rename ${before.path} to ${after.path}`
    : `Move ${before.path} to ${after.path}`;
}

function stale(current: ConsoleDoc): AppError {
  return new AppError("conflict", "Somebody has saved this console since you opened it. Compare, then save again.", {
    details: { current: toConsole(current) },
  });
}

/**
 * The language of what a connection can be asked; null without a connection.
 * @throws AppError not_found for a connection that is not the workspace's, invalid_request for one that only flows read
 */
async function languageOf(caller: Caller, connectionId: string | null | undefined): Promise<Language | null> {
  if (!connectionId) return null;
  const connection = await getConnectionDocOrThrow(caller, new ObjectId(connectionId));
  const { language } = getDriverOrThrow(connection.type);
  if (language) return language;
  throw new AppError("invalid_request", "This source can only be read by flows. Choose a database.", {
    details: [{ path: "connectionId", message: "Not a database." }],
  });
}

function noSuchConsole(): AppError {
  return new AppError("not_found", "There is no such console in this workspace.");
}

function toChart(chart: CreateConsoleBody["chart"]): string | null {
  return chart ? JSON.stringify(chart) : null;
}

function toId(id: string | null): ObjectId | null {
  return id === null ? null : new ObjectId(id);
}
