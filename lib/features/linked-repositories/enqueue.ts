import "server-only";
import { ObjectId } from "mongodb";
import type { PublishedComparison } from "@/lib/features/reviews/compare";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { inMs } from "@/lib/platform/work/model";
import { collections } from "./collections";
import type { RepoLinkDoc } from "./model";
import { keepComparison } from "./pulls";
import { linkWork, type Prefer, syncLink } from "./sync";

/** Event for the job runner: one side of a link may have changed. */
export const SYNC_EVENT = "repohost/sync.due";
export type SyncDue = { workspaceId: string; prefer?: Prefer };

const LOOKED_AT_ONCE = 500;

/**
 * Notifies the job runner of a sync. If the event is lost, a sweep finds the link.
 * @param reason events with the same reason within a day count once
 */
export async function wakeSync(workspaceId: ObjectId, reason: string, prefer?: Prefer): Promise<void> {
  await collections
    .repoLinks()
    .updateOne({ workspaceId, "work.claim": { $exists: false } }, [
      { $set: { "work.dueAt": { $min: ["$work.dueAt", inMs(LEASE_MS)] } } },
    ]);
  try {
    await sendSync(workspaceId, reason, prefer);
  } catch (err) {
    log.warn(
      { err, workspaceId: workspaceId.toHexString() },
      "a repository sync is delayed: the job runner is not accepting events",
    );
  }
}

async function sendSync(workspaceId: ObjectId, reason: string, prefer?: Prefer): Promise<void> {
  const data: SyncDue = { workspaceId: workspaceId.toHexString(), ...(prefer && { prefer }) };
  await sendJobEvents([{ name: SYNC_EVENT, id: `${SYNC_EVENT}:${data.workspaceId}:${reason}`, data }]);
}

/** Runs one sync. The link shows a failure, and is synced again after a pause. */
export async function executeSync({ workspaceId, prefer }: SyncDue): Promise<void> {
  await syncLink(new ObjectId(workspaceId), { prefer }).catch((err: unknown) => {
    log.info({ err, workspaceId }, "a sync failed");
  });
}

/** Starts a sync for commits that have landed on main, if the workspace has a link. */
export async function wakeLinkedRepositories(repositoryId: ObjectId, _before: number, after: number): Promise<void> {
  const link = await collections.repoLinks().findOne({ workspaceId: repositoryId }, { projection: { _id: 1 } });
  if (link) await wakeSync(repositoryId, `landed:${link._id.toHexString()}:${after}`);
}

/** Adds a comparison to the comment of its pull request, in a sync. */
export async function publishComparison(comparison: PublishedComparison): Promise<void> {
  if (await keepComparison(comparison)) await wakeSync(comparison.workspaceId, new ObjectId().toHexString());
}

/** Starts a sync for the links of one repository or installation at the host. */
export async function wakeLinksOf(
  filter: Partial<Pick<RepoLinkDoc, "repositoryNumber" | "installationId">>,
  reason: string,
) {
  const links = await collections.repoLinks().find(filter).limit(LOOKED_AT_ONCE).toArray();
  for (const { workspaceId } of links) await wakeSync(workspaceId, reason);
}

/** Wakes the sync of links whose server has died, whose event was lost, or that were not synced for ten minutes. */
export async function sweepLinks(): Promise<void> {
  await linkWork.sweep(async (links) => {
    for (const { workspaceId, work } of links) {
      await sendSync(workspaceId, `swept:${work?.starts ?? 0}:${work?.wakes ?? 0}`);
    }
  });
}
