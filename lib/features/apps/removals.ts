import "server-only";
import { ObjectId } from "mongodb";
import { commitChanges, findBranch, listTree, untilWon } from "@/lib/features/repository/service";
import { dropShare } from "@/lib/features/shares/service";
import type { Person } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { dropBindings } from "./bindings/drop";
import { collections } from "./collections";
import { dropViews } from "./feed/views";
import { type AppDoc, type AppRemovalDoc, folderOf } from "./model";
import { dropDeployments } from "./publish/drop";
import { repositoryOf } from "./repositories";
import { dropWorkbenches } from "./workbench";

/**
 * A server finishes its removals within seconds, the largest move within minutes; older ones are from a server that
 * died.
 */
const LEFT_BEHIND_MS = 10 * 60_000;
const SWEPT_AT_ONCE = 20;

/** Records that an app is about to leave its folder, so that the folder is removed from main even after a crash. */
export async function noteRemoval(app: AppDoc, author: Person, message: string): Promise<AppRemovalDoc> {
  const { workspaceId, space, slug } = app;
  const removal = {
    _id: new ObjectId(),
    workspaceId,
    appId: app._id,
    space,
    slug,
    author: { name: author.name, email: author.email },
    message,
    createdAt: new Date(),
  };
  await collections.appRemovals().insertOne(removal);
  return removal;
}

/**
 * Removes from main the folder of an app that has left it, and the drafts and rows of a deleted app. An app that was
 * kept in the end loses nothing. Safe to repeat.
 */
export async function carryOutRemoval(removal: AppRemovalDoc): Promise<void> {
  const { _id, workspaceId, appId, space, slug, author, message } = removal;
  const isThere = (await collections.apps().countDocuments({ workspaceId, space, slug }, { limit: 1 })) > 0;
  if (!isThere) await removeFolder(await repositoryOf(workspaceId, space), folderOf({ slug }), { author, message });
  const isGone = (await collections.apps().countDocuments({ workspaceId, _id: appId }, { limit: 1 })) === 0;
  if (isGone) {
    await dropWorkbenches({ workspaceId, _id: appId });
    await dropDeployments({ workspaceId, _id: appId });
    await dropViews({ workspaceId, _id: appId });
    await dropShare({ workspaceId, kind: "app", resourceId: appId });
    await dropBindings({ workspaceId, _id: appId });
  }
  await collections.appRemovals().deleteOne({ _id, workspaceId });
}

/** Finishes removals of servers that died. */
export async function sweepAppRemovals(now = new Date()): Promise<void> {
  const left = await collections
    .appRemovals()
    .find({ createdAt: { $lt: new Date(now.getTime() - LEFT_BEHIND_MS) } })
    .sort({ createdAt: 1 })
    .limit(SWEPT_AT_ONCE)
    .toArray();
  for (const removal of left) {
    await carryOutRemoval(removal).catch((err: unknown) => log.warn({ err }, "the folder of an app stays on main"));
  }
}

async function removeFolder(
  repositoryId: ObjectId,
  folder: string,
  commit: Pick<AppRemovalDoc, "author" | "message">,
): Promise<void> {
  await untilWon(async () => {
    const head = await findBranch(repositoryId, "main");
    if (head === null) return true;
    try {
      const items = await listTree({ repositoryId, sha: head, path: folder, recursive: true });
      const changes = items
        .filter(({ kind }) => kind === "file")
        .map(({ path }) => ({ kind: "delete" as const, path }));
      await commitChanges({ repositoryId, ...commit, changes, expectedHead: head });
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.kind === "not_found") return true;
      // Someone has pushed to it since.
      if (error.kind === "conflict") return null;
      throw error;
    }
  });
}
