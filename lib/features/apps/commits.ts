import "server-only";
import {
  blobId,
  type Change,
  commitChanges,
  compareFolder,
  folderHistory,
  requireHistoryCursor,
  toChanges,
} from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { Page } from "@/lib/platform/http/paging";
import type { ListQuery } from "@/lib/platform/http/schema";
import { publishWorkEvent } from "./events";
import { pathIn } from "./files";
import type { AppDoc, Draft, WorkbenchDoc } from "./model";
import { refreshPreview } from "./preview/preview";
import { findSession } from "./sandbox/registry";
import type { AppCommit, AppStatus } from "./schema";
import { getAppDocOrThrow } from "./service";
import { committedFiles, takeUp, type Work, workOn } from "./work";
import { changeDrafts, findWorkbench, forgetLeftBehind, readContent } from "./workbench";

/** One attempt per concurrent request of the same user. */
const TRIES_MAX = 10;

type Commit = { sha: string; branch: string };

/**
 * Commits the caller's drafts of an app to their branch.
 * @throws AppError conflict when there is nothing to commit, or a file has changed since the draft was started
 */
export async function commitDrafts(caller: Caller, ref: string, message: string | undefined): Promise<Commit> {
  const app = await getAppDocOrThrow(caller, ref);
  const whose = { app, userId: caller.user._id };
  for (let tries = 1; ; tries++) {
    const bench = await findWorkbench(whose);
    const work = await takeUp(caller, app);
    const committed = await committedFiles(work);
    const open = openDrafts(bench.drafts, committed);
    if (open.length === 0) {
      if (bench.drafts.length > 0) await settle(whose, bench.drafts);
      throw new AppError("conflict", "Nothing to commit.");
    }
    try {
      refuseMoved(open, committed);
      const sha = await commit(caller, app, work, open, message);
      await settle(whose, bench.drafts);
      await forgetLeftBehind(await findWorkbench(whose));
      publishWorkEvent(app, caller.user._id);
      return { sha, branch: work.branch };
    } catch (error) {
      // Another tab may have committed the same drafts at the same moment; the drafts have then changed.
      const isSame = (await findWorkbench(whose)).version === bench.version;
      if (!(error instanceof AppError) || error.kind !== "conflict" || isSame || tries === TRIES_MAX) throw error;
    }
  }
}

/** Discards the caller's drafts of an app, or that of one file. */
export async function discardDrafts(caller: Caller, ref: string, sent: string | undefined): Promise<void> {
  const app = await getAppDocOrThrow(caller, ref);
  const path = sent === undefined ? undefined : pathIn(app, sent);
  await changeDrafts({ app, userId: caller.user._id }, async (drafts) => {
    const kept = path === undefined ? [] : drafts.filter((draft) => draft.path !== path);
    return kept.length === drafts.length ? null : kept;
  });
  await forgetLeftBehind(await findWorkbench({ app, userId: caller.user._id }));
  await refreshPreview(caller, app).catch((error: unknown) => {
    // A session that has just ended reads the files when it starts again.
    if (!(error instanceof AppError)) throw error;
  });
  publishWorkEvent(app, caller.user._id);
}

/**
 * Returns the status of the caller's work on an app. While a sandbox runs, its working copy is compared with the
 * branch's last commit, else that commit with main. Drafts are listed separately. Starts no sandbox.
 * @param live false: use the last commit even while a sandbox runs
 */
export async function getStatus(caller: Caller, ref: string, live = true): Promise<AppStatus> {
  const app = await getAppDocOrThrow(caller, ref);
  const work = await workOn(app, caller.user._id);
  const { repositoryId, branch, folder, state } = work;
  const { ahead, behind, changes } = await compareFolder(repositoryId, state, folder);
  const { drafts } = await findWorkbench({ app, userId: caller.user._id });
  const committed = await committedFiles(work);
  const workingCopy = live ? await readWorkingCopy(caller, app) : null;
  return {
    branch,
    baseSha: state.baseSha,
    headSha: state.headSha,
    ahead,
    behind,
    changes: workingCopy ? changesBetween(committed, workingCopy) : changes,
    offline: workingCopy === null,
    drafts: toChanges(
      openDrafts(drafts, committed).map((draft) => ({
        path: draft.path,
        before: entryOf(committed.get(draft.path)),
        after: entryOf(draft.kind === "put" ? draft.oid : undefined),
      })),
    ),
  };
}

/** Returns the ids of the files in the caller's sandbox; null if none runs or it ends during the read. */
async function readWorkingCopy({ user }: Caller, app: AppDoc): Promise<Map<string, string> | null> {
  const running = findSession({ workspaceId: app.workspaceId, appId: app._id, userId: user._id });
  try {
    const files = await running?.session.readFiles();
    return files ? new Map(Array.from(files, ([path, content]) => [path, blobId(content)])) : null;
  } catch (error) {
    if (error instanceof AppError && error.kind === "unavailable") return null;
    throw error;
  }
}

function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ReturnType<typeof toChanges> {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changed = [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
  return toChanges(
    changed.map((path) => ({ path, before: entryOf(before.get(path)), after: entryOf(after.get(path)) })),
  );
}

function entryOf(oid: string | undefined): { mode: "100644"; name: string; oid: string } | null {
  return oid === undefined ? null : { mode: "100644", name: "", oid };
}

/**
 * Lists the commits of an app on the caller's branch, newest first.
 * @throws AppError invalid_request for an invalid cursor
 */
export async function listAppHistory(
  caller: Caller,
  ref: string,
  { limit, cursor }: ListQuery,
): Promise<Page<AppCommit>> {
  if (cursor !== undefined) requireHistoryCursor(cursor);
  const app = await getAppDocOrThrow(caller, ref);
  const { repositoryId, branch, folder, state } = await workOn(app, caller.user._id);
  const where = { repositoryId, folder, limit, ...(cursor !== undefined && { cursor }) };
  const page = await folderHistory(state.isOwn ? { ...where, branch } : where);
  const items = page.items.map(({ sha, author, date, subject }) => ({
    sha,
    author,
    date: date.toISOString(),
    subject,
  }));
  return { items, nextCursor: page.nextCursor };
}

/** Returns a user's uncommitted changes to an app. */
export async function openDraftsOf(app: AppDoc, userId: WorkbenchDoc["userId"]): Promise<Draft[]> {
  const { drafts } = await findWorkbench({ app, userId });
  return drafts.length === 0 ? [] : openDrafts(drafts, await committedFiles(await workOn(app, userId)));
}

/** Returns the drafts that differ from the commit. */
function openDrafts(drafts: readonly Draft[], committed: ReadonlyMap<string, string>): Draft[] {
  return drafts.filter((draft) => (draft.kind === "put" ? draft.oid : null) !== (committed.get(draft.path) ?? null));
}

/** Throws if a draft would undo a change that its author has not seen, such as a push to their branch. */
function refuseMoved(drafts: readonly Draft[], committed: ReadonlyMap<string, string>): void {
  const moved = drafts.filter(({ path, baseOid }) => (committed.get(path) ?? null) !== baseOid).map(({ path }) => path);
  if (moved.length === 0) return;
  throw new AppError(
    "conflict",
    `“${moved[0]}” has changed since you started editing. Discard your change and redo it.`,
    { details: { paths: moved.slice(0, 50) } },
  );
}

async function commit(
  { user }: Caller,
  app: AppDoc,
  { repositoryId, branch, folder, state }: Work,
  drafts: readonly Draft[],
  message = `Save ${app.title}`,
): Promise<string> {
  const changes: Change[] = [];
  for (const draft of drafts) {
    const path = `${folder}/${draft.path}`;
    if (draft.kind === "delete") changes.push({ kind: "delete", path });
    else {
      const content = await readContent(app.workspaceId, draft);
      if (!content) throw new AppError("conflict", `“${draft.path}” was just saved. Commit again.`);
      changes.push({ kind: "put", path, content });
    }
  }
  const { sha } = await commitChanges({
    repositoryId,
    branch,
    author: { name: user.name, email: user.email },
    message,
    changes,
    ...(state.branchHead !== null && { expectedHead: state.branchHead }),
  });
  return sha;
}

/** Removes drafts that a commit includes. Newer drafts are rebased on the commit. */
async function settle(whose: { app: AppDoc; userId: WorkbenchDoc["userId"] }, taken: readonly Draft[]): Promise<void> {
  const byPath = new Map(taken.map((draft) => [draft.path, draft]));
  const oidOf = (draft: Draft) => (draft.kind === "put" ? draft.oid : null);
  await changeDrafts(whose, async (drafts) =>
    drafts.flatMap((draft) => {
      const done = byPath.get(draft.path);
      if (!done) return [draft];
      return oidOf(done) === oidOf(draft) ? [] : [{ ...draft, baseOid: oidOf(done) }];
    }),
  );
}
