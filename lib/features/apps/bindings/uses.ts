import "server-only";
import type { ObjectId } from "mongodb";
import type { Use } from "@/lib/features/connections/uses";
import { accessOf } from "@/lib/features/folders/model";
import type { Caller } from "@/lib/platform/access/caller";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "../collections";

/** Lists the published apps that read a connection. */
export async function listBindingUses({ workspaceId }: Caller, connectionId: ObjectId): Promise<Use[]> {
  const sets = await collections
    .appBindingSets()
    .find({ workspaceId, connectionIds: connectionId }, { projection: { appId: 1, sha: 1 } })
    .toArray();
  if (sets.length === 0) return [];
  const served = sets.map(({ appId, sha }) => ({ _id: appId, publishedSha: sha }));
  const apps = await collections
    .apps()
    .find({ workspaceId, $or: served }, { projection: { title: 1, space: 1 } })
    .sort({ _id: 1 })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return apps.map(({ _id, title, space }) => ({
    kind: "app",
    id: _id.toHexString(),
    // Private apps are counted, but their titles are hidden.
    name: accessOf(space) === "private" ? "A private app" : title,
  }));
}
