import "server-only";
import { createHash } from "node:crypto";
import { Binary, ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { visibleTo } from "@/lib/folders/model";
import { collections } from "../collections";
import { APPS_MAX } from "../limits";
import type { AppDoc } from "../model";
import type { FeedSnapshotDoc } from "./model";
import { recencyOf, scoreOf, share, viewsLeft } from "./weights";

/** An order that moved under its reader would hide some apps and show others twice. */
const FROZEN_MS = 24 * 60 * 60_000;
const SHELF_MAX = 8;
/** Orders of one viewer: each new app makes another one. The cursors of older ones end. */
const SNAPSHOTS_MAX = 20;
/** Clocks of servers differ; what was there already is known by its id. */
const CLOCKS_MS = 10 * 60_000;
/** Whose habits are looked at: enough to tell, few enough to read at once. */
const OWN_VIEWS_MAX = 1_000;
const CO_APPS = 20;
const CO_VIEWS_MAX = 2_000;
const ID_BYTES = 12;

type Seen = Pick<
  AppDoc,
  "_id" | "description" | "publishedAt" | "updatedAt" | "createdAt" | "views" | "heat" | "thumbnail"
>;
const SEEN = { description: 1, publishedAt: 1, updatedAt: 1, createdAt: 1, views: 1, heat: 1, thumbnail: 1 } as const;

/** What the feed shows somebody: published apps that they may see, and their own. */
export function shownTo(caller: Caller) {
  return { ...visibleTo(caller), $or: [{ publishedSha: { $ne: null } }, { ownerId: caller.user._id }] };
}

/** The caller's order as it is frozen, with what has come since at its head. */
export async function currentSnapshot(caller: Caller, now = new Date()): Promise<FeedSnapshotDoc> {
  const { workspaceId, user } = caller;
  const last = await collections
    .appFeeds()
    .findOne({ workspaceId, userId: user._id, expiresAt: { $gt: now } }, { sort: { _id: -1 } });
  if (!last) return keep(await freeze(caller, now));
  const known = new Set(idsIn(last).map(String));
  const since = new Date(last.at.getTime() - CLOCKS_MS);
  const candidates = await collections
    .apps()
    .find<Seen>({ ...shownTo(caller), updatedAt: { $gt: since } }, { projection: SEEN })
    .toArray();
  const came = candidates.filter(({ _id }) => !known.has(_id.toHexString())).sort(newestFirst);
  if (came.length === 0) return last;
  const ids = came.map(({ _id }) => _id);
  const fresh = [...ids, ...last.fresh].slice(0, SHELF_MAX);
  return keep({ ...last, _id: new ObjectId(), fresh, order: toOrder([...ids, ...idsIn(last)]), at: now });
}

/** All apps of an order, those of the shelves included. */
export function idsIn({ order }: FeedSnapshotDoc): ObjectId[] {
  const bytes = order.buffer;
  const ids: ObjectId[] = [];
  for (let at = 0; at < order.position; at += ID_BYTES) ids.push(new ObjectId(bytes.subarray(at, at + ID_BYTES)));
  return ids;
}

async function freeze(caller: Caller, now: Date): Promise<FeedSnapshotDoc> {
  const { workspaceId, user } = caller;
  const apps = await collections.apps().find<Seen>(shownTo(caller), { projection: SEEN }).limit(APPS_MAX).toArray();
  const own = await readsOf(caller);
  const others = await coUsage(caller, own);
  const most = (counts: Iterable<number>) => Math.max(0, ...counts);
  const heats = new Map(apps.map(({ _id, heat = 0 }) => [_id.toHexString(), viewsLeft(heat, now)]));
  const [ownMost, heatMost, coMost] = [most(own.values()), largest(heats.values()), most(others.values())];
  const day = now.toISOString().slice(0, 10);
  const ranked = apps
    .map((app) => {
      const id = app._id.toHexString();
      const score = scoreOf({
        ownReads: share(own.get(id) ?? 0, ownMost),
        popularity: share(heats.get(id) ?? 0, heatMost),
        recency: recencyOf(app.publishedAt, now),
        coUsage: share(others.get(id) ?? 0, coMost),
        quality: qualityOf(app),
        jitter: jitterOf(`${user._id.toHexString()} ${day} ${id}`),
      });
      return { app, id, score };
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
  const popular = ranked
    .filter(({ app }) => app.publishedAt !== null && (app.heat ?? 0) > 0)
    .sort((a, b) => (heats.get(b.id) ?? 0) - (heats.get(a.id) ?? 0))
    .slice(0, SHELF_MAX)
    .map(({ app }) => app);
  const fresh = apps
    .filter((app) => !popular.includes(app))
    .sort(newestFirst)
    .slice(0, SHELF_MAX);
  return {
    _id: new ObjectId(),
    workspaceId,
    userId: user._id,
    popular: popular.map(({ _id }) => _id),
    fresh: fresh.map(({ _id }) => _id),
    order: toOrder(ranked.map(({ app }) => app._id)),
    at: now,
    expiresAt: new Date(now.getTime() + FROZEN_MS),
  };
}

async function keep(doc: FeedSnapshotDoc): Promise<FeedSnapshotDoc> {
  const { workspaceId, userId } = doc;
  await collections.appFeeds().insertOne(doc);
  const older = await collections
    .appFeeds()
    .find({ workspaceId, userId }, { projection: { _id: 1 } })
    .sort({ _id: -1 })
    .skip(SNAPSHOTS_MAX)
    .toArray();
  if (older.length > 0) {
    await collections.appFeeds().deleteMany({ workspaceId, _id: { $in: older.map(({ _id }) => _id) } });
  }
  return doc;
}

async function readsOf({ workspaceId, user }: Caller): Promise<Map<string, number>> {
  const docs = await collections
    .appViews()
    .find({ workspaceId, userId: user._id }, { projection: { appId: 1, count: 1 } })
    .sort({ lastAt: -1 })
    .limit(OWN_VIEWS_MAX)
    .toArray();
  return new Map(docs.map(({ appId, count }) => [appId.toHexString(), count]));
}

/** What those open who open what the caller does: for each app, how many of them. */
async function coUsage({ workspaceId, user }: Caller, own: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const favourites = [...own].sort((a, b) => b[1] - a[1]).slice(0, CO_APPS);
  if (favourites.length === 0) return new Map();
  const alike = await collections
    .appViews()
    .find({ workspaceId, appId: { $in: favourites.map(([id]) => new ObjectId(id)) } }, { projection: { userId: 1 } })
    .limit(CO_VIEWS_MAX)
    .toArray();
  const people = new Map(
    alike.filter(({ userId }) => !userId.equals(user._id)).map(({ userId }) => [String(userId), userId]),
  );
  if (people.size === 0) return new Map();
  const counts = new Map<string, number>();
  const theirs = collections
    .appViews()
    .find({ workspaceId, userId: { $in: [...people.values()] } }, { projection: { appId: 1 } })
    .sort({ lastAt: -1 })
    .limit(CO_VIEWS_MAX);
  for await (const { appId } of theirs) {
    const id = appId.toHexString();
    if (!own.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** What its maker has done for those who look for it: words, a picture, something to see. */
function qualityOf({ description, thumbnail, publishedAt }: Seen): number {
  return (description === "" ? 0 : 0.4) + (thumbnail ? 0.3 : 0) + (publishedAt ? 0.3 : 0);
}

/** Of this viewer, this day and this app alone, from 0 to 1: the same however often it is asked for. */
function jitterOf(text: string): number {
  return createHash("sha1").update(text).digest().readUInt32BE(0) / 2 ** 32;
}

function newestFirst(a: Seen, b: Seen): number {
  const at = ({ publishedAt, createdAt }: Seen) => (publishedAt ?? createdAt).getTime();
  return at(b) - at(a) || (a._id.toHexString() < b._id.toHexString() ? 1 : -1);
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}

function toOrder(ids: readonly ObjectId[]): Binary {
  return new Binary(Buffer.concat(ids.map((id) => Buffer.from(id.toHexString(), "hex"))));
}
