import "server-only";
import type { ObjectId } from "mongodb";
import {
  badHistoryCursor,
  type CommitChange,
  changeOf,
  countLinesOf,
  historyOf,
  requireHistoryCursor,
} from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { Page } from "@/lib/platform/http/paging";
import type { ListQuery } from "@/lib/platform/http/schema";
import { settle } from "./change-items";
import type { ItemKind } from "./item-kind";
import { mergeHistories, windowFor } from "./merge-histories";
import { getItemOrThrow } from "./placement";
import { repositoriesOf } from "./repositories";
import type { FileCommit, HistoryItem } from "./schema";

/** Number of digits in a short commit id (docs/develop/api.md: at least 7). */
const SHORT_SHA = 7;

/**
 * Lists the commits of an item, newest first, across renames. The owner of an item that moved between private and
 * shared also sees the commits from the other side, in the order of their changes.
 * @throws AppError not_found; invalid_request for a foreign cursor
 */
export async function listHistory(
  caller: Caller,
  itemKind: ItemKind,
  id: ObjectId,
  query: ListQuery,
): Promise<Page<HistoryItem>> {
  // Check the cursor before the item: errors in the request come first (docs/develop/api.md, Common rules).
  const cursors = parseCursors(query.cursor);
  const doc = await getItemOrThrow(caller, itemKind, id);
  await settle(caller.workspaceId);
  const [present, other] = await repositoriesOf(caller, doc);
  const fileId = id.toHexString();
  const { limit } = query;
  const read = async (repositoryId: ObjectId | undefined, cursor: string | null, count: number) => {
    if (repositoryId === undefined || cursor === END) return { items: [], nextCursor: null };
    const page = await historyOf({ repositoryId, fileId, limit: count, ...(cursor !== null && { cursor }) });
    return { ...page, items: page.items.map((item) => ({ ...item, repositoryId })) };
  };
  const reach = other === undefined ? limit : windowFor(limit);
  const [a, b] = [await read(present, cursors[0], reach), await read(other, cursors[1], reach)];
  const { items, taken } = mergeHistories(a.items, b.items, limit);
  const after = async (page: typeof a, at: 0 | 1): Promise<string | null> => {
    if (taken[at] === page.items.length) return page.nextCursor ?? END;
    if (taken[at] === 0) return cursors[at];
    return (await read(at === 0 ? present : other, cursors[at], taken[at])).nextCursor;
  };
  const next: Cursors = [await after(a, 0), await after(b, 1)];
  const counts = await countLinesOf(items, itemKind.contentIn);
  return {
    items: items.map(({ sha, author, date, subject }, i) => ({
      sha,
      author,
      date: date.toISOString(),
      subject,
      additions: counts[i]?.additions ?? null,
      deletions: counts[i]?.deletions ?? null,
    })),
    nextCursor: next.every((cursor) => cursor === END) ? null : formatCursors(next),
  };
}

/**
 * Returns the changes of one commit to the item, without other files.
 * @param sha 7..40 hex digits, matched against the item's own commits
 * @throws AppError invalid_request (malformed sha), not_found (unknown, or it did not touch the item), conflict
 * (ambiguous)
 */
export async function getCommit(caller: Caller, itemKind: ItemKind, id: ObjectId, sha: string): Promise<FileCommit> {
  const { parents, author, date, message, files, ...commit } = await findCommit(caller, itemKind, id, sha);
  return {
    sha: commit.sha,
    parents,
    author,
    date: date.toISOString(),
    message,
    files: files.map(({ path, status, before, after, additions, deletions, patch }) => ({
      path,
      status,
      before,
      after,
      additions,
      deletions,
      patch,
    })),
  };
}

/**
 * Returns the item's text after a commit, and the name of that version for a commit message.
 * @throws AppError as `getCommit`; not_found for a commit that left no text
 */
export async function contentAt(
  caller: Caller,
  itemKind: ItemKind,
  id: ObjectId,
  sha: string,
): Promise<{ content: string; label: string }> {
  const commit = await findCommit(caller, itemKind, id, sha);
  const content = commit.files[0]?.after;
  if (typeof content !== "string") {
    throw new AppError("not_found", `The ${itemKind.noun} is empty in this commit. Choose an earlier one.`);
  }
  return { content: itemKind.contentIn(content), label: commit.sha.slice(0, SHORT_SHA) };
}

async function findCommit(caller: Caller, itemKind: ItemKind, id: ObjectId, sha: string): Promise<CommitChange> {
  const doc = await getItemOrThrow(caller, itemKind, id);
  await settle(caller.workspaceId);
  const found: CommitChange[] = [];
  for (const repositoryId of await repositoriesOf(caller, doc)) {
    try {
      found.push(await changeOf({ repositoryId, fileId: id.toHexString(), sha, contentIn: itemKind.contentIn }));
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    }
  }
  const [commit, another] = found;
  if (!commit) throw new AppError("not_found", `Commit not found for this ${itemKind.noun}.`);
  if (another) throw new AppError("conflict", "The SHA prefix is ambiguous. Use more digits.");
  return commit;
}

/** One cursor per repository; null is its start. */
type Cursors = [string | null, string | null];
const END = "end";

function formatCursors(cursors: Cursors): string {
  return cursors.map((cursor) => cursor ?? "").join(".");
}

function parseCursors(text: string | undefined): Cursors {
  if (text === undefined) return [null, null];
  const [a, b, ...more] = text.split(".");
  if (a === undefined || b === undefined || more.length > 0) throw badHistoryCursor();
  for (const cursor of [a, b]) if (cursor !== "" && cursor !== END) requireHistoryCursor(cursor);
  return [a || null, b || null];
}
