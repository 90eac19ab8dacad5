import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { type Ancestry, ancestryOf, isWithin, mergeBase } from "./ancestry";
import { indexQuietly } from "./commit-changes";
import { MAX_FILE_BYTES } from "./limits";
import { type MergeConflict, mergeTrees, type Resolutions } from "./merge-trees";
import { type Author, cleanMessage, newCommit } from "./new-commit";
import { readCommitObject, writeObjects } from "./object-store";
import { parseBranch, parsePath } from "./paths";
import { headOrThrow } from "./read";
import { MAIN_BRANCH, moveHead } from "./refs";
import { untilWon } from "./until-won";

/** By path: a text or bytes, or null for no file. */
export type ResolutionsInput = Record<string, string | Uint8Array | null>;

export type MergeInput = {
  repositoryId: ObjectId;
  from: string;
  /** Default `main`. */
  into?: string;
  author: Author;
  /** Default `Merge branch '<from>'`. */
  message?: string;
  /** Which side to keep at paths that conflict. Ignored for other paths. */
  resolutions?: ResolutionsInput;
  /** A folder to take from `from`, if `into` still has this head; otherwise it is merged like the rest. */
  takes?: { folder: string; ifHead: string };
  now?: Date;
};

export type MergeResult =
  | { merged: true; sha: string; kind: "up-to-date" | "fast-forward" | "merge" }
  | { merged: false; conflicts: MergeConflict[] };

/**
 * Merges one branch's commits into another. If there are conflicts, nothing moves and both sides are returned; the same
 * call with `resolutions` settles them.
 * @throws AppError not_found for a branch, conflict if two names in the result would collide
 */
export async function mergeBranches(input: MergeInput): Promise<MergeResult> {
  const { repositoryId, from, into = MAIN_BRANCH, now = new Date() } = input;
  parseBranch(into);
  const message = cleanMessage(input.message ?? `Merge branch '${parseBranch(from)}'`);
  const resolutions = parseResolutions(input.resolutions ?? {});
  return withKeyedLock(`branch:${repositoryId.toHexString()}/${into}`, async () => {
    const result = await untilWon(() =>
      attempt(repositoryId, { from, into, message, resolutions, takes: input.takes, author: input.author, now }),
    );
    if (result.merged && into === MAIN_BRANCH) await indexQuietly(repositoryId, result.sha);
    return result;
  });
}

type Attempt = {
  from: string;
  into: string;
  message: string;
  resolutions: Resolutions;
  takes: MergeInput["takes"];
  author: Author;
  now: Date;
};

/** Null if the branch moved during the attempt. */
async function attempt(repositoryId: ObjectId, plan: Attempt): Promise<MergeResult | null> {
  const into = await headOrThrow(repositoryId, plan.into);
  const from = await headOrThrow(repositoryId, plan.from);
  const result = await mergeCommits(repositoryId, { ...plan, isMain: plan.into === MAIN_BRANCH, from, into });
  if (!result.merged || result.kind === "up-to-date") return result;
  return (await moveHead(repositoryId, plan.into, into, result.sha)) ? result : null;
}

type CommitMerge = {
  from: string;
  into: string;
  /** Whether `into` is the head of main, which only moves along first parents. */
  isMain: boolean;
  author: Author;
  message: string;
  resolutions?: Resolutions;
  takes?: MergeInput["takes"];
  now: Date;
};

/** Merges one commit into another, and stores the merge commit if there is one. No branch moves. */
export async function mergeCommits(repositoryId: ObjectId, plan: CommitMerge): Promise<MergeResult> {
  const ours = await ancestryOf(repositoryId, plan.into);
  const theirs = await ancestryOf(repositoryId, plan.from);
  if (await isWithin(repositoryId, theirs, ours)) return { merged: true, sha: ours.head, kind: "up-to-date" };
  if (await canFastForward(repositoryId, plan.isMain, ours, theirs)) {
    return { merged: true, sha: theirs.head, kind: "fast-forward" };
  }
  const { merged, parents } = await mergeTwo(repositoryId, ours, theirs, plan);
  if (merged.conflicts.length > 0) return { merged: false, conflicts: merged.conflicts };
  const { author, message, now } = plan;
  const commit = newCommit({ tree: merged.root, parents, author, message: cleanMessage(message), now });
  await writeObjects(repositoryId, [...merged.objects, commit]);
  return { merged: true, sha: commit.oid, kind: "merge" };
}

/** Returns the files that both sides of a merge changed differently. Nothing is stored. */
export async function findConflicts(repositoryId: ObjectId, into: string, from: string): Promise<MergeConflict[]> {
  const ours = await ancestryOf(repositoryId, into);
  const theirs = await ancestryOf(repositoryId, from);
  return (await mergeTwo(repositoryId, ours, theirs, {})).merged.conflicts;
}

async function mergeTwo(
  repositoryId: ObjectId,
  ours: Ancestry,
  theirs: Ancestry,
  { resolutions = new Map(), takes }: Pick<CommitMerge, "resolutions" | "takes">,
) {
  const base = await mergeBase(repositoryId, ours, theirs);
  const mine = await readCommitObject(repositoryId, ours.head);
  const other = await readCommitObject(repositoryId, theirs.head);
  const merged = await mergeTrees(
    repositoryId,
    {
      base: base === null ? null : (await readCommitObject(repositoryId, base)).tree,
      ours: mine.tree,
      theirs: other.tree,
    },
    resolutions,
    takes?.ifHead === ours.head ? takes.folder : null,
  );
  const parents = [
    { oid: ours.head, commit: mine },
    { oid: theirs.head, commit: other },
  ];
  return { merged, parents };
}

/**
 * Whether the branch can move without a merge commit. Main follows only first parents, since these are its earlier
 * heads. Onto a branch that has merged main, it therefore moves by a merge commit.
 */
async function canFastForward(
  repositoryId: ObjectId,
  isMain: boolean,
  ours: Ancestry,
  theirs: Ancestry,
): Promise<boolean> {
  if (!isMain) return isWithin(repositoryId, ours, theirs);
  let oid: string | undefined = theirs.head;
  for (let commit = theirs.side.get(oid); commit; commit = oid === undefined ? undefined : theirs.side.get(oid)) {
    [oid] = commit.parents;
  }
  return oid === ours.head;
}

/** @throws AppError invalid_request for an invalid path, too_large */
export function parseResolutions(resolutions: ResolutionsInput): Resolutions {
  return new Map(
    Object.entries(resolutions).map(([path, content]) => {
      if (content !== null && Buffer.byteLength(content) > MAX_FILE_BYTES) {
        throw new AppError("too_large", `“${path}” is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
      }
      return [parsePath(path), content];
    }),
  );
}
