import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { parseBranch } from "./paths";
import { headOrThrow, resolveSha } from "./read";
import {
  createHead,
  findHead,
  type HeadOrigin,
  listHeads,
  listHeadsIn,
  MAIN_BRANCH,
  moveHead,
  REVIEW_FOLDER,
  removeHead,
} from "./refs";

/** Returns the name of a user's branch. */
export function ownBranch(userId: ObjectId): string {
  return `user/${userId.toHexString()}`;
}

/** Maximum number of review branches: each fetch walks their commits, and no team reviews more at a time. */
export const REVIEWS_MAX = 50;

/** Whether a branch is a review branch, with a valid name. It has one segment, as in the addresses of the API. */
export function isReviewBranch(name: string): boolean {
  if (!name.startsWith(REVIEW_FOLDER) || name.includes("/", REVIEW_FOLDER.length)) return false;
  try {
    return parseBranch(name) === name;
  } catch {
    return false;
  }
}

/**
 * Creates a review branch at a stored commit.
 * @returns false if it exists
 * @throws AppError conflict if the name is a folder of branches or differs by case only, or for one branch too many
 */
export async function createReview(
  repositoryId: ObjectId,
  { name, sha, ...origin }: { name: string; sha: string } & HeadOrigin,
): Promise<boolean> {
  if (!(await createHead(repositoryId, name, sha, origin))) return false;
  // Checked after the branch exists, so that at least one of two that conflict sees the other.
  const heads = await listHeadsIn(repositoryId, REVIEW_FOLDER);
  const other = heads.find((head) => excludes(head.name, name));
  if (!other && heads.length <= REVIEWS_MAX) return true;
  await removeHead(repositoryId, name, sha);
  if (other) throw nameTaken(name, other.name);
  throw new AppError("conflict", `Limit of ${REVIEWS_MAX} review branches reached. Delete some first.`);
}

/**
 * Creates a branch at another branch's head (default `main`) or at a commit.
 * @throws AppError not_found for the start, conflict if the name is taken or is a folder of branches
 */
export async function createBranch(input: {
  repositoryId: ObjectId;
  name: string;
  from?: string;
  sha?: string;
}): Promise<{ name: string; sha: string }> {
  const { repositoryId, from = MAIN_BRANCH } = input;
  const name = parseBranch(input.name);
  if (name === MAIN_BRANCH) throw nameTaken(name, MAIN_BRANCH);
  const sha =
    input.sha === undefined ? await headOrThrow(repositoryId, from) : await resolveSha(repositoryId, input.sha);
  if (!(await moveHead(repositoryId, name, null, sha))) throw nameTaken(name, name);
  // Checked after the name is taken, so that at least one of two conflicting branches sees the other.
  const other = (await listHeads(repositoryId)).find((head) => excludes(head.name, name));
  if (other) {
    await removeHead(repositoryId, name, sha);
    throw nameTaken(name, other.name);
  }
  return { name, sha };
}

/** Returns the head of a branch; null if it does not exist. */
export async function findBranch(repositoryId: ObjectId, name: string): Promise<string | null> {
  return findHead(repositoryId, parseBranch(name));
}

/** Git stores branches as files, and some file systems ignore case in names. */
function excludes(existing: string, name: string): boolean {
  if (existing === name) return false;
  const [a, b] = [existing.toLowerCase(), name.toLowerCase()];
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

function nameTaken(name: string, other: string): AppError {
  return new AppError("conflict", `The branch “${name}” conflicts with “${other}”. Choose another name.`);
}
