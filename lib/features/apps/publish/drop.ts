import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "../collections";
import { DEPLOYMENTS_MAX } from "../limits";
import type { AppDoc } from "../model";

/**
 * Removes data that no version available for rollback needs. The caller must hold the app's operation, so that no one
 * else writes at the same time.
 * @param coming deployment that is about to be served
 */
export async function pruneDeployments({ _id, workspaceId }: AppDoc, coming: ObjectId): Promise<void> {
  const place = { workspaceId, appId: _id };
  const app = await collections.apps().findOne({ _id, workspaceId }, { projection: { deploymentId: 1 } });
  const all = await collections
    .appDeployments()
    .find(place, { projection: { _id: 1, buildId: 1 } })
    .sort({ _id: -1 })
    .toArray();
  const isServed = (id: ObjectId) => id.equals(coming) || (app?.deploymentId?.equals(id) ?? false);
  const kept = all.filter(({ _id: id }, index) => index < DEPLOYMENTS_MAX || isServed(id));
  const over = all.filter((each) => !kept.includes(each));
  if (over.length > 0)
    await collections.appDeployments().deleteMany({ ...place, _id: { $in: over.map(({ _id: id }) => id) } });
  const buildIds = kept.map(({ buildId }) => buildId);
  const left = await collections
    .appBuilds()
    .find({ ...place, _id: { $nin: buildIds } }, { projection: { _id: 1 } })
    .toArray();
  // Files without a build are from a build that crashed.
  const stray = await collections
    .appBuiltFiles()
    .findOne({ ...place, buildId: { $nin: buildIds } }, { projection: { _id: 1 } });
  if (left.length === 0 && !stray) return;
  // The build is deleted first, so that it is not found while its files are deleted.
  await collections.appBuilds().deleteMany({ ...place, _id: { $in: left.map(({ _id: id }) => id) } });
  await collections.appBuiltFiles().deleteMany({ ...place, buildId: { $nin: buildIds } });
  const used = new Set<string>();
  for await (const { hash } of collections.appBuiltFiles().find(place, { projection: { _id: 0, hash: 1 } }))
    used.add(hash);
  const unused: string[] = [];
  // Each content has a part 0.
  const first = collections.appBlobParts().find({ ...place, n: 0 }, { projection: { _id: 0, hash: 1 } });
  for await (const { hash } of first) if (!used.has(hash)) unused.push(hash);
  if (unused.length > 0) await collections.appBlobParts().deleteMany({ ...place, hash: { $in: unused } });
}

/** Deletes all deployments of an app that is gone. Safe to repeat. */
export async function dropDeployments({ _id: appId, workspaceId }: Pick<AppDoc, "_id" | "workspaceId">): Promise<void> {
  const place = { workspaceId, appId };
  await collections.appOperations().deleteMany(place);
  await collections.appDeployments().deleteMany(place);
  await collections.appBuilds().deleteMany(place);
  await collections.appBuiltFiles().deleteMany(place);
  await collections.appBlobParts().deleteMany(place);
}
