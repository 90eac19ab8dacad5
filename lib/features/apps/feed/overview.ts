import "server-only";
import type { ObjectId } from "mongodb";
import { visibleTo } from "@/lib/features/folders/model";
import { listOpenlyShared } from "@/lib/features/shares/service";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "../collections";
import type { AppDoc } from "../model";
import type { Overview } from "./schema";
import { shownTo } from "./snapshot";

const BENCH_MAX = 20;
/** Reads more than are shown: some apps may have become invisible to the user. */
const BENCHES_READ_MAX = 100;

/**
 * Returns the data of the apps sidebar: the number of apps that the caller sees in each section, and those that they
 * work on.
 */
export async function readOverview(caller: Caller): Promise<Overview> {
  const { workspaceId, user } = caller;
  const kept = await collections
    .appFavorites()
    .find({ workspaceId, userId: user._id }, { projection: { appId: 1 } })
    .toArray();
  const favorites = kept.map(({ appId }) => appId);
  const shared = await listOpenlyShared({ workspaceId, kind: "app" });
  return {
    mine: await collections.apps().countDocuments({ ...visibleTo(caller), ownerId: user._id }),
    favorites: await countShown(caller, favorites),
    shared: await countShown(caller, shared),
    bench: await listBench(caller),
  };
}

async function countShown(caller: Caller, ids: readonly ObjectId[]): Promise<number> {
  if (ids.length === 0) return 0;
  return collections.apps().countDocuments({ ...shownTo(caller), _id: { $in: [...ids] } });
}

async function listBench(caller: Caller): Promise<Overview["bench"]> {
  const { workspaceId, user } = caller;
  const benches = await collections
    .appWorkbenches()
    .find({ workspaceId, userId: user._id })
    .project<{ appId: ObjectId; changes: number }>({ appId: 1, changes: { $size: "$drafts" } })
    .sort({ updatedAt: -1 })
    .limit(BENCHES_READ_MAX)
    .toArray();
  const apps = await collections
    .apps()
    .find({ ...visibleTo(caller), _id: { $in: benches.map(({ appId }) => appId) } })
    .project<Pick<AppDoc, "_id" | "slug" | "title">>({ slug: 1, title: 1 })
    .toArray();
  const byId = new Map(apps.map((app) => [app._id.toHexString(), app]));
  return benches
    .flatMap(({ appId, changes }) => {
      const app = byId.get(appId.toHexString());
      return app ? [{ id: app._id.toHexString(), slug: app.slug, title: app.title, changes }] : [];
    })
    .slice(0, BENCH_MAX);
}
