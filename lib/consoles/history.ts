import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { AppError } from "@/lib/http/errors";
import type { Page } from "@/lib/http/paging";
import type { ListQuery } from "@/lib/http/schema";
import {
  badHistoryCursor,
  type CommitChange,
  changeOf,
  historyOf,
  requireHistoryCursor,
} from "@/lib/repository/service";
import { settle } from "./journal";
import { mergeHistories, windowFor } from "./merge-histories";
import { repositoriesOf } from "./repositories";
import type { Console, ConsoleCommit, HistoryItem } from "./schema";
import { getConsoleDocOrThrow, restoreContent } from "./service";

/** As many digits of a commit's id as people read (docs/api.md, Consoles: 7 at the least). */
const SHORT_SHA = 7;

/**
 * A console's commits, newest first, through its renames. The owner of a console that has changed between private and
 * shared also sees the commits of the other time, in the order of their changes.
 * @throws AppError not_found; invalid_request for a cursor that is not ours
 */
export async function listHistory(caller: Caller, consoleId: ObjectId, query: ListQuery): Promise<Page<HistoryItem>> {
  // Before the console is looked for: what is wrong with the request is told first (docs/api.md, Common rules).
  const cursors = parseCursors(query.cursor);
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  await settle(caller.workspaceId);
  const [present, other] = await repositoriesOf(caller, doc);
  const fileId = consoleId.toHexString();
  const { limit } = query;
  const read = (repositoryId: ObjectId | undefined, cursor: string | null, count: number) =>
    repositoryId === undefined || cursor === END
      ? Promise.resolve({ items: [], nextCursor: null })
      : historyOf({ repositoryId, fileId, limit: count, ...(cursor !== null && { cursor }) });
  const reach = other === undefined ? limit : windowFor(limit);
  const [a, b] = [await read(present, cursors[0], reach), await read(other, cursors[1], reach)];
  const { items, taken } = mergeHistories(a.items, b.items, limit);
  const after = async (page: typeof a, at: 0 | 1): Promise<string | null> => {
    if (taken[at] === page.items.length) return page.nextCursor ?? END;
    if (taken[at] === 0) return cursors[at];
    return (await read(at === 0 ? present : other, cursors[at], taken[at])).nextCursor;
  };
  const next: Cursors = [await after(a, 0), await after(b, 1)];
  return {
    items: items.map(({ sha, author, date, subject }) => ({ sha, author, date: date.toISOString(), subject })),
    nextCursor: next.every((cursor) => cursor === END) ? null : formatCursors(next),
  };
}

/**
 * What one commit did to a console, and nothing of other files.
 * @param sha 7..40 hex digits, told apart among the commits of this console
 * @throws AppError invalid_request (malformed sha), not_found (unknown, or it did not touch the console), conflict
 *   (several fit)
 */
export async function getCommit(caller: Caller, consoleId: ObjectId, sha: string): Promise<ConsoleCommit> {
  const { parents, author, date, message, files, ...commit } = await findCommit(caller, consoleId, sha);
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
 * Gives a console the text that it had after a commit, as a new commit.
 * @throws AppError as `getCommit`; not_found for a commit that left no text
 */
export async function restoreVersion(caller: Caller, consoleId: ObjectId, sha: string): Promise<Console> {
  const commit = await findCommit(caller, consoleId, sha);
  const content = commit.files[0]?.after;
  if (typeof content !== "string") {
    throw new AppError("not_found", "This commit left no text of the console. Choose the one before it.");
  }
  return restoreContent(caller, consoleId, content, commit.sha.slice(0, SHORT_SHA));
}

async function findCommit(caller: Caller, consoleId: ObjectId, sha: string): Promise<CommitChange> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  await settle(caller.workspaceId);
  const found: CommitChange[] = [];
  for (const repositoryId of await repositoriesOf(caller, doc)) {
    try {
      found.push(await changeOf({ repositoryId, fileId: consoleId.toHexString(), sha }));
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    }
  }
  const [commit, another] = found;
  if (!commit) throw new AppError("not_found", "This console has no such commit.");
  if (another) throw new AppError("conflict", "Several commits begin with these digits. Give more of them.");
  return commit;
}

/** One cursor a repository; null is its start. */
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
