import "server-only";
import type { ObjectId } from "mongodb";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { fetchHosted, findHostedBranch, type HostedRepository } from "@/lib/features/repository/git/host-client";
import { type Commit, diffTrees, EMPTY_TREE, findCommit, findObject, typesOf } from "@/lib/features/repository/wire";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { gitAddress, gitAuthorization, type HostSettings } from "./github";
import { HostedFiles, isSynced } from "./hosted-files";
import type { RepoLinkDoc } from "./model";
import type { Scope } from "./schema";

/** Maximum number of files requested by id at once. */
const WANTS_MAX = 1_000;

export type Entry = { oid: string };
export type Files = Map<string, Entry>;

/** The state of the host for a sync. */
export type Hosted = {
  remote: HostedRepository;
  head: string | null;
  canFilter: boolean;
  root: string;
  files: HostedFiles;
};

/**
 * Reads the state that a link would start with.
 * @throws AppError `not_found` if a repository with commits lacks the branch
 */
export async function readHosted(
  host: HostSettings,
  token: string,
  { owner, repo, branch }: Pick<RepoLinkDoc, "owner" | "repo" | "branch">,
  signal: AbortSignal,
): Promise<Hosted> {
  const remote = { url: gitAddress(host, { owner, repo }), authorization: gitAuthorization(token) };
  const { head, isEmpty, canFilter } = await findHostedBranch(remote, branch, signal);
  if (head === null) {
    if (!isEmpty) throw new AppError("not_found", `Branch “${branch}” not found in the repository.`);
    return { remote, head, canFilter, root: EMPTY_TREE, files: HostedFiles.empty() };
  }
  const pack = await fetchHosted(remote, [head], { withoutFiles: canFilter, signal });
  const files = await HostedFiles.read(pack, signal);
  return { remote, head, canFilter, root: files.commit(head).tree, files };
}

/** Reads the folders of some commits of a repository. */
export async function readTrees(
  remote: HostedRepository,
  branch: string,
  shas: readonly string[],
  signal: AbortSignal,
): Promise<Pick<Hosted, "remote" | "files">> {
  const { canFilter } = await findHostedBranch(remote, branch, signal);
  const pack = await fetchHosted(remote, [...new Set(shas)], { withoutFiles: canFilter, signal });
  return { remote, files: await HostedFiles.read(pack, signal) };
}

/** Returns the synced files of a local commit. */
export async function ownFiles(repositoryId: ObjectId, sha: string | null, scope: Scope): Promise<Files> {
  const changes = await diffTrees(repositoryId, null, await rootOf(repositoryId, sha));
  return new Map(
    changes.flatMap(({ path, after }) => (after && isSynced(path, scope) ? [[path, { oid: after.oid }]] : [])),
  );
}

/**
 * Returns the caller with whose rights the host's changes land: the admin who linked the repository.
 * @throws AppError precondition_failed if they are no longer an admin
 */
export async function callerOf({
  _id,
  workspaceId,
  linkedBy,
  owner,
  repo,
  scope = "apps",
}: RepoLinkDoc): Promise<Caller> {
  const caller = await callerOfJob(workspaceId, linkedBy, _id);
  if (caller && isAtLeast(caller.role, "admin")) return caller;
  if (scope !== "apps") throw gone("The admin who linked this repository is no longer an admin. Link it again.");
  // Files of apps need no rights: nothing runs before a member publishes them.
  const user = { _id: linkedBy, name: `${owner}/${repo}`, email: "", createdAt: new Date(0) };
  return { workspaceId, role: "member", user, via: { kind: "job", runId: _id } };
}

/** Returns contents by id: local ones, those in the pack, and the rest from the host. */
export async function contentsOf(
  workspaceId: ObjectId,
  hosted: Pick<Hosted, "remote" | "files">,
  oids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  const known = await typesOf(workspaceId, oids);
  const missing: string[] = [];
  for (const oid of oids) {
    const content = known.has(oid) ? (await findObject(workspaceId, oid))?.content : await hosted.files.content(oid);
    if (content) contents.set(oid, content);
    else missing.push(oid);
  }
  for (let at = 0; at < missing.length; at += WANTS_MAX) {
    const wants = missing.slice(at, at + WANTS_MAX);
    const pack = await fetchHosted(hosted.remote, wants, { withoutFiles: false, signal });
    const files = await HostedFiles.read(pack, signal);
    for (const oid of wants) {
      const content = await files.content(oid);
      if (content) contents.set(oid, content);
    }
  }
  return contents;
}

export async function requireCommit(workspaceId: ObjectId, oid: string): Promise<Commit> {
  const commit = await findCommit(workspaceId, oid);
  if (!commit) throw new Error(`The commit ${oid} is missing.`);
  return commit;
}

export async function rootOf(workspaceId: ObjectId, sha: string | null): Promise<string | null> {
  return sha === null ? null : (await requireCommit(workspaceId, sha)).tree;
}

export function editsBetween(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): Map<string, Entry | null> {
  const edits = new Map<string, Entry | null>();
  for (const [path, { oid }] of after) if (before.get(path)?.oid !== oid) edits.set(path, { oid });
  for (const path of before.keys()) if (!after.has(path)) edits.set(path, null);
  return edits;
}

/** Returns an error that a retry cannot fix: the user has to act. */
export function gone(message: string): AppError {
  return new AppError("precondition_failed", message);
}
