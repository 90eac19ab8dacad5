import "server-only";
import type { Filter, ObjectId } from "mongodb";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { publish } from "@/lib/platform/events/publish";
import { collections } from "./collections";
import type { GitRefDoc, Main, OpenChange, PullRequestRef } from "./model";

/** The main branch. It cannot be deleted and never moves back. */
export const MAIN_BRANCH = "main";
/** Folder of the branches that a workspace reviews before they are merged. Every member can read them. */
export const REVIEW_FOLDER = "review/";

/** Returns the head commit of a branch; null if the branch does not exist. */
export async function findHead(repositoryId: ObjectId, branch: string): Promise<string | null> {
  const doc = await collections
    .gitRefs()
    .findOne({ workspaceId: repositoryId, ref: toRef(branch) }, { projection: { oid: 1 } });
  return doc?.oid ?? null;
}

/**
 * Moves a branch by compare-and-set, so that exactly one of several concurrent writers wins.
 * @param expected the branch's current head; null if it must not exist yet
 * @returns false if the head differs: nothing was changed
 */
export async function moveHead(
  repositoryId: ObjectId,
  branch: string,
  expected: string | null,
  oid: string,
): Promise<boolean> {
  const filter = { workspaceId: repositoryId, ref: toRef(branch), oid: expected };
  const isMoved = await setRef(filter, { oid }, expected === null);
  if (isMoved) publishReview(repositoryId, branch);
  return isMoved;
}

/** Returns main with its open change, if any. */
export async function readMain(repositoryId: ObjectId): Promise<Main> {
  const doc = await collections.gitRefs().findOne({ workspaceId: repositoryId, ref: toRef(MAIN_BRANCH) });
  return { oid: doc?.oid ?? null, seq: doc?.seq ?? 0, open: doc?.open ?? null };
}

/**
 * Moves main and opens a change in one write, so that the change counts exactly if the branch has moved. Until it is
 * closed, no other one can be opened.
 * @param main main as it was when the change was decided
 * @param oid the new head; the old one if no file changes
 * @returns false if main is not in that state any more: nothing was changed
 */
export function openChange(repositoryId: ObjectId, main: Main, oid: string | null, open: OpenChange): Promise<boolean> {
  const filter = {
    workspaceId: repositoryId,
    ref: toRef(MAIN_BRANCH),
    oid: main.oid,
    seq: main.seq === 0 ? { $exists: false } : main.seq,
    open: { $exists: false },
  };
  return setRef(filter, { oid, seq: main.seq + 1, open }, main.oid === null && main.seq === 0);
}

/** Returns the repositories with a change that was opened before a time, at most `limit`. */
export async function findOpenChanges(openedBefore: Date, limit: number): Promise<ObjectId[]> {
  const docs = await collections
    .gitRefs()
    .find({ "open.at": { $lt: openedBefore } }, { projection: { workspaceId: 1 } })
    .limit(limit)
    .toArray();
  return docs.map(({ workspaceId }) => workspaceId);
}

/** Closes the change with this number. @returns false if another server has closed it */
export async function closeChange(repositoryId: ObjectId, seq: number): Promise<boolean> {
  const { matchedCount } = await collections
    .gitRefs()
    .updateOne(
      { workspaceId: repositoryId, ref: toRef(MAIN_BRANCH), seq, open: { $exists: true } },
      { $unset: { open: true } },
    );
  return matchedCount === 1;
}

/** @returns false if the branch has moved, or does not exist */
export async function removeHead(repositoryId: ObjectId, branch: string, expected: string): Promise<boolean> {
  const { deletedCount } = await collections
    .gitRefs()
    .deleteOne({ workspaceId: repositoryId, ref: toRef(branch), oid: expected });
  if (deletedCount === 1) publishReview(repositoryId, branch, { deleted: true });
  return deletedCount === 1;
}

/** The origin of a review branch: a user, who may delete it, or a pull request, which it follows. */
export type HeadOrigin = { createdBy: ObjectId } | { pullRequest: PullRequestRef };

/** Creates a branch. @returns false if it exists */
export async function createHead(
  repositoryId: ObjectId,
  branch: string,
  oid: string,
  origin: HeadOrigin,
): Promise<boolean> {
  const isNew = await setRef({ workspaceId: repositoryId, ref: toRef(branch), oid: null }, { oid, ...origin }, true);
  if (isNew) publishReview(repositoryId, branch);
  return isNew;
}

/** Publishes that a branch was moved or deleted, if it is a review. */
function publishReview(workspaceId: ObjectId, branch: string, data: { deleted?: true } = {}): void {
  if (!branch.startsWith(REVIEW_FOLDER)) return;
  const name = branch.slice(REVIEW_FOLDER.length);
  publish({ workspaceId, kind: "review", resourceType: "review", resourceId: name, data });
}

/** A branch in a list. `createdBy` and `pullRequest` are null unless the branch has one. */
export type Head = {
  name: string;
  oid: string;
  updatedAt: Date;
  createdBy: ObjectId | null;
  pullRequest: PullRequestRef | null;
};

/** Returns one branch with its creator; null if it does not exist. */
export async function findBranchHead(repositoryId: ObjectId, branch: string): Promise<Head | null> {
  const doc = await collections.gitRefs().findOne({ workspaceId: repositoryId, ref: toRef(branch) });
  return toHeads(doc ? [doc] : [])[0] ?? null;
}

/**
 * Lists the branches of a folder by name.
 * @param folder with the slash at its end
 * @param after lists only names after this one
 */
export async function listHeadsIn(
  repositoryId: ObjectId,
  folder: string,
  { after, limit }: { after?: string; limit?: number } = {},
): Promise<Head[]> {
  const start = after === undefined ? { $gte: toRef(folder) } : { $gt: toRef(after) };
  // The character after the slash, so that the range is the folder.
  const end = `${toRef(folder).slice(0, -1)}0`;
  const docs = await collections
    .gitRefs()
    .find({ workspaceId: repositoryId, ref: { ...start, $lt: end } })
    .project<Omit<GitRefDoc, "open">>({ open: 0 })
    .sort({ ref: 1 })
    .limit(limit ?? 0)
    .toArray();
  return toHeads(docs);
}

function toHeads(docs: readonly Omit<GitRefDoc, "open">[]): Head[] {
  return docs.flatMap(({ ref, oid, updatedAt, createdBy = null, pullRequest = null }) =>
    oid === null ? [] : [{ name: toBranch(ref), oid, updatedAt, createdBy, pullRequest }],
  );
}

/** Lists all branches by name. */
export async function listHeads(repositoryId: ObjectId): Promise<{ name: string; oid: string; updatedAt: Date }[]> {
  const docs = await collections
    .gitRefs()
    .find({ workspaceId: repositoryId })
    .project<Omit<GitRefDoc, "open">>({ open: 0 })
    .sort({ ref: 1 })
    .toArray();
  return docs.flatMap(({ ref, oid, updatedAt }) => (oid === null ? [] : [{ name: toBranch(ref), oid, updatedAt }]));
}

export function toRef(branch: string): string {
  return `refs/heads/${branch}`;
}

function toBranch(ref: string): string {
  return ref.slice("refs/heads/".length);
}

/** Updates a branch, or creates it. @returns false if no document matches, or another server created it */
async function setRef(filter: Filter<GitRefDoc>, set: Partial<GitRefDoc>, isNew: boolean): Promise<boolean> {
  try {
    const { matchedCount, upsertedCount } = await collections
      .gitRefs()
      .updateOne(filter, { $set: { ...set, updatedAt: new Date() } }, { upsert: isNew });
    return matchedCount + upsertedCount === 1;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
