import "server-only";
import type { ObjectId } from "mongodb";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import type { Caller } from "@/lib/platform/access/caller";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "../collections";
import { APPS_MAX } from "../limits";
import type { AppDoc } from "../model";

/** Input of the ranking; times in milliseconds. */
export type AppFacts = {
  id: string;
  space: string;
  ownerId: string;
  isPublished: boolean;
  publishedAt: number | null;
  createdAt: number;
  heat: number;
  /** Completeness of the app's presentation, from 0 to 1. */
  quality: number;
};

/** All apps of a workspace at a point in time; later ones are looked up from there. */
export type KnownApps = { at: Date; apps: readonly AppFacts[] };

/** Popularity changes over weeks. After this time cached facts are still returned, and refreshed in the background. */
const FRESH_MS = 10 * 60_000;
/** Maximum age of cached facts, the same as for a frozen order. */
const KEPT_MS = 24 * 60 * 60_000;
/** Most recently used workspaces. 10,000 apps take about 3 MB. */
const WORKSPACES_MAX = 10;

export type CachedFacts = { known: Promise<KnownApps>; since: number; isBeingRead: boolean };
export type FactsSource = Pick<
  AppDoc,
  "_id" | "space" | "ownerId" | "publishedSha" | "description" | "publishedAt" | "createdAt" | "heat" | "thumbnail"
>;
/** Projection of an app for `toFacts`. */
export const FACTS = {
  space: 1,
  ownerId: 1,
  publishedSha: 1,
  description: 1,
  publishedAt: 1,
  createdAt: 1,
  heat: 1,
  thumbnail: 1,
} as const;

const entries = serverMember("appFeedFacts", () => new Map<string, CachedFacts>());

/**
 * Returns cached facts. Reading 10,000 apps takes longer than a first page may take, so one read serves all viewers.
 */
export function knownApps(workspaceId: ObjectId, now: Date): Promise<KnownApps> {
  const id = workspaceId.toHexString();
  const entry = entries().get(id);
  const age = entry ? Math.abs(now.getTime() - entry.since) : Number.POSITIVE_INFINITY;
  if (!entry || age > KEPT_MS) return keep(id, read(workspaceId, now), now);
  if (age > FRESH_MS && !entry.isBeingRead) {
    entry.isBeingRead = true;
    const again = read(workspaceId, now);
    again.then(
      () => keep(id, again, now),
      () => {
        entry.isBeingRead = false;
      },
    );
  }
  // Most recently used entries are last.
  entries().delete(id);
  entries().set(id, entry);
  return entry.known;
}

function keep(id: string, known: Promise<KnownApps>, now: Date): Promise<KnownApps> {
  const entry = { known, since: now.getTime(), isBeingRead: false };
  entries().delete(id);
  entries().set(id, entry);
  for (const oldest of entries().keys()) {
    if (entries().size <= WORKSPACES_MAX) break;
    entries().delete(oldest);
  }
  // A failed read is not cached.
  known.catch(() => {
    if (entries().get(id) === entry) entries().delete(id);
  });
  return known;
}

async function read(workspaceId: ObjectId, now: Date): Promise<KnownApps> {
  const docs = collections.apps().find<FactsSource>({ workspaceId }, { projection: FACTS }).limit(APPS_MAX);
  const apps: AppFacts[] = [];
  for await (const doc of docs) apps.push(toFacts(doc));
  return { at: now, apps };
}

export function toFacts(app: FactsSource): AppFacts {
  return {
    id: app._id.toHexString(),
    space: app.space,
    ownerId: app.ownerId.toHexString(),
    isPublished: app.publishedSha !== null,
    publishedAt: app.publishedAt?.getTime() ?? null,
    createdAt: app.createdAt.getTime(),
    heat: app.heat ?? 0,
    quality: (app.description === "" ? 0 : 0.4) + (app.thumbnail ? 0.3 : 0) + (app.publishedAt ? 0.3 : 0),
  };
}

/** Evaluates `shownTo` on cached facts. The apps of a page are checked in the database again. */
export function wasShownTo({ user }: Caller): (app: AppFacts) => boolean {
  const me = user._id.toHexString();
  return ({ space, ownerId, isPublished }) =>
    (space === WORKSPACE_SPACE || space === me) && (isPublished || ownerId === me);
}
