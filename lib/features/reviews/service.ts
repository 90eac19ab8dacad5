import "server-only";
import type { ObjectId } from "mongodb";
import { itemKinds } from "@/lib/features/folders/item-kind";
import { landPush } from "@/lib/features/folders/land-push";
import { judgeStored } from "@/lib/features/repository/git/judge-files";
import {
  type ChangedBlobs,
  changesBetween,
  commitInfoOf,
  countBetween,
  diffFile,
  findBranchHead,
  findConflicts,
  findHead,
  findMergeBase,
  type Head,
  isReviewBranch,
  listHeadsIn,
  MAIN_BRANCH,
  mergeCommits,
  REVIEW_FOLDER,
  removeHead,
  sizesOf,
  untilWon,
} from "@/lib/features/repository/service";
import { findUserNames } from "@/lib/features/users/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { badCursor, type Page, withExtra } from "@/lib/platform/http/paging";
import type { ListQuery } from "@/lib/platform/http/schema";
import type { MergedReview, Review, ReviewDetail, ReviewFile } from "./schema";

/** Maximum number of files with their texts: more are not read, and a page of them stays usable. */
const FILES_SHOWN_MAX = 300;
/** Total size of the shown texts: larger ones would block the event loop while they are compared. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;

/** Start of a cursor, which ends in the last name of its page. */
const CURSOR = "review.";

/** Lists the review branches by name. @throws AppError invalid_request for a cursor */
export async function listReviews({ workspaceId }: Caller, query: ListQuery): Promise<Page<Review>> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? {} : { after: toBranch(cursor) };
  const heads = await listHeadsIn(workspaceId, REVIEW_FOLDER, { ...after, limit: withExtra(limit) });
  const shown = heads.slice(0, limit);
  const main = await findHead(workspaceId, MAIN_BRANCH);
  const names = await namesOf(shown);
  const items: Review[] = [];
  for (const head of shown) items.push((await readReview(workspaceId, head, main, names)).review);
  const last = items.at(-1);
  return { items, nextCursor: heads.length > limit && last ? `${CURSOR}${last.name}` : null };
}

/** @throws AppError invalid_request */
function toBranch(cursor: string): string {
  const branch = `${REVIEW_FOLDER}${cursor.slice(CURSOR.length)}`;
  if (!cursor.startsWith(CURSOR) || !isReviewBranch(branch)) throw badCursor();
  return branch;
}

/**
 * Returns a review with its changes since it left main.
 * @throws AppError not_found
 */
export async function getReview(caller: Caller, name: string): Promise<ReviewDetail> {
  const { workspaceId } = caller;
  const head = await findReviewOrThrow(workspaceId, name);
  const main = await findHead(workspaceId, MAIN_BRANCH);
  const { review, base, changes } = await readReview(workspaceId, head, main, await namesOf([head]));
  const isOpen = review.ahead > 0;
  const conflicts = isOpen && main !== null ? await conflictsOf(workspaceId, main, head.oid) : [];
  return {
    ...review,
    base,
    mayMerge: !head.pullRequest && isAtLeast(caller.role, "admin"),
    mayDelete: mayDelete(caller, head),
    conflicts: conflicts.map((path) => ({ path })),
    changes: await toFiles(workspaceId, changes.slice(0, FILES_SHOWN_MAX)),
  };
}

/**
 * Merges a review into main by the operation that a push is, so that consoles and dashboards change. Merging it again
 * changes nothing.
 * @param sha the head that the caller has seen
 * @throws AppError not_found; conflict for another head, for files that main changed differently, and for a result that
 * a push could not have
 */
export async function mergeReview(caller: Caller, name: string, sha: string): Promise<MergedReview> {
  const { workspaceId, user } = caller;
  return untilWon(async () => {
    const head = await findReviewOrThrow(workspaceId, name);
    if (head.pullRequest) throw atHost("Merge");
    if (head.oid !== sha) throw moved();
    const main = await findHead(workspaceId, MAIN_BRANCH);
    const merge =
      main === null
        ? ({ merged: true, sha, kind: "fast-forward" } as const)
        : await mergeCommits(workspaceId, {
            from: sha,
            into: main,
            isMain: true,
            author: user,
            message: `Merge branch '${head.name}'`,
            now: new Date(),
          });
    if (!merge.merged) {
      throw new AppError("conflict", "Main changed the same lines. Merge main into the branch, then push it.", {
        details: merge.conflicts.map(({ path }) => ({ path, message: "Changed on both sides." })),
      });
    }
    if (merge.kind === "up-to-date") return { sha: merge.sha, kind: merge.kind };
    try {
      await judgeStored(workspaceId, main, merge.sha);
      return (await landPush(caller, main, merge.sha)) ? { sha: merge.sha, kind: merge.kind } : null;
    } catch (error) {
      // The request is valid; the merged files are not.
      if (!(error instanceof AppError) || error.kind !== "invalid_request") throw error;
      throw new AppError("conflict", error.message, { cause: error });
    }
  });
}

/** Deletes a review branch. @throws AppError not_found, forbidden, conflict if it has moved */
export async function deleteReview(caller: Caller, name: string): Promise<void> {
  const { workspaceId } = caller;
  const head = await findReviewOrThrow(workspaceId, name);
  if (head.pullRequest) throw atHost("Close");
  if (!mayDelete(caller, head)) {
    throw new AppError("forbidden", "Only owners, admins and its creator can delete a review.");
  }
  if (!(await removeHead(workspaceId, head.name, head.oid))) throw moved();
}

/** Returns a review branch. @throws AppError not_found */
export async function findReviewOrThrow(workspaceId: ObjectId, name: string): Promise<Head> {
  const branch = `${REVIEW_FOLDER}${name}`;
  const head = isReviewBranch(branch) ? await findBranchHead(workspaceId, branch) : null;
  if (!head) throw new AppError("not_found", "Review not found.");
  return head;
}

/** Returns what a review changes: the files that differ from the last commit that it has in common with main. */
export async function changesOf(
  workspaceId: ObjectId,
  head: Head,
  main: string | null,
): Promise<{ base: string | null; changes: ChangedBlobs[] }> {
  const base = main === null ? null : await findMergeBase(workspaceId, main, head.oid);
  return { base, changes: await changesBetween(workspaceId, base, head.oid) };
}

/** Returns the paths that main changed differently, or that have the same name as another file on some systems. */
async function conflictsOf(workspaceId: ObjectId, main: string, head: string): Promise<string[]> {
  try {
    return (await findConflicts(workspaceId, main, head)).map(({ path }) => path);
  } catch (error) {
    const { path } = error instanceof AppError && error.kind === "conflict" ? { path: "", ...error.details } : {};
    if (typeof path !== "string") throw error;
    return [path];
  }
}

async function readReview(
  workspaceId: ObjectId,
  head: Head,
  main: string | null,
  names: ReadonlyMap<string, string>,
): Promise<{ review: Review; base: string | null; changes: ChangedBlobs[] }> {
  const { base, changes } = await changesOf(workspaceId, head, main);
  const { subject, author } = await commitInfoOf(workspaceId, head.oid);
  const apart = main === null ? { ahead: 1, behind: 0 } : await countBetween(workspaceId, head.oid, main);
  const id = head.createdBy?.toHexString();
  const creator = id === undefined ? undefined : names.get(id);
  const review = {
    name: head.name.slice(REVIEW_FOLDER.length),
    sha: head.oid,
    subject,
    author,
    creator: id === undefined || creator === undefined ? null : { id, name: creator },
    pullRequest: head.pullRequest,
    updatedAt: head.updatedAt.toISOString(),
    ...apart,
    files: changes.length,
  };
  return { review, base, changes };
}

async function toFiles(workspaceId: ObjectId, changes: readonly ChangedBlobs[]): Promise<ReviewFile[]> {
  const oids = changes.flatMap(({ before, after }) => [before, after].filter((oid) => oid !== null));
  const sizes = await sizesOf(workspaceId, oids);
  const files: ReviewFile[] = [];
  let bytes = 0;
  for (const change of changes) {
    const { path, previousPath, status, before, after } = change;
    bytes += (sizes.get(before ?? "") ?? 0) + (sizes.get(after ?? "") ?? 0);
    const common = { path, previousPath, status, kind: compareKindOf(path) };
    if (bytes <= TEXT_BYTES_MAX) files.push({ ...(await diffFile(workspaceId, change)), ...common });
    else {
      const unread = { before: null, after: null, additions: null, deletions: null, patch: null };
      files.push({ ...common, ...unread, isBinary: false });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns how a review compares the file at a path: only consoles and dashboards have rows. */
export function compareKindOf(path: string): ReviewFile["kind"] {
  const noun = itemKinds().find(({ root }) => path.startsWith(`${root}/`))?.noun;
  return noun === "console" || noun === "dashboard" ? noun : "other";
}

async function namesOf(heads: readonly Head[]): Promise<Map<string, string>> {
  const ids = heads.flatMap(({ createdBy }) => createdBy ?? []);
  return new Map((await findUserNames(ids)).map(({ _id, name }) => [_id.toHexString(), name]));
}

function mayDelete({ role, user }: Caller, { createdBy, pullRequest }: Head): boolean {
  if (pullRequest) return false;
  return isAtLeast(role, "admin") || (createdBy?.equals(user._id) ?? false);
}

/** @param verb what happens to the pull request there */
function atHost(verb: string): AppError {
  return new AppError("conflict", `This review follows a pull request. ${verb} it on GitHub.`);
}

function moved(): AppError {
  return new AppError("conflict", "Someone else changed this review. Reload it.");
}
