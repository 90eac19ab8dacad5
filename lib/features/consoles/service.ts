import "server-only";
import { ObjectId } from "mongodb";
import { findSpecProblems } from "@/lib/base/charts/spec-rules";
import { getConnectionDocOrThrow, getDriverOrThrow } from "@/lib/features/connections/service";
import { bringBack } from "@/lib/features/folders/bring-back";
import { changeItems } from "@/lib/features/folders/change-items";
import { lookUpItems } from "@/lib/features/folders/lookup";
import { visibleTo } from "@/lib/features/folders/model";
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
import type { Caller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { ENDINGS } from "./browser/languages";
import { collections } from "./collections";
import { CONSOLES } from "./item-kind";
import { type ConsoleDoc, toConsole, toConsoleSummary } from "./model";
import { toStoredQuestion } from "./question";
import { withOwnRunStatus, withRunStatus } from "./run-status";
import type {
  Console,
  ConsoleSummary,
  CreateConsoleBody,
  Language,
  UndeleteConsoleBody,
  UpdateConsoleBody,
} from "./schema";

/** Fields that summaries omit: texts may be large. */
export const SUMMARY = {
  content: 0,
  chart: 0,
  variables: 0,
  choices: 0,
  expect: 0,
  question: 0,
  searchKeys: 0,
  textKeys: 0,
} as const;

/** Lists the consoles that the caller can see, without texts, charts and values, in order of creation. */
export async function listConsoles(
  caller: Caller,
  { connectionId, ...page }: PageRequest & { connectionId?: string },
): Promise<Page<ConsoleSummary>> {
  const order = { order: "oldest", projection: SUMMARY } as const;
  const filter = { ...visibleTo(caller), ...(connectionId && { connectionId: new ObjectId(connectionId) }) };
  const found = await findPage(collections.consoles(), filter, page, order, toConsoleSummary);
  return { ...found, items: await withRunStatus(caller, found.items) };
}

/** Counts the consoles on a connection that the caller can see. @param max stops the count */
export function countConsolesOn(caller: Caller, connectionId: ObjectId, max: number): Promise<number> {
  return collections.consoles().countDocuments({ ...visibleTo(caller), connectionId }, { limit: max });
}

/** Returns one page of a folder. @throws AppError as `readTreePage` */
export function readConsoleTree(caller: Caller, query: TreeQuery): Promise<TreePage<ConsoleSummary>> {
  return readTreePage(caller, CONSOLES, query, listed(caller));
}

/** Returns the consoles with the given ids, or those saved last. */
export function lookUpConsoles(caller: Caller, query: LookupQuery): Promise<ConsoleSummary[]> {
  return lookUpItems(caller, CONSOLES, query, listed(caller));
}

function listed(caller: Caller) {
  return {
    projection: SUMMARY,
    toItems: (docs: ConsoleDoc[]) => withRunStatus(caller, docs.map(toConsoleSummary)),
  } as const;
}

/** @throws AppError not_found, the same for an unknown console, another workspace's and another member's private one */
export async function getConsole(caller: Caller, consoleId: ObjectId): Promise<Console> {
  return withOwnRunStatus(caller, toConsole(await getConsoleDocOrThrow(caller, consoleId)));
}

/** Returns the stored document. @throws AppError not_found */
export async function getConsoleDocOrThrow(caller: Caller, consoleId: ObjectId): Promise<ConsoleDoc> {
  const doc = await collections.consoles().findOne({ _id: consoleId, ...visibleTo(caller) });
  if (!doc) throw noSuch(CONSOLES);
  return doc;
}

/** Returns the stored documents, in any order. @throws AppError not_found when the caller cannot see one of them */
export async function getConsoleDocsOrThrow(caller: Caller, ids: ObjectId[]): Promise<ConsoleDoc[]> {
  if (ids.length === 0) return [];
  const docs = await collections
    .consoles()
    .find({ _id: { $in: ids }, ...visibleTo(caller) })
    .toArray();
  if (docs.length < new Set(ids.map((id) => id.toHexString())).size) throw noSuch(CONSOLES);
  return docs;
}

/** Returns the ids of the workspace's consoles on a connection, including other members' private ones. */
export async function consoleIdsOn({ workspaceId }: Caller, connectionId: ObjectId): Promise<ObjectId[]> {
  const docs = await collections
    .consoles()
    .find({ workspaceId, connectionId }, { projection: { _id: 1 } })
    .toArray();
  return docs.map(({ _id }) => _id);
}

/** Returns which of these consoles the caller can see. Recently deleted ones count as they last were. */
export function visibleConsoleIds(caller: Caller, ids: ObjectId[]): Promise<Set<string>> {
  return visibleIdsOf(CONSOLES, caller, ids);
}

/**
 * Returns the readers of a console: every member, or the id of its only owner. A recently deleted one counts as it last
 * was.
 */
export function findConsoleReaders(
  workspaceId: ObjectId,
  consoleId: ObjectId,
): Promise<"everybody" | "nobody" | ObjectId> {
  return readersOf(CONSOLES, workspaceId, consoleId);
}

/**
 * Creates a console and the first commit of its file.
 * @throws AppError invalid_request, not_found for a folder or connection, conflict when the name is taken
 */
export async function createConsole(caller: Caller, body: CreateConsoleBody): Promise<Console> {
  const { workspaceId, user } = caller;
  const connectionLanguage = await languageOf(caller, body.connectionId);
  const language = body.language ?? connectionLanguage ?? "sql";
  return changeItems(caller, CONSOLES, async (changes) => {
    const { now } = changes;
    const folder = body.folderId ? await getFolderOrThrow(caller, CONSOLES, body.folderId) : null;
    const space = spaceIn(caller, folder, body.access, null);
    const place = await freePlace(
      CONSOLES,
      { workspaceId, space, folder, name: body.name, ending: ENDINGS[language] },
      null,
    );
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
      description: body.description ?? "",
      variables: body.variables ?? {},
      choices: body.choices ?? {},
      expect: body.expect ?? null,
      question: toStoredQuestion(body.question ?? null, body.content),
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
 * Saves a console: text, chart, folder, connection, access. Makes a commit if the file changes.
 * @throws AppError conflict with details {current} for a version that is not the current one, and when the name is
 * taken; not_found; invalid_request; forbidden for making another member's console private
 */
export async function updateConsole(caller: Caller, consoleId: ObjectId, body: UpdateConsoleBody): Promise<Console> {
  await languageOf(caller, body.connectionId);
  const saved = await changeItems(caller, CONSOLES, async (changes) => {
    const before = await getConsoleDocOrThrow(caller, consoleId);
    const after = await toUpdated(caller, before, body);
    if (before.version !== body.version) throw stale(CONSOLES, toConsole(before));
    const place = await freePlace(
      CONSOLES,
      { ...after, known: before.name, ending: ENDINGS[after.language] },
      consoleId,
    );
    const { folder, ...doc } = after;
    const saved: ConsoleDoc = { ...doc, ...place, version: before.version + 1, updatedAt: changes.now };
    changes.message = body.message ?? saveMessage(before, saved);
    changes.update(before, saved);
    return toConsole(saved);
  });
  return withOwnRunStatus(caller, saved);
}

/**
 * Replaces a console's text by an older one, as a separate save.
 * @param label name of the older version in the commit message
 */
export async function restoreContent(
  caller: Caller,
  consoleId: ObjectId,
  content: string,
  label: string,
): Promise<Console> {
  const restored = await changeItems(caller, CONSOLES, async (changes) => {
    const before = await getConsoleDocOrThrow(caller, consoleId);
    const saved = { ...before, content, version: before.version + 1, updatedAt: changes.now };
    changes.message = `Restore ${before.path} to ${label}`;
    changes.update(before, saved);
    return toConsole(saved);
  });
  return withOwnRunStatus(caller, restored);
}

/** Creates a copy beside the original, owned by the caller. @throws AppError not_found */
export function duplicateConsole(caller: Caller, consoleId: ObjectId): Promise<Console> {
  const { workspaceId, user } = caller;
  return changeItems(caller, CONSOLES, async (changes) => {
    const { now } = changes;
    const original = await getConsoleDocOrThrow(caller, consoleId);
    const { space, folderId, language } = original;
    const folder = folderId && (await getFolderOrThrow(caller, CONSOLES, folderId));
    const ending = ENDINGS[language];
    const taken = await keysIn(CONSOLES, { workspaceId, space, folderId });
    const isFree = (name: string) => !taken.has(placeOf(CONSOLES.root, folder?.path ?? null, name, ending).key);
    const name = copyName(original.name, Object.values(ENDINGS), isFree);
    const place = await freePlace(CONSOLES, { workspaceId, space, folder, name, ending }, null);
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

/** Deletes a console with a commit. For a time, `undeleteConsole` can restore it. @throws AppError not_found */
export function deleteConsole(caller: Caller, consoleId: ObjectId): Promise<void> {
  return changeItems(caller, CONSOLES, async (changes) => {
    const doc = await getConsoleDocOrThrow(caller, consoleId);
    changes.message = `Delete ${doc.path}`;
    changes.discard(doc);
  });
}

/** Restores a deleted console with its history (`bringBack`). @throws AppError as `bringBack` */
export async function undeleteConsole(
  caller: Caller,
  consoleId: ObjectId,
  { folderId }: UndeleteConsoleBody,
): Promise<Console> {
  const doc = (await bringBack(caller, CONSOLES, consoleId, folderId)) as ConsoleDoc;
  return withOwnRunStatus(caller, toConsole(doc));
}

type Updated = Omit<ConsoleDoc, "path" | "file" | "key"> & {
  folder: Awaited<ReturnType<typeof getFolderOrThrow>> | null;
};

/** Returns the requested content, without path and version. */
async function toUpdated(caller: Caller, before: ConsoleDoc, body: UpdateConsoleBody): Promise<Updated> {
  const { space, folder } = await placeAsked(caller, CONSOLES, before, body);
  const { path: _, file: __, key: ___, ...kept } = before;
  const content = body.content ?? before.content;
  return {
    ...kept,
    space,
    folderId: folder?._id ?? null,
    folder,
    name: body.name ?? before.name,
    content,
    chart: body.chart === undefined ? before.chart : toChart(body.chart, before.chart),
    description: (body.description === undefined ? before.description : body.description) ?? "",
    variables: (body.variables === undefined ? before.variables : body.variables) ?? {},
    choices: (body.choices === undefined ? before.choices : body.choices) ?? {},
    expect: (body.expect === undefined ? before.expect : body.expect) ?? null,
    question: body.question === undefined ? (before.question ?? null) : toStoredQuestion(body.question, content),
    language: body.language ?? before.language,
    connectionId: body.connectionId === undefined ? before.connectionId : toId(body.connectionId),
  };
}

/**
 * Returns the query language of a connection; null without a connection.
 * @throws AppError not_found for a connection of another workspace, invalid_request for one that only flows read
 */
async function languageOf(caller: Caller, connectionId: string | null | undefined): Promise<Language | null> {
  if (!connectionId) return null;
  const connection = await getConnectionDocOrThrow(caller, new ObjectId(connectionId));
  const { language } = getDriverOrThrow(connection.type);
  if (language) return language;
  throw new AppError("invalid_request", "This source works only in flows. Choose a database.", {
    details: [{ path: "connectionId", message: "Not a database." }],
  });
}

/** @throws AppError invalid_request for an invalid chart specification, naming each place */
function toChart(chart: CreateConsoleBody["chart"], before: string | null = null): string | null {
  if (!chart) return null;
  const text = JSON.stringify(chart);
  // A specification that is stored already is not rejected again.
  const problems = text === before ? [] : findSpecProblems(chart);
  if (problems.length === 0) return text;
  const details = problems.map(({ path, message }) => ({ path: path === "" ? "chart" : `chart.${path}`, message }));
  throw new AppError("invalid_request", problems[0]?.message ?? "", { details });
}

function toId(id: string | null): ObjectId | null {
  return id === null ? null : new ObjectId(id);
}
