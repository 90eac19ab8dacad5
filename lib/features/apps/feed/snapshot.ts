import "server-only";
import { createHash } from "node:crypto";
import { Binary, ObjectId } from "mongodb";
import { visibleTo } from "@/lib/features/folders/model";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "../collections";
import { type AppFacts, FACTS, type FactsSource, knownApps, toFacts, wasShownTo } from "./facts";
import type { FeedSnapshotDoc } from "./model";
import { heatOfView, recencyOf, scoreOf, share } from "./weights";

/** An order that changed during paging would skip some apps and repeat others. */
const FROZEN_MS = 24 * 60 * 60_000;
const SHELF_MAX = 8;
/** Maximum number of orders per viewer: each new app creates another one. Cursors of older ones expire. */
const SNAPSHOTS_MAX = 20;
/** Servers' clocks differ; apps that were listed before are recognised by id. */
const CLOCKS_MS = 10 * 60_000;
/** Number of the caller's views to read: enough to rank by, few enough to read at once. */
const OWN_VIEWS_MAX = 1_000;
const CO_APPS = 20;
const CO_VIEWS_MAX = 2_000;
const ID_BYTES = 12;

/** Returns the filter of the feed: published apps that the caller may see, and the caller's own. */
export function shownTo(caller: Caller) {
  return { ...visibleTo(caller), $or: [{ publishedSha: { $ne: null } }, { ownerId: caller.user._id }] };
}

/** Returns the caller's frozen order, with newer apps at its head. */
export async function currentSnapshot(caller: Caller, now = new Date()): Promise<FeedSnapshotDoc> {
  const { workspaceId, user } = caller;
  const frozen = await collections
    .appFeeds()
    .findOne({ workspaceId, userId: user._id, expiresAt: { $gt: now } }, { sort: { _id: -1 } });
  const last = frozen ?? (await freeze(caller, now));
  const since = new Date(last.at.getTime() - CLOCKS_MS);
  const candidates = await collections
    .apps()
    .find<FactsSource>({ ...shownTo(caller), updatedAt: { $gt: since } }, { projection: FACTS })
    .toArray();
  if (candidates.length === 0) return frozen ?? keep(last);
  const known = new Set(hexIdsIn(last));
  const came = candidates
    .map(toFacts)
    .filter(({ id }) => !known.has(id))
    .sort(newestFirst);
  if (came.length === 0) return frozen ?? keep(last);
  const ids = came.map(({ id }) => id);
  const fresh = [...ids.map((id) => new ObjectId(id)), ...last.fresh].slice(0, SHELF_MAX);
  return keep({ ...last, _id: new ObjectId(), fresh, order: toOrder([...ids, ...hexIdsIn(last)]), at: now });
}

/** Counts the apps of an order, those of the shelves included. */
export function countIn({ order }: FeedSnapshotDoc): number {
  return order.position / ID_BYTES;
}

/** Returns a part of an order: the whole one is not decoded for a page. */
export function idsIn({ order }: FeedSnapshotDoc, from: number, until: number): ObjectId[] {
  const bytes = Buffer.from(order.buffer);
  return Array.from({ length: until - from }, (_, n) => {
    const at = (from + n) * ID_BYTES;
    return new ObjectId(bytes.subarray(at, at + ID_BYTES));
  });
}

function hexIdsIn(snapshot: FeedSnapshotDoc): string[] {
  const { order } = snapshot;
  const hex = Buffer.from(order.buffer).toString("hex", 0, order.position);
  return Array.from({ length: countIn(snapshot) }, (_, n) => hex.slice(n * 2 * ID_BYTES, (n + 1) * 2 * ID_BYTES));
}

async function freeze(caller: Caller, now: Date): Promise<FeedSnapshotDoc> {
  const { workspaceId, user } = caller;
  const { at, apps: all } = await knownApps(workspaceId, now);
  const apps = all.filter(wasShownTo(caller));
  const own = await readsOf(caller);
  const others = await coUsage(caller, own);
  const heatNow = heatOfView(now);
  const heatMost = apps.reduce((most, { heat }) => Math.max(most, heat / heatNow), 0);
  const [ownMost, coMost] = [Math.max(0, ...own.values()), Math.max(0, ...others.values())];
  const jitter = jitterOf(`${user._id.toHexString()} ${now.toISOString().slice(0, 10)}`);
  const scores = new Map(
    apps.map((app) => [
      app.id,
      scoreOf({
        ownReads: share(own.get(app.id) ?? 0, ownMost),
        popularity: share(app.heat / heatNow, heatMost),
        recency: recencyOf(app.publishedAt, now),
        coUsage: share(others.get(app.id) ?? 0, coMost),
        quality: app.quality,
        jitter: jitter(app.id),
      }),
    ]),
  );
  const byScore = (a: AppFacts, b: AppFacts) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || byId(a, b);
  const ranked = apps.toSorted(byScore);
  const popular = firstOf(
    ranked.filter(({ publishedAt, heat }) => publishedAt !== null && heat > 0),
    (a, b) => b.heat - a.heat || byScore(a, b),
  );
  const fresh = firstOf(
    apps.filter((app) => !popular.includes(app)),
    newestFirst,
  );
  const toIds = (of: readonly AppFacts[]) => of.map(({ id }) => new ObjectId(id));
  return {
    _id: new ObjectId(),
    workspaceId,
    userId: user._id,
    popular: toIds(popular),
    fresh: toIds(fresh),
    order: toOrder(ranked.map(({ id }) => id)),
    at,
    expiresAt: new Date(now.getTime() + FROZEN_MS),
  };
}

/** Returns the first few apps of an order without sorting all of them. */
function firstOf(apps: readonly AppFacts[], order: (a: AppFacts, b: AppFacts) => number): AppFacts[] {
  const first: AppFacts[] = [];
  for (const app of apps) {
    const worst = first[SHELF_MAX - 1];
    if (worst && order(worst, app) <= 0) continue;
    first.push(app);
    first.sort(order);
    first.length = Math.min(first.length, SHELF_MAX);
  }
  return first;
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

/** Counts, for each app, the users who open it and also open an app that the caller opens most. */
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

/** Returns a function from app id to a number from 0 to 1, stable for one viewer and day. */
function jitterOf(viewerAndDay: string): (id: string) => number {
  const seed = createHash("sha1").update(viewerAndDay).digest().readUInt32BE(0);
  return (id) => {
    // Counter and machine are at the end of an id; MurmurHash3's finaliser spreads neighbouring ids.
    let mixed = seed ^ Number.parseInt(id.slice(16), 16) ^ Math.imul(Number.parseInt(id.slice(8, 16), 16), 0x9e3779b1);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

function newestFirst(a: AppFacts, b: AppFacts): number {
  return (b.publishedAt ?? b.createdAt) - (a.publishedAt ?? a.createdAt) || byId(a, b);
}

function byId(a: AppFacts, b: AppFacts): number {
  return a.id < b.id ? 1 : -1;
}

function toOrder(ids: readonly string[]): Binary {
  return new Binary(Buffer.from(ids.join(""), "hex"));
}
