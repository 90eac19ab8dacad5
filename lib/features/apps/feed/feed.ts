import "server-only";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ObjectId } from "mongodb";
import { accessOf } from "@/lib/features/folders/model";
import { listOpenlyShared } from "@/lib/features/shares/service";
import { findUserNames } from "@/lib/features/users/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { badCursor } from "@/lib/platform/http/paging";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";
import { collections } from "../collections";
import type { AppDoc } from "../model";
import type { FeedSnapshotDoc } from "./model";
import type { Card, Feed, FeedQuery } from "./schema";
import { countIn, currentSnapshot, idsIn, shownTo } from "./snapshot";

/** Minimum number of apps looked up per query: most of an order is still visible. */
const BATCH_MIN = 50;
const PLACE_BYTES = 12 + 4;
const MAC_BYTES = 16;

/**
 * Returns the apps that the caller may see, in a personal order that is frozen for a day. Apps that the caller may no
 * longer see are dropped from each page when it is read.
 * @throws AppError invalid_request for another user's cursor, gone for one whose order has expired
 */
export async function readFeed(caller: Caller, { cursor, limit }: FeedQuery, now = new Date()): Promise<Feed> {
  if (cursor !== undefined) {
    const { snapshotId, at } = readCursor(caller, cursor);
    const { workspaceId, user } = caller;
    const snapshot = await collections.appFeeds().findOne({ _id: snapshotId, workspaceId, userId: user._id });
    if (!snapshot || snapshot.expiresAt <= now) throw new AppError("gone", "The feed has changed. Reload it.");
    return pageOf(caller, snapshot, at, limit);
  }
  const snapshot = await currentSnapshot(caller, now);
  const shelved = await readVisible(caller, [...snapshot.popular, ...snapshot.fresh]);
  const cards = await toCards(caller, [...shelved.values()]);
  const onShelf = (ids: readonly ObjectId[]) => ids.flatMap((id) => cards.get(id.toHexString()) ?? []);
  const [popular, fresh] = [onShelf(snapshot.popular), onShelf(snapshot.fresh)];
  return { popular, fresh, ...(await pageOf(caller, snapshot, 0, limit)) };
}

async function pageOf(
  caller: Caller,
  snapshot: FeedSnapshotDoc,
  from: number,
  limit: number,
): Promise<Pick<Feed, "apps" | "nextCursor">> {
  const shelved = new Set([...snapshot.popular, ...snapshot.fresh].map(String));
  const count = countIn(snapshot);
  const found: { app: AppDoc; at: number }[] = [];
  // One more than the page shows whether there is another page.
  for (let at = from; at < count && found.length <= limit; ) {
    const ids = idsIn(snapshot, at, Math.min(count, at + Math.max(BATCH_MIN, limit + 1)));
    const batch = ids.filter((id) => !shelved.has(id.toHexString()));
    const visible = await readVisible(caller, batch);
    for (const id of ids) {
      const app = visible.get(id.toHexString());
      if (app && found.length <= limit) found.push({ app, at });
      at++;
    }
  }
  const page = found.slice(0, limit);
  const cards = await toCards(
    caller,
    page.map(({ app }) => app),
  );
  const next = found[limit];
  return {
    apps: page.flatMap(({ app }) => cards.get(app._id.toHexString()) ?? []),
    nextCursor: next ? toCursor(caller, snapshot._id, next.at) : null,
  };
}

async function readVisible(caller: Caller, ids: readonly ObjectId[]): Promise<Map<string, AppDoc>> {
  if (ids.length === 0) return new Map();
  const docs = await collections
    .apps()
    .find({ ...shownTo(caller), _id: { $in: [...ids] } })
    .toArray();
  return new Map(docs.map((doc) => [doc._id.toHexString(), doc]));
}

async function toCards(caller: Caller, apps: readonly AppDoc[]): Promise<Map<string, Card>> {
  const { workspaceId, user } = caller;
  const ids = apps.map(({ _id }) => _id);
  const kept = await collections
    .appFavorites()
    .find({ workspaceId, userId: user._id, appId: { $in: ids } })
    .toArray();
  const favorites = new Set(kept.map(({ appId }) => appId.toHexString()));
  const shared = new Set((await listOpenlyShared({ workspaceId, kind: "app" }, ids)).map(String));
  const owners = new Map(
    (await findUserNames(apps.map(({ ownerId }) => ownerId))).map((each) => [String(each._id), each.name]),
  );
  return new Map(
    apps.map((app) => {
      const id = app._id.toHexString();
      const root = `/api/workspaces/${workspaceId.toHexString()}/apps/${id}`;
      return [
        id,
        {
          id,
          slug: app.slug,
          title: app.title,
          description: app.description,
          access: accessOf(app.space),
          owner: { id: app.ownerId.toHexString(), name: owners.get(app.ownerId.toHexString()) ?? "" },
          thumbnailUrl: app.thumbnail ? `${root}/view/${app.thumbnail}` : null,
          publishedAt: app.publishedAt?.toISOString() ?? null,
          updatedAt: app.updatedAt.toISOString(),
          views: app.views ?? 0,
          favorite: favorites.has(id),
          shared: shared.has(id),
        },
      ];
    }),
  );
}

/** Returns a cursor for a position in an order, valid only for this viewer in this workspace. */
function toCursor(caller: Caller, snapshotId: ObjectId, at: number): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.set(Buffer.from(snapshotId.toHexString(), "hex"));
  place.writeUInt32BE(at, 12);
  return Buffer.concat([place, macOf(caller, place)]).toString("base64url");
}

function readCursor(caller: Caller, cursor: string): { snapshotId: ObjectId; at: number } {
  const bytes = Buffer.from(cursor, "base64url");
  const place = bytes.subarray(0, PLACE_BYTES);
  const mac = bytes.subarray(PLACE_BYTES);
  // Base64 has several spellings of one text; only the canonical one is accepted.
  const isForm = bytes.length === PLACE_BYTES + MAC_BYTES && bytes.toString("base64url") === cursor;
  if (!isForm || !timingSafeEqual(mac, macOf(caller, place))) throw badCursor();
  return { snapshotId: new ObjectId(place.subarray(0, 12)), at: place.readUInt32BE(12) };
}

function macOf({ workspaceId, user }: Caller, place: Buffer): Buffer {
  const said = Buffer.from(`${workspaceId.toHexString()}${user._id.toHexString()}`, "hex");
  const mac = createHmac("sha256", deriveKey("app feed")).update(said).update(place).digest();
  return mac.subarray(0, MAC_BYTES);
}
