import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { ancestryOf, countApart } from "./ancestry";
import { parseBranch } from "./paths";
import { headOrThrow, resolveSha } from "./read";
import { findHead, listHeads, MAIN_BRANCH, moveHead, removeHead } from "./refs";

export type Branch = { name: string; sha: string; updatedAt: Date };

/** Returns the name of a user's branch. */
export function ownBranch(userId: ObjectId): string {
  return `user/${userId.toHexString()}`;
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

/** @throws AppError not_found; conflict if it has just moved; invalid_request for `main`, which cannot be deleted */
export async function deleteBranch(input: { repositoryId: ObjectId; name: string }): Promise<void> {
  const { repositoryId, name } = input;
  if (name === MAIN_BRANCH) throw new AppError("invalid_request", "The main branch can't be deleted.");
  const head = await headOrThrow(repositoryId, name);
  if (!(await removeHead(repositoryId, name, head))) {
    throw new AppError("conflict", `The branch “${name}” has changed. Review it before you delete it.`);
  }
}

/** Lists all branches by name. */
export async function listBranches(repositoryId: ObjectId): Promise<Branch[]> {
  const heads = await listHeads(repositoryId);
  return heads.map(({ name, oid, updatedAt }) => ({ name, sha: oid, updatedAt }));
}

/** Returns the head of a branch; null if it does not exist. */
export async function findBranch(repositoryId: ObjectId, name: string): Promise<string | null> {
  return findHead(repositoryId, parseBranch(name));
}

/**
 * Returns the number of commits that a branch has and the other (default `main`) lacks, and the reverse.
 * @throws AppError not_found
 */
export async function aheadBehind(input: {
  repositoryId: ObjectId;
  branch: string;
  against?: string;
}): Promise<{ ahead: number; behind: number }> {
  const { repositoryId, branch, against = MAIN_BRANCH } = input;
  const own = await ancestryOf(repositoryId, await headOrThrow(repositoryId, branch));
  const other = await ancestryOf(repositoryId, await headOrThrow(repositoryId, against));
  const { a, b } = await countApart(repositoryId, own, other);
  return { ahead: a, behind: b };
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
