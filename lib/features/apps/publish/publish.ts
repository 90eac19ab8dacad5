import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import {
  filesIn,
  folderHistory,
  folderIn,
  landFolder,
  type MergeConflict,
  mergeBranches,
  mergeFolder,
  readBlob,
} from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { isBindingPath } from "../bindings/front-matter";
import { prepareBindings, settleBindings } from "../bindings/published";
import { collections } from "../collections";
import { openDraftsOf } from "../commits";
import { publishAppEvent, publishWorkEvent } from "../events";
import { pathIn } from "../files";
import { type AppDoc, folderOf } from "../model";
import { getAppDocOrThrow } from "../service";
import { workOn } from "../work";
import { buildOf, thumbnailIn } from "./builds";
import { pruneDeployments } from "./drop";
import type { DeploymentDoc } from "./model";
import { type Hold, type Outcome, startOperation } from "./operations";
import type { PublishBody, Published } from "./schema";

/** Time that a request waits for the result; after it, the response says where to look. */
export const ANSWER_WITHIN_MS = 30_000;
/** Maximum number of attempts when pushes to main come between a build and its merge. */
const TRIES_MAX = 5;
/** Limits of conflicts in a response: as many as a user resolves manually. */
const CONFLICTS_MAX = 50;
const SIDE_CHARS_MAX = 256 * 1024;
const SIDES_CHARS_MAX = 2 * 1024 * 1024;
const PATHS_TOLD = 50;

export type Started = { operationId: string } & ({ isDone: true; published: Published } | { isDone: false });

/**
 * Publishes the caller's commits of an app: merges them with main, builds, pushes to main and then serves the result.
 * @param withinMs maximum time to wait for the result
 * @throws AppError conflict with uncommitted files, and with a merge that the user has to resolve; build_failed;
 *   sandbox_unavailable; storage_full
 */
export async function publishApp(
  caller: Caller,
  ref: string,
  body: PublishBody,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Started> {
  const app = await getAppDocOrThrow(caller, ref);
  const drafts = await openDraftsOf(app, caller.user._id);
  if (drafts.length > 0) {
    const files = drafts.length === 1 ? `“${drafts[0]?.path}” is` : `${drafts.length} files are`;
    throw new AppError("conflict", `${files} not committed. Commit or discard changes, then publish.`, {
      details: { paths: drafts.slice(0, PATHS_TOLD).map(({ path }) => path) },
    });
  }
  for (const path of Object.keys(body.resolutions ?? {})) requireResolvable(app, path);
  const work = (hold: Hold) => publishNow(caller, app, body, hold);
  return startAndWait(caller, app, "publish", work, withinMs);
}

/** @throws AppError invalid_request that names the field */
function requireResolvable(app: AppDoc, path: string): void {
  try {
    pathIn(app, path);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid_request", error.message, {
      details: [{ path: "resolutions", message: error.message }],
    });
  }
}

/** Starts an operation and waits for its result, up to `withinMs`. */
export async function startAndWait(
  { user }: Caller,
  app: AppDoc,
  kind: "publish" | "rollback",
  work: (hold: Hold) => Promise<Outcome>,
  withinMs: number,
): Promise<Started> {
  const { operationId, ended } = await startOperation(app, { user, kind }, work);
  const id = operationId.toHexString();
  const told = ended.then((end) => {
    void settleBindings(app).catch((err: unknown) =>
      log.warn({ err }, "failed to update the bindings of an app; the sweep retries it"),
    );
    publishAppEvent(app);
    publishWorkEvent(app, user._id);
    return end;
  });
  told.catch(() => {});
  const patience = new AbortController();
  try {
    const end = await Promise.race([
      told,
      sleep(withinMs, null, { signal: patience.signal, ref: false }).catch(() => null),
    ]);
    if (!end) return { operationId: id, isDone: false };
    const { sha, publishedAt, note } = end;
    return {
      operationId: id,
      isDone: true,
      published: { sha, publishedAt: publishedAt.toISOString(), operationId: id, note },
    };
  } finally {
    patience.abort();
  }
}

async function publishNow(caller: Caller, asked: AppDoc, body: PublishBody, hold: Hold): Promise<Outcome> {
  await hold.begin("build");
  const { repositoryId, branch } = await workOn(asked, caller.user._id);
  const folder = folderOf(asked);
  for (let tries = 1; ; tries++) {
    // Includes what other publishes have merged while this one waited.
    const merge = await mergeFolder({ repositoryId, branch, folder, resolutions: body.resolutions });
    if (body.resolutions && body.mainSha !== undefined)
      await refuseUnseen(repositoryId, folder, body.mainSha, merge.before);
    if (merge.conflicts.length > 0) throw toConflict(merge.conflicts, merge.mainHead);
    const build = await buildOf({ app: asked, repositoryId, tree: merge.after, onLog: hold.say, signal: hold.signal });
    hold.signal.throwIfAborted();
    if (merge.after !== merge.before) {
      const landed = await landFolder({
        repositoryId,
        folder,
        before: merge.before,
        after: merge.after,
        author: { name: caller.user.name, email: caller.user.email },
        message: body.message ?? `Publish ${asked.title}`,
      });
      if (landed === null) {
        if (tries < TRIES_MAX) continue;
        throw new AppError("conflict", "main changed during the publish. Try again in a moment.");
      }
    }
    const note = await takeBack(caller, { repositoryId, branch, folder, ifHead: merge.branchHead });
    const { sha, subject } = await latestOf(repositoryId, folder);
    // A push may have followed right after: that state was not built.
    if ((await folderIn(repositoryId, sha, folder)) !== merge.after && tries < TRIES_MAX) continue;
    const deployment = await deploy(asked, { repositoryId, sha, build, message: subject, by: caller.user });
    await hold.begin("bindings");
    await readyData(caller, asked, deployment, hold);
    await hold.begin("pointer");
    hold.signal.throwIfAborted();
    await pruneDeployments(asked, deployment._id).catch((err: unknown) =>
      log.warn({ err }, "old versions of an app were not removed"),
    );
    return { sha, deploymentId: deployment._id, thumbnail: await thumbnailIn(build), note };
  }
}

/** Returns the deployment of this commit and build, and creates it if missing. */
async function deploy(
  app: AppDoc,
  {
    repositoryId,
    sha,
    build,
    message,
    by,
  }: {
    repositoryId: ObjectId;
    sha: string;
    build: { _id: ObjectId; files: number; bytes: number };
    message: string;
    by: Caller["user"];
  },
): Promise<DeploymentDoc> {
  const { _id: appId, workspaceId } = app;
  const same = { workspaceId, appId, sha, buildId: build._id };
  const known = await collections.appDeployments().findOne(same);
  if (known) return known;
  const doc: DeploymentDoc = {
    _id: new ObjectId(),
    ...same,
    repositoryId,
    folder: folderOf(app),
    files: build.files,
    bytes: build.bytes,
    message,
    by: { id: by._id, name: by.name },
    createdAt: new Date(),
  };
  try {
    await collections.appDeployments().insertOne(doc);
    return doc;
  } catch (error) {
    const winner = isDuplicateKey(error) && (await collections.appDeployments().findOne(same));
    if (winner) return winner;
    throw error;
  }
}

/** Reads the data of a version in advance, so that no viewer finds it missing (docs/develop/api.md, Apps). */
export async function readyData(
  caller: Caller,
  app: AppDoc,
  { repositoryId, folder, sha }: DeploymentDoc,
  hold: Hold,
): Promise<void> {
  const files = new Map<string, Uint8Array>();
  for (const [path, oid] of await filesIn(repositoryId, await folderIn(repositoryId, sha, folder))) {
    if (isBindingPath(path)) files.set(path, await readBlob(repositoryId, oid));
  }
  const { workspaceId } = app;
  await prepareBindings({ workspaceId, app, sha, files, publisher: caller, onLog: hold.say, signal: hold.signal });
}

/**
 * Merges main back into the branch, with the app as published. Other changes on the branch may conflict with main; the
 * branch then stays unchanged, which does not affect the publish.
 * @returns a note for the caller about a failed merge; null after a merge
 */
async function takeBack(
  { user }: Caller,
  {
    repositoryId,
    branch,
    folder,
    ifHead,
  }: { repositoryId: ObjectId; branch: string; folder: string; ifHead: string | null },
): Promise<string | null> {
  if (ifHead === null) return null;
  try {
    const result = await mergeBranches({
      repositoryId,
      from: "main",
      into: branch,
      author: { name: user.name, email: user.email },
      takes: { folder, ifHead },
    });
    if (result.merged) return null;
    const [first] = result.conflicts;
    return `main was not merged into your branch because “${first?.path}” differs there. Publish or merge that next.`;
  } catch (err) {
    if (!(err instanceof AppError)) log.warn({ err }, "main was not merged into a branch after a publish");
    return "main was not merged into your branch yet. It will be on your next change.";
  }
}

/** Returns the last commit of main that touches the folder: publishing the same state twice is one deployment. */
async function latestOf(repositoryId: ObjectId, folder: string): Promise<{ sha: string; subject: string }> {
  const { items } = await folderHistory({ repositoryId, folder, limit: 1 });
  const [last] = items;
  if (!last) throw new AppError("build_failed", "The app has no files on main. Commit files and publish again.");
  return last;
}

async function refuseUnseen(
  repositoryId: ObjectId,
  folder: string,
  seen: string,
  before: string | null,
): Promise<void> {
  const then = await folderIn(repositoryId, seen, folder).catch(() => undefined);
  if (then === before) return;
  throw new AppError("conflict", "The app has changed on main. Publish again to see the current conflicts.");
}

/** Returns the error with the data of a merge view: `ours` is main's, `theirs` the branch's. */
function toConflict(conflicts: readonly MergeConflict[], mainSha: string | null): AppError {
  let left = SIDES_CHARS_MAX;
  const text = (side: MergeConflict["base"]) => {
    const content = side?.content ?? null;
    if (!side || content === null || content.length > SIDE_CHARS_MAX || content.length > left) {
      return side && { oid: side.oid, content: null };
    }
    left -= content.length;
    return side;
  };
  const shown = conflicts.slice(0, CONFLICTS_MAX).map(({ path, base, ours, theirs }) => ({
    path,
    base: text(base),
    ours: text(ours),
    theirs: text(theirs),
  }));
  const files = conflicts.length === 1 ? `“${conflicts[0]?.path}” conflicts` : `${conflicts.length} files conflict`;
  return new AppError("conflict", `${files} with main. Resolve the conflicts, then publish again.`, {
    details: { mainSha, conflicts: shown },
  });
}
