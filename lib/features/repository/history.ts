import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import type { Page } from "@/lib/platform/http/paging";
import { type Ancestry, ancestryOf } from "./ancestry";
import { collections } from "./collections";
import { type Commit, subjectOf } from "./git-objects";
import { folderChanges, folderLineage, type HistoryChange } from "./lineage";
import { ensureIndexed } from "./main-index";
import type { FileStatus, GitHistoryDoc } from "./model";
import type { Author } from "./new-commit";
import { findCommit } from "./object-store";
import { parseBranch, parseFolder, parsePath } from "./paths";
import { lineageOnMain } from "./positions";
import { findHead, MAIN_BRANCH } from "./refs";
import { historiesOf } from "./side-commits";

/** A file by its permanent id, or by its current path (of a deleted one: its last path). */
export type FileName = { fileId: string; path?: undefined } | { path: string; fileId?: undefined };

export type HistoryItem = { sha: string; author: Author; date: Date; subject: string };
export type FileHistoryItem = HistoryItem & {
  status: FileStatus;
  path: string;
  previousPath: string | null;
  /** Blob before and after; null if there was, or is, no file. */
  before: string | null;
  after: string | null;
  /** The number of the change that the commit belongs to; null if it has none. */
  change: number | null;
};

type PageInput = { repositoryId: ObjectId; branch?: string; cursor?: string; limit?: number };

/** The default for lists (docs/develop/api.md, Common rules). */
const PAGE_ITEMS = 50;

/**
 * Returns the commits that touched a file, newest first, across renames; a new file at an old path has a new history.
 * Empty if the branch never had such a file. All pages use the head of the first one.
 * @throws AppError invalid_request for a cursor that is not ours
 */
export async function historyOf(input: PageInput & FileName): Promise<Page<FileHistoryItem>> {
  const view = await openView(input);
  const lineage = view && (await lineageIn(view, input));
  if (!view || lineage === null) return { items: [], nextCursor: null };
  return readPage(view, input, lineage);
}

/** Returns the commits that touched a folder ("" is the whole repository), newest first. */
export async function folderHistory(input: PageInput & { folder: string }): Promise<Page<HistoryItem>> {
  const lineage = folderLineage(parseFolder(input.folder));
  const view = await openView(input);
  if (!view) return { items: [], nextCursor: null };
  const { items, nextCursor } = await readPage(view, input, lineage);
  return { items: items.map(({ sha, author, date, subject }) => ({ sha, author, date, subject })), nextCursor };
}

/** A branch at one head: its own commits in memory, main below them in the index. */
type View = Ancestry & { repositoryId: ObjectId; histories: Map<string, HistoryChange[]>; below: number };

/** Returns null if the branch does not exist. */
export async function openView(input: PageInput): Promise<View | null> {
  const { repositoryId, branch = MAIN_BRANCH } = input;
  parseBranch(branch);
  const cursor = input.cursor === undefined ? null : parseCursor(input.cursor);
  if (!cursor && branch === MAIN_BRANCH) {
    const tip = await ensureIndexed(repositoryId);
    return tip && { repositoryId, head: tip.oid, tip, side: new Map(), histories: new Map(), below: Infinity };
  }
  const head = cursor?.head ?? (await findHead(repositoryId, branch));
  if (head === null) return null;
  // A head that is not a commit here can only come from a cursor of another repository.
  if (!(await findCommit(repositoryId, head))) throw badHistoryCursor();
  const ancestry = await ancestryOf(repositoryId, head);
  const { histories } = await historiesOf(repositoryId, ancestry.side);
  return { ...ancestry, repositoryId, histories, below: cursor?.below ?? Infinity };
}

/** Returns the file's id in the index; null if the view has no such file. */
export async function lineageIn(view: View, name: FileName): Promise<string | null> {
  if (name.fileId !== undefined) return name.fileId;
  const path = parsePath(name.path);
  const side = [...view.histories.values()].flat();
  const entry = side.findLast((change) => change.path === path);
  if (entry) return entry.lineage;
  return view.tip && lineageOnMain(view.repositoryId, view.tip.seq, path);
}

/** Returns the change of a commit to one file; null if it did not touch it. */
export function findChange(changes: HistoryChange[], lineage: string): HistoryChange | null {
  const own = changes.filter((change) => change.lineage === lineage);
  return own.find(({ status }) => status !== "deleted") ?? own[0] ?? null;
}

/**
 * Positions count from main's first commit to the tip and on through the side, so they decrease from page to page.
 */
async function readPage(
  view: View,
  { limit = PAGE_ITEMS }: PageInput,
  lineage: string,
): Promise<Page<FileHistoryItem>> {
  const { repositoryId } = view;
  const tip = view.tip?.seq ?? 0;
  const found: { at: number; item: FileHistoryItem }[] = [];
  const side = [...view.side].map(([oid, commit], index) => ({ oid, commit, at: tip + 1 + index }));
  for (const { oid, commit, at } of side.reverse()) {
    if (at >= view.below || found.length > limit) continue;
    const changes = view.histories.get(oid) ?? [];
    const change = findChange([...changes, ...folderChanges(changes)], lineage);
    if (change) found.push({ at, item: toItem(commitFacts(oid, commit), change) });
  }
  if (found.length <= limit) {
    const docs = await collections
      .gitHistory()
      .find({ workspaceId: repositoryId, lineage, seq: { $lt: Math.min(view.below, tip + 1) } })
      .sort({ seq: -1 })
      .limit(limit + 1 - found.length)
      .toArray();
    found.push(...docs.map((doc) => ({ at: doc.seq, item: toItem(doc, doc) })));
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    items: page.map(({ item }) => item),
    nextCursor: hasMore ? formatCursor({ head: view.head, below: last.at }) : null,
  };
}

type CommitFacts = Pick<GitHistoryDoc, "oid" | "author" | "date" | "subject" | "change">;

function commitFacts(oid: string, { author, message, change }: Commit): CommitFacts {
  return {
    oid,
    author: { name: author.name, email: author.email },
    date: new Date(author.seconds * 1000),
    subject: subjectOf(message),
    ...(change !== null && { change }),
  };
}

function toItem(
  { oid, author, date, subject, change }: CommitFacts,
  { status, path, previousPath, before, after }: Omit<HistoryChange, "lineage">,
): FileHistoryItem {
  return {
    sha: oid,
    author: { name: author.name, email: author.email },
    date,
    subject,
    status,
    path,
    previousPath,
    before,
    after,
    change: change ?? null,
  };
}

type Cursor = { head: string; below: number };

function formatCursor({ head, below }: Cursor): string {
  return Buffer.from(`${head}.${below}`).toString("base64url");
}

/** @throws AppError invalid_request for a text that is not a history cursor */
export function requireHistoryCursor(text: string): void {
  parseCursor(text);
}

function parseCursor(text: string): Cursor {
  const [, head, below] = /^([0-9a-f]{40})\.(\d{1,15})$/.exec(Buffer.from(text, "base64url").toString("latin1")) ?? [];
  if (head === undefined || below === undefined) throw badHistoryCursor();
  const cursor = { head, below: Number(below) };
  // Base64 has several spellings of one text; only ours is valid.
  if (formatCursor(cursor) !== text) throw badHistoryCursor();
  return cursor;
}

/** Returns the error for a cursor that is not from this list. */
export function badHistoryCursor(): AppError {
  return new AppError("invalid_request", "Invalid cursor. Start from the first page.", {
    details: [{ path: "cursor", message: "Invalid cursor." }],
  });
}
