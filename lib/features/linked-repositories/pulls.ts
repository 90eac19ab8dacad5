import "server-only";
import { type Document, ObjectId } from "mongodb";
import { mergeSides } from "@/lib/base/text/merge-text";
import { judgePush } from "@/lib/features/folders/land-push";
import { judgeStored } from "@/lib/features/repository/git/judge-files";
import {
  type Change,
  changesBetween,
  createReview,
  findBranchHead,
  listHeadsIn,
  moveHead,
  prepareCommit,
  REVIEW_FOLDER,
  removeHead,
} from "@/lib/features/repository/service";
import { isText } from "@/lib/features/repository/text-content";
import type { PublishedComparison } from "@/lib/features/reviews/compare";
import { compareKindOf } from "@/lib/features/reviews/service";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import { env } from "@/lib/platform/env";
import { AppError, type ErrorKind } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import {
  compareCommits,
  createComment,
  createStatus,
  findOwnComment,
  gitAddress,
  gitAuthorization,
  type HostedPull,
  type HostSettings,
  installationToken,
  listPulls,
  mayWrite,
  PULL_PERMISSIONS,
  updateComment,
} from "./github";
import { callerOf, contentsOf, editsBetween, gone, type Hosted, ownFiles, readTrees } from "./host-state";
import type { PullFile, RepoLinkDoc, RepoPullDoc } from "./model";
import { COMMENT_MARK, commentOf, statusOf } from "./pull-report";

/** Open pull requests that are checked, the newest ones: below the limit of review branches. */
const PULLS_MAX = 30;
/** Changed files and their size in one pull request. More is a migration, not a review, and would fill the store. */
const FILES_MAX = 300;
const BYTES_MAX = 16 * 1024 * 1024;
const TITLE_CHARS_MAX = 200;
/** Time after which a pull request that failed is judged again, in ms. */
const JUDGE_AGAIN_MS = 10 * 60 * 1000;
/** Errors of one pull request, which its check shows. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set(["invalid_request", "conflict"]);

/** The link whose pull requests are checked, with what the calls to its host need. */
type Site = {
  link: RepoLinkDoc;
  host: HostSettings;
  /** For reading and writing pull requests. */
  token: string;
  slug: string;
};

/**
 * Checks the open pull requests of a link's branch: each head is judged like a push, becomes the review `pr-<number>`,
 * and gets a commit status and a comment. No query runs. Safe to repeat; only changes are sent.
 * @returns the reason why pull requests are not checked, for the user; null if they are
 * @throws AppError rate_limited, or source_unreachable for a host that does not respond
 */
export async function syncPulls(link: RepoLinkDoc, host: HostSettings, signal: AbortSignal): Promise<string | null> {
  const { workspaceId, installationId } = link;
  // Without a common state of all files, there is nothing to compare a pull request with.
  if (link.syncedScope !== "all" || link.localSha === null || link.remoteSha === null) return null;
  const token = await installationToken(host, installationId, PULL_PERMISSIONS);
  const slug = await findWorkspaceSlug(workspaceId);
  if (token === null || slug === null) {
    return "To check pull requests, allow the GitHub App to write pull requests and commit statuses.";
  }
  const site: Site = { link, host, token, slug };
  const open = await listPulls(host, token, link, link.branch, PULLS_MAX);
  await removeClosed(
    workspaceId,
    open.map(({ number }) => number),
  );
  try {
    for (const pull of open) {
      signal.throwIfAborted();
      await syncPull(site, pull, signal);
    }
  } finally {
    // The repository may have been unlinked since.
    if (!(await collections.repoLinks().findOne({ _id: link._id, workspaceId }))) await removePulls(workspaceId);
  }
  return null;
}

/** Removes the reviews of all pull requests, after a repository was unlinked. */
export function removePulls(workspaceId: ObjectId): Promise<void> {
  return removeClosed(workspaceId, []);
}

async function removeClosed(workspaceId: ObjectId, open: readonly number[]): Promise<void> {
  for (const { name, oid, pullRequest } of await listHeadsIn(workspaceId, REVIEW_FOLDER)) {
    if (pullRequest && !open.includes(pullRequest.number)) await removeHead(workspaceId, name, oid);
  }
  await collections.repoPulls().deleteMany({ workspaceId, number: { $nin: [...open] } });
}

/**
 * Keeps the numbers of rows of a comparison for the comment of its pull request.
 * @returns false if the pull request has another head by then
 */
export async function keepComparison({ workspaceId, pullNumber, sha, path, parts }: PublishedComparison) {
  const numbers = parts.map(({ title, addedCount, removedCount, changedCount, before, after }) => ({
    ...{ title, added: addedCount, removed: removedCount, changed: changedCount },
    isFailed: Boolean(before?.error || after?.error),
    isPartial: Boolean(before?.truncated || after?.truncated),
  }));
  const { matchedCount } = await collections
    .repoPulls()
    .updateOne(
      { workspaceId, number: pullNumber, reviewSha: sha, "files.path": path },
      { $set: { "files.$.numbers": numbers } },
    );
  return matchedCount === 1;
}

async function syncPull(site: Site, pull: HostedPull, signal: AbortSignal): Promise<void> {
  const { workspaceId } = site.link;
  const { number, headSha, url } = pull;
  const known = await collections.repoPulls().findOne({ workspaceId, number });
  // A failure may be one of the workspace, such as a missing connection.
  const isDue = known?.state === "failure" && Date.now() - known.judgedAt.getTime() > JUDGE_AGAIN_MS;
  if (known?.headSha === headSha && !isDue) return post(site, known);
  const outcome = await judge(site, pull, signal);
  const reviewSha = await placeReview(workspaceId, pull, outcome.sha);
  const { sha: _, ...facts } = outcome;
  const set = { url, headSha, reviewSha, ...facts, judgedAt: new Date() };
  const doc = await collections.repoPulls().findOneAndUpdate(
    { workspaceId, number },
    {
      $set: set,
      $setOnInsert: {
        ...{ _id: new ObjectId(), postedStatus: null },
        ...{ postedComment: null, commentId: null, isCommentRemoved: false },
      },
    },
    { upsert: true, returnDocument: "after" },
  );
  if (doc) await post(site, doc);
}

type Outcome = Pick<RepoPullDoc, "state" | "fault" | "files"> & {
  /** The head of the review; null for a pull request that has none. */
  sha: string | null;
};

const failed = (fault: string): Outcome => ({ state: "failure", fault, files: [], sha: null });

/** Judges a pull request as a push of its changes would be, and stores them as a commit on main's last common state. */
async function judge({ link, host }: Site, pull: HostedPull, signal: AbortSignal): Promise<Outcome> {
  const { workspaceId, remoteSha, localSha } = link;
  const token = await installationToken(host, link.installationId);
  if (token === null) throw gone("The repository is no longer accessible. Grant access again or unlink.");
  const isTrusted = !pull.isFork || (await mayWrite(host, token, toRepository(link), pull.login));
  if (!isTrusted) return { state: "pending", fault: null, files: [], sha: null };
  const range = { base: remoteSha ?? "", head: pull.headSha };
  const compared = await compareCommits(host, token, link, range);
  if (!compared) return failed("The branch has no common commit with the linked branch.");
  try {
    const remote = { url: gitAddress(host, link), authorization: gitAuthorization(token) };
    const hosted = await readTrees(remote, link.branch, [compared.mergeBase, pull.headSha], signal);
    const ours = await ownFiles(workspaceId, localSha, "all");
    const filesAt = (sha: string) =>
      hosted.files.synced(hosted.files.commit(sha).tree, link.subdirectory, "all", ours.keys()).files;
    const base = filesAt(compared.mergeBase);
    const edits = editsBetween(base, filesAt(pull.headSha));
    if (edits.size === 0) return { state: "success", fault: null, files: [], sha: null };
    if (edits.size > FILES_MAX) return failed(`More than ${FILES_MAX} files change. Split the pull request.`);
    const changes = await toChanges(link, hosted, { base, ours, edits }, signal);
    if (!changes) return failed(`The changes exceed ${BYTES_MAX / 1024 / 1024} MiB. Split the pull request.`);
    const { author } = hosted.files.commit(pull.headSha);
    const sha = await prepareCommit(workspaceId, localSha, {
      author: { name: author.name, email: author.email },
      message: `${pull.title.slice(0, TITLE_CHARS_MAX).trim() || "Pull request"}\n\n${pull.url}`,
      changes,
      now: new Date(),
    });
    if (sha === null || sha === localSha) return { state: "success", fault: null, files: [], sha: null };
    await judgeStored(workspaceId, localSha, sha);
    await judgePush(await callerOf(link), localSha, sha);
    const files = (await changesBetween(workspaceId, localSha, sha)).map(
      ({ path, status }): PullFile => ({ path, status, kind: compareKindOf(path), numbers: null }),
    );
    return { state: "success", fault: null, files, sha };
  } catch (error) {
    if (error instanceof AppError && (REFUSALS.has(error.kind) || error.kind === "too_large")) {
      return failed(error.message);
    }
    throw error;
  }
}

type Files = ReadonlyMap<string, { oid: string }>;

/**
 * Returns the changes of a pull request on top of the workspace's files. A text that the linked branch has changed since
 * is merged by lines; where both changed the same lines, the pull request's version counts.
 * @returns null if the contents are too large
 */
async function toChanges(
  { workspaceId }: RepoLinkDoc,
  hosted: Pick<Hosted, "remote" | "files">,
  { base, ours, edits }: { base: Files; ours: Files; edits: ReadonlyMap<string, { oid: string } | null> },
  signal: AbortSignal,
): Promise<Change[] | null> {
  const oids = new Set<string>();
  for (const [path, to] of edits) {
    if (to) for (const oid of [to.oid, base.get(path)?.oid, ours.get(path)?.oid]) if (oid !== undefined) oids.add(oid);
  }
  const contents = await contentsOf(workspaceId, hosted, [...oids], signal);
  let bytes = 0;
  const changes: Change[] = [];
  for (const [path, to] of edits) {
    const own = ours.get(path);
    if (!to) {
      if (own) changes.push({ kind: "delete", path });
      continue;
    }
    const content = contents.get(to.oid);
    if (!content) throw new AppError("source_unreachable", "The host did not send all files.");
    bytes += content.length;
    if (bytes > BYTES_MAX) return null;
    const before = contents.get(base.get(path)?.oid ?? "");
    const mine = contents.get(own?.oid ?? "");
    const isMoved = before && mine && base.get(path)?.oid !== own?.oid && [before, mine, content].every(isText);
    const merged = isMoved ? mergeSides(before.toString(), mine.toString(), content.toString()).theirs : content;
    changes.push({ kind: "put", path, content: merged });
  }
  return changes;
}

/** Moves the review of a pull request to a commit. @returns its head; null without a review */
async function placeReview(workspaceId: ObjectId, pull: HostedPull, sha: string | null): Promise<string | null> {
  const name = toBranch(pull.number);
  const head = await findBranchHead(workspaceId, name);
  // A branch of this name that a user has pushed is theirs.
  if (head && !head.pullRequest) return null;
  if (sha === null) {
    if (head) await removeHead(workspaceId, name, head.oid);
    return null;
  }
  if (head) return (await moveHead(workspaceId, name, head.oid, sha)) ? sha : null;
  const { number, url } = pull;
  try {
    return (await createReview(workspaceId, { name, sha, pullRequest: { number, url } })) ? sha : null;
  } catch (error) {
    // The workspace has too many reviews: the check still tells the outcome.
    if (error instanceof AppError && error.kind === "conflict") return null;
    throw error;
  }
}

/** Sends the status and the comment of a pull request, if they differ from those that the host has. */
async function post({ link, host, token, slug }: Site, doc: RepoPullDoc): Promise<void> {
  const { workspaceId, number, headSha } = doc;
  const note = (set: Document) => collections.repoPulls().updateOne({ workspaceId, number }, { $set: set });
  const reviewUrl = `${env().publicUrl}/w/${slug}/${doc.reviewSha ? `reviews/pr-${number}` : "apps/link"}`;
  const status = statusOf(doc);
  const postedStatus = JSON.stringify([headSha, status, reviewUrl]);
  if (doc.postedStatus !== postedStatus) {
    await createStatus(host, token, link, headSha, { ...status, target_url: reviewUrl });
    await note({ postedStatus });
  }
  const body = commentOf(doc, reviewUrl);
  if (body === null || body === doc.postedComment || doc.isCommentRemoved) return;
  const commentId = doc.commentId ?? (await findOwnComment(host, token, link, number, COMMENT_MARK));
  if (commentId === null) {
    const created = await createComment(host, token, link, number, body);
    await note({ commentId: created, postedComment: body, isCommentRemoved: created === null });
  } else if (await updateComment(host, token, link, commentId, body)) {
    await note({ commentId, postedComment: body });
    // Someone has deleted the comment: it does not come back.
  } else await note({ commentId: null, isCommentRemoved: true });
}

function toBranch(number: number): string {
  return `${REVIEW_FOLDER}pr-${number}`;
}

function toRepository({ repositoryNumber, owner, repo }: RepoLinkDoc) {
  return { number: repositoryNumber, owner, repo };
}
