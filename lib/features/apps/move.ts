import "server-only";
import { accessOf, type Space } from "@/lib/features/folders/model";
import { type Change, commitChanges, findBranch, readFile, sizesOf } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import type { AppDoc } from "./model";
import { executeRemoval, noteRemoval } from "./removals";
import { claimSlug } from "./slugs";
import { committedFiles, takeUp, type Work, workOn } from "./work";

/** Maximum size of files held in memory while they are copied, except for a single larger one. */
const BATCH_BYTES = 32 * 1024 * 1024;

/**
 * Moves an app to the other space: its files on main to main there, and its owner's unpublished commits to the owner's
 * branch there. Its history stays behind. The app counts as moved once everything is copied.
 * @throws AppError conflict when someone else moves or deletes it at the same moment
 */
export async function moveApp(caller: Caller, app: AppDoc, space: Space): Promise<void> {
  const message = accessOf(space) === "workspace" ? `Share the app ${app.title}` : `Make the app ${app.title} private`;
  const author = { name: caller.user.name, email: caller.user.email };
  const { workspaceId, slug, _id } = app;
  const moved: AppDoc = { ...app, space, slug: await claimSlug(workspaceId, space, slug) };
  // If the move fails, this removes what it has copied; after a success, the other record removes the original.
  const arrival = await noteRemoval(moved, caller.user, `Revert: ${message}`);
  try {
    const work = await workOn(app, caller.user._id);
    const onMain = { ...work, state: { ...work.state, headSha: await findBranch(work.repositoryId, "main") } };
    const target = await workOn(moved, caller.user._id);
    await copyFiles(onMain, target, { author, message });
    if (work.state.isOwn) await copyFiles(work, await takeUp(caller, moved), { author, message }, target.branch);
    const departure = await noteRemoval(app, caller.user, message);
    const { matchedCount } = await collections
      .apps()
      .updateOne({ _id, workspaceId, space: app.space, slug }, { $set: { space, slug: moved.slug } });
    await executeRemoval(departure);
    if (matchedCount === 0) throw new AppError("conflict", "Someone else changed this app. Reload it.");
  } finally {
    await executeRemoval(arrival);
  }
}

/** Makes the target folder equal to the source folder. */
async function copyFiles(
  from: Work,
  to: Work,
  commit: { author: { name: string; email: string }; message: string },
  branch?: string,
): Promise<void> {
  const [files, standing] = [await committedFiles(from), await committedFiles(to)];
  const sizes = await sizesOf(from.repositoryId, [...files.values()]);
  let batch: Change[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await commitChanges({ repositoryId: to.repositoryId, branch, ...commit, changes: batch });
    batch = [];
    bytes = 0;
  };
  for (const path of standing.keys())
    if (!files.has(path)) batch.push({ kind: "delete", path: `${to.folder}/${path}` });
  for (const [path, oid] of files) {
    if (standing.get(path) === oid) continue;
    const size = sizes.get(oid) ?? 0;
    if (bytes + size > BATCH_BYTES) await flush();
    const content = await contentOf(from, path);
    batch.push({ kind: "put", path: `${to.folder}/${path}`, content });
    bytes += size;
  }
  await flush();
}

async function contentOf({ repositoryId, folder, state }: Work, path: string): Promise<Buffer> {
  if (state.headSha === null) throw new Error("The repository has no commits.");
  return (await readFile({ repositoryId, sha: state.headSha, path: `${folder}/${path}` })).content;
}
