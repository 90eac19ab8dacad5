import "server-only";
import { ObjectId } from "mongodb";
import type { z } from "zod";
import { itemKinds } from "@/lib/features/folders/item-kind";
import { findHead, MAIN_BRANCH } from "@/lib/features/repository/wire";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { publish } from "@/lib/platform/events/publish";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { newWork } from "@/lib/platform/work/model";
import { collections } from "./collections";
import { wakeSync } from "./enqueue";
import {
  findInstallation,
  findRepository,
  gitAddress,
  type HostRepository,
  type HostSettings,
  installationToken,
  isHostConfigured,
  mayWrite,
  requireHost,
} from "./github";
import { ownFiles, readHosted } from "./host-state";
import { installationsOf } from "./installations";
import type { RepoLinkDoc } from "./model";
import { removePulls } from "./pulls";
import type { Adoption, LinkBody, linkStatusAnswer, Repo, SyncBody } from "./schema";
import { syncLink } from "./sync";

type LinkStatus = z.infer<typeof linkStatusAnswer>;

/**
 * Links a repository of the host: from then on, its files and the workspace's are synced. Linking the same one again
 * binds it to its current installation and to the caller, with whose rights the host's changes land.
 * @throws AppError repo_host_not_configured; forbidden for an installation that is not the caller's; not_found for a
 *   repository that the host hides from them; conflict if the workspace has another one, or the repository another
 *   workspace
 */
export async function linkRepository(
  caller: Caller,
  body: LinkBody,
  signal: AbortSignal,
): Promise<{ repo: Repo; adoption: Adoption }> {
  const host = requireHost();
  const { workspaceId, user } = caller;
  const { defaultBranch: branch = "main", subdirectory = "" } = body;
  const { found, token, installationId } = await findLinkable(host, caller, body);
  const standing = await collections.repoLinks().findOne({ workspaceId });
  if (standing) {
    const isSame =
      standing.repositoryNumber === found.number &&
      standing.branch === branch &&
      standing.subdirectory === subdirectory;
    if (!isSame) {
      throw new AppError("conflict", `${standing.owner}/${standing.repo} is already linked. Unlink it first.`);
    }
    await collections.repoLinks().updateOne(
      { _id: standing._id, workspaceId },
      {
        $set: {
          ...{ installationId, linkedBy: user._id, owner: found.owner, repo: found.repo },
          ...{ state: "pending", problem: null },
        },
      },
    );
  } else {
    if (await collections.repoLinks().findOne({ repositoryNumber: found.number })) throw linkedElsewhere();
    const hosted = await readHosted(host, token, { ...found, branch }, signal);
    const own = await ownFiles(workspaceId, await findHead(workspaceId, MAIN_BRANCH), "all");
    const { files } = hosted.files.synced(hosted.root, subdirectory, "all", own.keys());
    const now = new Date();
    const link: RepoLinkDoc = {
      _id: new ObjectId(),
      workspaceId,
      repositoryNumber: found.number,
      installationId,
      owner: found.owner,
      repo: found.repo,
      branch,
      subdirectory,
      scope: "all",
      syncedScope: "all",
      linkedBy: user._id,
      adoption: adoptionOf(files.keys(), own.keys()),
      state: "pending",
      problem: null,
      conflicts: [],
      skipped: [],
      localSha: null,
      remoteSha: null,
      syncedAt: null,
      checkedAt: now,
      createdAt: now,
      work: newWork(new Date(now.getTime() + LEASE_MS)),
    };
    try {
      await collections.repoLinks().insertOne(link);
    } catch (error) {
      if (isDuplicateKey(error)) throw linkedElsewhere();
      throw error;
    }
  }
  await syncOrLeave(workspaceId);
  const link = await collections.repoLinks().findOne({ workspaceId });
  if (!link) throw new AppError("conflict", "The repository was just unlinked.");
  return { repo: toRepo(host, link), adoption: link.adoption };
}

/** Returns the workspace's link, and the installations that the caller may use. */
export async function getLink(caller: Caller): Promise<LinkStatus> {
  const { workspaceId, role } = caller;
  const configured = isHostConfigured();
  const link = await collections.repoLinks().findOne({ workspaceId });
  const installations = isAtLeast(role, "admin") ? await installationsOf(caller) : [];
  return {
    configured,
    repo: link && configured ? toRepo(requireHost(), link) : null,
    installations: installations.map(({ installationId, account }) => ({ installationId, account })),
  };
}

/** Removes the link and the reviews of its pull requests. Both sides keep their files. @throws AppError not_found */
export async function unlinkRepository({ workspaceId }: Caller): Promise<void> {
  const link = await collections.repoLinks().findOneAndDelete({ workspaceId });
  if (!link) throw noLink();
  await removePulls(workspaceId);
  publish({ workspaceId, kind: "app", resourceType: "repo_link", resourceId: link._id });
}

/** Starts a sync of the link. @throws AppError `not_found`, `repo_host_not_configured` */
export async function requestSync(caller: Caller, { prefer, scope }: SyncBody): Promise<LinkStatus> {
  requireHost();
  const { workspaceId, user } = caller;
  const { matchedCount } = await collections
    .repoLinks()
    .updateOne({ workspaceId }, { $set: { state: "pending", ...(scope && { scope, linkedBy: user._id }) } });
  if (matchedCount === 0) throw noLink();
  await wakeSync(workspaceId, new ObjectId().toHexString(), prefer);
  return getLink(caller);
}

/**
 * T101: the host must have listed the installation for the caller, who must be able to write to the repository there.
 */
async function findLinkable(
  host: HostSettings,
  caller: Caller,
  body: LinkBody,
): Promise<{ found: HostRepository; token: string; installationId: number }> {
  const own = await installationsOf(caller);
  const chosen = body.installationId;
  if (chosen !== undefined && !own.some(({ installationId }) => installationId === chosen)) {
    throw new AppError("forbidden", "Installation not found. Refresh your installations first.");
  }
  const installationId = chosen ?? (await findInstallation(host, body.owner, body.repo));
  const mine = own.find((each) => each.installationId === installationId);
  const token = mine ? await installationToken(host, mine.installationId) : null;
  const found = token === null ? null : await findRepository(host, token, body);
  if (!mine || token === null || !found || !(await mayWrite(host, token, found, mine.login))) {
    throw new AppError(
      "not_found",
      "Repository not found, or you can't write to it. Install the app on it, then list your installations again.",
    );
  }
  return { found, token, installationId: mine.installationId };
}

/** Runs the first sync at once. On an error, the link holds the problem and a job continues. */
async function syncOrLeave(workspaceId: ObjectId): Promise<void> {
  try {
    // Pull requests may take minutes: a job checks them.
    await syncLink(workspaceId, { skipsPulls: true });
    await wakeSync(workspaceId, new ObjectId().toHexString());
  } catch (err) {
    log.warn({ err, workspaceId: workspaceId.toHexString() }, "the first sync of a link failed");
  }
}

function toRepo(host: HostSettings, link: RepoLinkDoc): Repo {
  const { owner, repo, branch, subdirectory, installationId, adoption, state, problem, conflicts, skipped } = link;
  const { scope = "apps", removed = [] } = link;
  return {
    owner,
    repo,
    defaultBranch: branch,
    subdirectory,
    installationId,
    scope,
    url: gitAddress(host, link).replace(/\.git$/, ""),
    adoption,
    state,
    problem,
    conflicts,
    removed: state === "removed" ? removed : [],
    skipped,
    remoteSha: link.remoteSha,
    pullsProblem: link.pullsProblem ?? null,
    syncedAt: link.syncedAt?.toISOString() ?? null,
    createdAt: link.createdAt.toISOString(),
  };
}

/** Returns how both sides are combined. A README that the host has made does not count. */
function adoptionOf(theirs: Iterable<string>, own: Iterable<string>): Adoption {
  const roots = new Set(["apps", ...itemKinds().map(({ root }) => root)]);
  const isItem = (path: string) => path.includes("/") && roots.has(path.slice(0, path.indexOf("/")));
  return [...theirs].some(isItem) ? "imported" : [...own].some(isItem) ? "seeded" : "fresh";
}

function linkedElsewhere(): AppError {
  return new AppError("conflict", "This repository is linked to another workspace. Unlink it there first.");
}

function noLink(): AppError {
  return new AppError("not_found", "This workspace has no linked repository.");
}
