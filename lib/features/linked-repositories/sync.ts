import "server-only";
import { createHash } from "node:crypto";
import type { Document, ObjectId } from "mongodb";
import { adoptApps } from "@/lib/features/apps/adopt";
import { itemKinds } from "@/lib/features/folders/item-kind";
import { landPush } from "@/lib/features/folders/land-push";
import { pushHosted } from "@/lib/features/repository/git/host-client";
import { judgeStored } from "@/lib/features/repository/git/judge-files";
import { MAX_PACK_BYTES } from "@/lib/features/repository/git/limits";
import { type Change, prepareCommit } from "@/lib/features/repository/service";
import {
  type Commit,
  diffTrees,
  entryHead,
  findHead,
  MAIN_BRANCH,
  makeCommit,
  packedStream,
  packHead,
  streamObjects,
} from "@/lib/features/repository/wire";
import { publish } from "@/lib/platform/events/publish";
import { AppError, type ErrorKind } from "@/lib/platform/http/errors";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import { DurableWork, SUCCEEDED } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { inMs } from "@/lib/platform/work/model";
import { collections } from "./collections";
import {
  compareCommits,
  findRepository,
  type HostSettings,
  installationToken,
  rateLimited,
  requireHost,
} from "./github";
import {
  callerOf,
  contentsOf,
  type Entry,
  editsBetween,
  type Files,
  gone,
  type Hosted,
  ownFiles,
  readHosted,
  requireCommit,
  rootOf,
} from "./host-state";
import { type FileEdits, packedObject } from "./hosted-files";
import type { RemovedFolder, RepoLinkDoc } from "./model";
import { syncPulls } from "./pulls";
import type { LinkState } from "./schema";

/** Each sync holds the folders of a repository in memory. */
const SYNCS_AT_ONCE = 2;
const SYNCS_WAITING_MAX = 100;
/** Maximum attempts of a sync if saves interfere; then the next message starts one. */
const TRIES_MAX = 5;
/** Maximum number of commits pushed one by one. More are pushed as one, with the last message. */
const COMMITS_MAX = 50;
const CONFLICTS_TOLD = 50;
const REMOVED_TOLD = 50;
/** Returns the folders whose removal at the host has to be confirmed. */
const guardedRoots = (): string[] => ["apps", ...itemKinds().map(({ root }) => root)];

/** Time without a sync after which a link is checked, in ms: a message of the host may be lost, or no webhook be set up. */
const UNHEARD_MS = 10 * 60 * 1000;
/** Errors that a retry would meet again. */
const TOLD: ReadonlySet<ErrorKind> = new Set([
  "precondition_failed",
  "repo_host_not_configured",
  "conflict",
  "too_large",
  "not_found",
  "invalid_request",
]);
/** States of a link after an error that the users of one side can fix. */
const FAILED_STATES: Partial<Record<ErrorKind, LinkState>> = { conflict: "conflict", invalid_request: "rejected" };
const REWRITTEN =
  "The branch was rewritten on the host. Nothing was changed here. Choose which version to keep, or restore the branch.";
/** Characters of a host's commit message that are taken over. */
const MESSAGE_CHARS_MAX = 10_000;
export const linkWork = new DurableWork(collections.repoLinks);

export type Prefer = "workspace" | "host";

const syncs = serverMember("repositorySyncs", () => new Semaphore(SYNCS_AT_ONCE, SYNCS_WAITING_MAX));

type SyncOptions = { prefer?: Prefer | undefined; signal?: AbortSignal; skipsPulls?: boolean };

/**
 * Syncs the files of a workspace and of its linked repository in both directions: a change that one side made since both
 * were equal goes to the other. The host's changes land like a push to main, all or none. If one is invalid, or both
 * sides changed the same file, nothing moves, and the link reports it. Then it checks the pull requests. Safe to repeat:
 * branches move by compare-and-set, and equal contents are no change. While another server syncs, this returns at once,
 * and that server syncs again. Until the end of a pause that the host has asked for, nothing is sent to it.
 * @throws AppError if the host is unreachable, so that the caller retries
 */
export async function syncLink(
  workspaceId: ObjectId,
  { prefer, signal = new AbortController().signal, skipsPulls = false }: SyncOptions = {},
): Promise<void> {
  await syncs().run(async () => {
    const claimed = await claimLink(workspaceId, prefer);
    if (claimed) await syncClaimed(claimed.claim, prefer ?? claimed.asked, skipsPulls, signal);
  }, signal);
}

/** @returns null if there is no link, or another server syncs it: that one syncs again before it ends */
async function claimLink(
  workspaceId: ObjectId,
  prefer: Prefer | undefined,
): Promise<{ claim: Claim; asked: Prefer | undefined } | null> {
  for (;;) {
    const claimed = await linkWork.claim({ workspaceId });
    if (claimed) return { claim: claimed.claim, asked: preferOf(claimed.doc) };
    const { matchedCount } = await collections
      .repoLinks()
      .updateOne({ workspaceId, "work.claim": { $exists: true } }, { $set: { syncAgain: prefer ?? "any" } });
    if (matchedCount === 1 || !(await collections.repoLinks().findOne({ workspaceId }))) return null;
  }
}

async function syncClaimed(
  claim: Claim,
  prefer: Prefer | undefined,
  skipsPulls: boolean,
  outer: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([outer, claim.signal]);
  const isQuiet = { syncAgain: { $exists: false } };
  let asked = prefer;
  try {
    for (;;) {
      const link = await linkWork.update(claim, [{ $unset: "syncAgain" }]);
      if (!link) return;
      const leftMs = (link.pausedUntil?.getTime() ?? 0) - Date.now();
      if (leftMs > 0) throw rateLimited(leftMs / 1000);
      const refusal = await syncFew(claim, link, asked, signal).then(() => null, onlyRefusal);
      const pauseMs = skipsPulls ? null : await checkPulls(claim, signal);
      if (refusal) throw refusal;
      const stages = pauseMs === null ? [SUCCEEDED] : [SUCCEEDED, pauseStage(pauseMs)];
      if (await linkWork.release(claim, pauseMs ?? UNHEARD_MS, stages, isQuiet)) return;
      const now = await collections.repoLinks().findOne(claim.held);
      if (!now) return;
      asked = preferOf(now);
    }
  } catch (error) {
    const known = error instanceof AppError ? error : null;
    const keepAsked = asked ? [{ $set: { syncAgain: asked } }] : [];
    const pauseMs = known?.kind === "rate_limited" ? (known.retryAfterSeconds ?? 60) * 1000 : null;
    if (pauseMs !== null) await linkWork.release(claim, pauseMs, [...keepAsked, pauseStage(pauseMs)]).catch(() => {});
    else if (known && TOLD.has(known.kind)) await linkWork.release(claim, UNHEARD_MS).catch(() => {});
    else await linkWork.fail(claim, keepAsked).catch(() => {});
    throw error;
  } finally {
    claim.drop();
  }
}

/** Returns the stage that stores a pause of the host. */
function pauseStage(pauseMs: number): Document {
  return { $set: { pausedUntil: inMs(pauseMs) } };
}

/** Returns an error of the host's files, which does not keep pull requests from being checked. @throws other errors */
function onlyRefusal(error: unknown): AppError {
  if (error instanceof AppError && error.kind === "invalid_request") return error;
  throw error;
}

/**
 * Checks the pull requests of a link, and stores why it could not.
 * @returns the pause that the host asks for, in ms; null for none
 */
async function checkPulls(claim: Claim, signal: AbortSignal): Promise<number | null> {
  const link = await collections.repoLinks().findOne(claim.held);
  if (!link) return null;
  let pullsProblem: string | null = null;
  let pauseMs: number | null = null;
  try {
    pullsProblem = await syncPulls(link, requireHost(), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = toAppError(error);
    if (failure.kind === "internal") log.error({ err: error }, "pull requests could not be checked");
    pullsProblem =
      failure.kind === "internal" ? "Internal error. Pull requests are checked again soon." : failure.message;
    if (failure.kind === "rate_limited") pauseMs = (failure.retryAfterSeconds ?? 60) * 1000;
  }
  if (pullsProblem !== (link.pullsProblem ?? null)) {
    await collections.repoLinks().updateOne(claim.held, { $set: { pullsProblem } });
    publish({ workspaceId: link.workspaceId, kind: "app", resourceType: "repo_link", resourceId: link._id });
  }
  return pauseMs;
}

function preferOf({ syncAgain }: RepoLinkDoc): Prefer | undefined {
  return syncAgain === "any" ? undefined : syncAgain;
}

/** Syncs, and starts over a few times if saves interfere. */
async function syncFew(
  claim: Claim,
  first: RepoLinkDoc,
  prefer: Prefer | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1, link: RepoLinkDoc | null = first; link; tries++) {
    try {
      if (await syncOnce(claim, link, prefer, signal)) return;
      if (tries === TRIES_MAX) {
        throw new AppError("unavailable", "Both sides are changing. The sync will be retried soon.");
      }
    } catch (error) {
      await noteFailure(claim, link, error);
      throw error;
    }
    link = await collections.repoLinks().findOne(claim.held);
  }
}

/** @returns false if a side moved during the sync, so that it has to start over */
async function syncOnce(
  claim: Claim,
  link: RepoLinkDoc,
  prefer: Prefer | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { workspaceId } = link;
  const host = requireHost();
  const token = await installationToken(host, link.installationId);
  if (token === null) throw gone("The GitHub App was uninstalled. Reinstall it or unlink.");
  const found = await findRepository(host, token, { number: link.repositoryNumber });
  if (!found) throw gone("The repository is no longer accessible. Grant access again or unlink.");
  if (found.owner !== link.owner || found.repo !== link.repo) {
    await collections.repoLinks().updateOne(claim.held, { $set: { owner: found.owner, repo: found.repo } });
  }
  const hosted = await readHosted(host, token, { ...link, ...found }, signal);
  if (hosted.head === null && link.remoteSha !== null) {
    throw gone("The repository is empty. Nothing was deleted here. Push again or unlink.");
  }
  const isRewritten = await hasLost(host, token, found, link.remoteSha, hosted.head);
  if (isRewritten && prefer === undefined) {
    throw undecided(REWRITTEN, { state: "rewritten" });
  }
  const ownHead = await findHead(workspaceId, MAIN_BRANCH);
  const { scope = "apps", syncedScope = "apps" } = link;
  const ours = await ownFiles(workspaceId, ownHead, scope);
  const synced = await ownFiles(workspaceId, link.localSha, syncedScope);
  const known = [...synced.keys(), ...ours.keys()];
  const { files: theirs, skipped } = hosted.files.synced(hosted.root, link.subdirectory, scope, known);
  // The workspace's version replaces a rewritten branch: each file that differs is the workspace's change.
  const isReplaced = isRewritten && prefer === "workspace";
  const removed = isReplaced ? [] : findRemoved(synced, theirs, ours);
  if (prefer !== "workspace") requireConfirmed(link, removed, prefer);
  // Without them in the common state, the workspace's files are new at the host, which gets them back.
  const isRestored = prefer === "workspace" && removed.length > 0;
  const base: Files = isReplaced ? theirs : isRestored ? without(synced, removed) : synced;
  const theirEdits = editsBetween(base, theirs);
  const ownEdits = editsBetween(base, ours);
  const conflicts: string[] = [];
  for (const [path, to] of theirEdits) {
    const own = ownEdits.get(path);
    if (own === undefined) continue;
    if (own?.oid === to?.oid) {
      theirEdits.delete(path);
      ownEdits.delete(path);
    } else if (prefer === "workspace") theirEdits.delete(path);
    else if (prefer === "host") ownEdits.delete(path);
    else conflicts.push(path);
  }
  if (conflicts.length > 0) {
    await note(claim, link, {
      state: "conflict",
      problem: "Both sides changed the same files. Choose which version to keep.",
      conflicts: conflicts.sort().slice(0, CONFLICTS_TOLD),
      removed: [],
      skipped,
    });
    return true;
  }
  let localSha = ownHead;
  if (theirEdits.size > 0) {
    localSha = await takeIn(link, hosted, theirEdits, ownHead, signal);
    // A concurrent save: its change is not at the host yet.
    if (localSha === null) return false;
  }
  // Without a common state of all files, the local commits since then do not hold all changes.
  const since = isReplaced || isRestored || scope !== syncedScope ? null : link.localSha;
  const remoteSha = await sendOut(link, hosted, { edits: ownEdits, since, ownHead }, signal);
  if (remoteSha === null && ownEdits.size > 0) return false;
  await note(
    claim,
    link,
    { state: "synced", problem: null, conflicts: [], removed: [], skipped, syncedAt: new Date() },
    { localSha, remoteSha: remoteSha ?? hosted.head, syncedScope: scope },
  );
  return true;
}

/** Whether the linked branch has lost the commit up to which both sides were equal. */
async function hasLost(
  host: HostSettings,
  token: string,
  repository: Pick<RepoLinkDoc, "owner" | "repo">,
  before: string | null,
  head: string | null,
): Promise<boolean> {
  if (before === null || head === null || before === head) return false;
  const found = await compareCommits(host, token, repository, { base: before, head });
  return !found?.isAhead;
}

/** Returns the guarded folders of which the host has lost all files, with those that are still here. */
function findRemoved(base: Files, theirs: Files, ours: Files): RemovedFolder[] {
  return guardedRoots().flatMap((folder) => {
    const isIn = (path: string) => path.startsWith(`${folder}/`);
    const paths = [...base.keys()].filter((path) => isIn(path) && ours.has(path)).sort();
    if (paths.length === 0 || [...theirs.keys()].some(isIn)) return [];
    return { folder, count: paths.length, paths: paths.slice(0, REMOVED_TOLD) };
  });
}

/**
 * Refuses to delete whole folders that the link has not reported, so that an admin confirms what they have seen.
 * @throws AppError precondition_failed
 */
function requireConfirmed(link: RepoLinkDoc, removed: RemovedFolder[], prefer: "host" | undefined): void {
  const known = new Set(prefer === "host" ? link.removed?.map(({ folder }) => folder) : []);
  if (removed.every(({ folder }) => known.has(folder))) return;
  const folders = removed.map(({ folder }) => folder).join(" and ");
  throw undecided(
    `All ${folders} were removed on the host. Nothing was deleted here. Choose which version to keep, or restore them.`,
    { state: "removed", removed },
  );
}

function without(files: Files, removed: RemovedFolder[]): Files {
  return new Map([...files].filter(([path]) => !removed.some(({ folder }) => path.startsWith(`${folder}/`))));
}

/** State of a link in which an admin has to choose a version. */
type Undecided = { state: "rewritten" } | { state: "removed"; removed: RemovedFolder[] };

function undecided(message: string, details: Undecided): AppError {
  return new AppError("precondition_failed", message, { details });
}

/**
 * Lands the host's changes as one commit, by the operation that a push to main is.
 * @returns null if main moved in the meantime
 * @throws AppError invalid_request for a file that is refused; nothing was changed
 */
async function takeIn(
  link: RepoLinkDoc,
  hosted: Hosted,
  edits: FileEdits,
  ownHead: string | null,
  signal: AbortSignal,
): Promise<string | null> {
  const { workspaceId } = link;
  const wanted = [...new Set([...edits.values()].flatMap((to) => (to ? [to.oid] : [])))];
  const contents = await contentsOf(workspaceId, hosted, wanted, signal);
  const changes: Change[] = [];
  for (const [path, to] of edits) {
    const content = to && contents.get(to.oid);
    if (to && !content) throw new AppError("source_unreachable", "The host did not send all files.");
    changes.push(content ? { kind: "put", path, content } : { kind: "delete", path });
  }
  const { author, message } = hosted.files.commit(hosted.head ?? "");
  const name = `${link.owner}/${link.repo}`;
  const sha = await prepareCommit(workspaceId, ownHead, {
    author: { name: author.name, email: author.email },
    message: `${message.trim().slice(0, MESSAGE_CHARS_MAX) || "Change at the host"}\n\nFrom ${name} ${hosted.head}`,
    changes,
    now: new Date(),
  });
  if (sha !== null && sha !== ownHead) {
    const caller = await callerOf(link);
    await judgeStored(workspaceId, ownHead, sha);
    if (!(await landPush(caller, ownHead, sha, name))) return null;
  }
  await adoptApps(workspaceId, link.linkedBy);
  return sha;
}

/** Commits the local changes at the host. @returns the branch's new head; null if nothing moved there */
async function sendOut(
  link: RepoLinkDoc,
  hosted: Hosted,
  { edits, since, ownHead }: { edits: FileEdits; since: string | null; ownHead: string | null },
  signal: AbortSignal,
): Promise<string | null> {
  if (edits.size === 0 || ownHead === null) return null;
  const { workspaceId, branch } = link;
  let head = hosted.head;
  let root = hosted.root;
  let pack: Buffer[] = [];
  let bytes = 0;
  const sent = new Set<string>();
  let before = hosted.head;
  const push = async (): Promise<boolean> => {
    if (head === null || head === before) return true;
    const refused = await pushHosted(hosted.remote, { branch, before, after: head, pack: toPack(pack) }, signal);
    if (
      refused !== null &&
      /fetch first|non-fast-forward|failed to update ref|cannot lock ref|stale|lock/i.test(refused)
    )
      return false;
    if (refused !== null) throw gone(`The host rejected the push: ${clean(refused)}`);
    before = head;
    pack = [];
    bytes = 0;
    return true;
  };
  for (const step of await stepsOf(workspaceId, since, ownHead, edits)) {
    const next = hosted.files.edit(root, link.subdirectory, step.edits);
    if (next === root) continue;
    const commit: Commit = {
      ...step.commit,
      tree: next,
      parents: head === null ? [] : [head],
      files: [],
      change: null,
    };
    const made = makeCommit(commit);
    const blobs = [...step.edits.values()].flatMap((to) => (to && !sent.has(to.oid) ? [to.oid] : []));
    const entries = [packedObject(made), ...hosted.files.takeMade().map(packedObject)];
    for await (const doc of streamObjects(workspaceId, [...new Set(blobs)])) {
      sent.add(doc.oid);
      entries.push(Buffer.concat([entryHead(doc.type, doc.size), await packedStream(doc)]));
    }
    const size = entries.reduce((sum, { length }) => sum + length, 0);
    if (size > MAX_PACK_BYTES) {
      throw gone(`One commit exceeds ${MAX_PACK_BYTES / 1024 / 1024} MiB. Push it to the host with git.`);
    }
    if (bytes + size > MAX_PACK_BYTES && !(await push())) return null;
    pack.push(...entries);
    bytes += size;
    head = made.oid;
    root = next;
  }
  return (await push()) ? head : null;
}

type Step = { commit: Commit; edits: FileEdits };

/** Returns the local changes, commit by commit. One step holds all if there are too many commits, or no common one. */
async function stepsOf(workspaceId: ObjectId, from: string | null, to: string, edits: FileEdits): Promise<Step[]> {
  const chain: { oid: string; commit: Commit }[] = [];
  let at: string | null = to;
  while (from !== null && at !== null && at !== from && chain.length <= COMMITS_MAX) {
    const commit = await requireCommit(workspaceId, at);
    chain.push({ oid: at, commit });
    at = commit.parents[0] ?? null;
  }
  if (from === null || at !== from || chain.length > COMMITS_MAX) {
    return [{ commit: await requireCommit(workspaceId, to), edits }];
  }
  const steps: Step[] = [];
  let before = await rootOf(workspaceId, from);
  for (const { oid, commit } of chain.reverse()) {
    const after = await rootOf(workspaceId, oid);
    const own = new Map<string, Entry | null>();
    for (const change of await diffTrees(workspaceId, before, after)) {
      // If the host changed it too, the host's version wins or is equal.
      if (edits.has(change.path)) own.set(change.path, change.after && { oid: change.after.oid });
    }
    before = after;
    if (own.size > 0) steps.push({ commit, edits: own });
  }
  return steps;
}

function toPack(entries: readonly Buffer[]): Buffer {
  const body = Buffer.concat([packHead(entries.length), ...entries]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** Stores the state of a link, unless another server has taken the sync over. */
async function note(
  claim: Claim,
  { _id, workspaceId }: RepoLinkDoc,
  facts: Partial<RepoLinkDoc>,
  shas: Partial<Pick<RepoLinkDoc, "localSha" | "remoteSha" | "syncedScope">> = {},
): Promise<void> {
  await collections.repoLinks().updateOne(claim.held, { $set: { ...facts, ...shas, checkedAt: new Date() } });
  publish({ workspaceId, kind: "app", resourceType: "repo_link", resourceId: _id });
}

async function noteFailure(claim: Claim, link: RepoLinkDoc, error: unknown): Promise<void> {
  // A file against a folder: the user has to rename one.
  const { kind, message, details } = toAppError(error);
  const problem = kind === "internal" ? "Internal error. The sync will be retried." : message;
  if (kind === "internal") log.error({ err: error }, "failed to sync a linked repository");
  const asked = details && "state" in details ? (details as Undecided) : { state: FAILED_STATES[kind] ?? "failing" };
  await note(claim, link, { ...asked, problem });
}

function clean(words: string): string {
  return words.replace(/\p{Cc}/gu, " ").slice(0, 200);
}
