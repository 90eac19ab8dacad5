import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/http/errors";
import { ancestryOf, countApart } from "./ancestry";
import { parseBranch } from "./paths";
import { headOrThrow, resolveSha } from "./read";
import { findHead, listHeads, moveHead, removeHead, TRUNK } from "./refs";

export type Branch = { name: string; sha: string; updatedAt: Date };

/**
 * A new branch at another one's head (default `main`) or at a commit.
 * @throws AppError not_found for the start, conflict when the name is taken or stands for a folder of branches
 */
export async function createBranch(input: {
  workspaceId: ObjectId;
  name: string;
  from?: string;
  sha?: string;
}): Promise<{ name: string; sha: string }> {
  const { workspaceId, from = TRUNK } = input;
  const name = parseBranch(input.name);
  if (name === TRUNK) throw nameTaken(name, TRUNK);
  const sha = input.sha === undefined ? await headOrThrow(workspaceId, from) : await resolveSha(workspaceId, input.sha);
  if (!(await moveHead(workspaceId, name, null, sha))) throw nameTaken(name, name);
  // Looked at after the name is ours, so that of two that exclude each other at least one sees it.
  const other = (await listHeads(workspaceId)).find((head) => excludes(head.name, name));
  if (other) {
    await removeHead(workspaceId, name, sha);
    throw nameTaken(name, other.name);
  }
  return { name, sha };
}

/** @throws AppError not_found; conflict when it has just moved; invalid_request for `main`, which stays */
export async function deleteBranch(input: { workspaceId: ObjectId; name: string }): Promise<void> {
  const { workspaceId, name } = input;
  if (name === TRUNK) throw new AppError("invalid_request", "The main branch cannot be deleted.");
  const head = await headOrThrow(workspaceId, name);
  if (!(await removeHead(workspaceId, name, head))) {
    throw new AppError("conflict", `The branch “${name}” has just changed. Look at it again before you delete it.`);
  }
}

/** All branches, by name. */
export async function listBranches(workspaceId: ObjectId): Promise<Branch[]> {
  const heads = await listHeads(workspaceId);
  return heads.map(({ name, oid, updatedAt }) => ({ name, sha: oid, updatedAt }));
}

/** Null when there is no such branch. */
export async function findBranch(workspaceId: ObjectId, name: string): Promise<string | null> {
  return findHead(workspaceId, parseBranch(name));
}

/**
 * How many commits a branch has that the other (default `main`) lacks, and the other way round.
 * @throws AppError not_found
 */
export async function aheadBehind(input: {
  workspaceId: ObjectId;
  branch: string;
  against?: string;
}): Promise<{ ahead: number; behind: number }> {
  const { workspaceId, branch, against = TRUNK } = input;
  const own = await ancestryOf(workspaceId, await headOrThrow(workspaceId, branch));
  const other = await ancestryOf(workspaceId, await headOrThrow(workspaceId, against));
  const { a, b } = await countApart(workspaceId, own, other);
  return { ahead: a, behind: b };
}

/** Git keeps branches as files, and some computers take two names that differ in case for one. */
function excludes(existing: string, name: string): boolean {
  if (existing === name) return false;
  const [a, b] = [existing.toLowerCase(), name.toLowerCase()];
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

function nameTaken(name: string, other: string): AppError {
  return new AppError("conflict", `The branch “${name}” cannot stand beside “${other}”. Choose another name.`);
}
