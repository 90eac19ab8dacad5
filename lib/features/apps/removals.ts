import "server-only";
import { ObjectId } from "mongodb";
import { commitChanges, findBranch, listTree, untilWon } from "@/lib/features/repository/service";
import { dropShare } from "@/lib/features/shares/service";
import type { Person } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { DurableWork } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { dropBindings } from "./bindings/drop";
import { collections } from "./collections";
import { dropViews } from "./feed/views";
import { type AppDoc, type AppRemovalDoc, folderOf } from "./model";
import { dropDeployments } from "./publish/drop";
import { repositoryOf } from "./repositories";
import { dropWorkbenches } from "./workbench";

const removals = new DurableWork(collections.appRemovals);

/** A removal that this server does. */
export type HeldRemoval = { doc: AppRemovalDoc; claim: Claim };

/**
 * Records that an app is about to leave its folder. If this server dies before `executeRemoval`, another one removes
 * the folder from main.
 */
export function noteRemoval(app: AppDoc, author: Person, message: string): Promise<HeldRemoval> {
  const { workspaceId, space, slug } = app;
  return removals.insertClaimed({
    _id: new ObjectId(),
    workspaceId,
    appId: app._id,
    space,
    slug,
    author: { name: author.name, email: author.email },
    message,
    createdAt: new Date(),
  });
}

/**
 * Removes from main the folder of an app that has left it, and the drafts and rows of a deleted app. An app that was
 * kept in the end loses nothing. Safe to repeat; after a failure, a sweep does so.
 */
export async function executeRemoval({ doc, claim }: HeldRemoval): Promise<void> {
  try {
    await remove(doc);
    await collections.appRemovals().deleteOne(claim.held);
    claim.drop();
  } catch (error) {
    // Without a store, the claim lapses.
    await removals.fail(claim).catch(() => {});
    claim.drop();
    throw error;
  }
}

/** Finishes removals of servers that died, one after another. A large one does not delay the sweep. */
export async function sweepAppRemovals(): Promise<void> {
  await removals.sweep(async (docs) => void takeUp(docs));
}

async function takeUp(docs: readonly AppRemovalDoc[]): Promise<void> {
  for (const { _id, workspaceId } of docs) {
    try {
      const held = await removals.claim({ _id, workspaceId });
      if (held) await executeRemoval(held);
    } catch (err) {
      log.warn({ err }, "failed to remove the folder of an app from main; it will be retried");
    }
  }
}

async function remove({ workspaceId, appId, space, slug, author, message }: AppRemovalDoc): Promise<void> {
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
