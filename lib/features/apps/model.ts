import type { Binary, ObjectId } from "mongodb";
import { accessOf, type Space } from "@/lib/features/folders/model";
import { ownBranch } from "@/lib/features/repository/service";
import type { App } from "./schema";

export type AppDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  space: Space;
  slug: string;
  title: string;
  description: string;
  ownerId: ObjectId;
  publishedSha: string | null;
  publishedAt: Date | null;
  /** What is served; absent of apps that were never published. */
  deploymentId?: ObjectId;
  /** The picture that is served beside it; absent or null without one. */
  thumbnail?: string | null;
  /** How often it was opened, and the same with what is long ago counting less (lib/features/apps/feed/weights.ts). */
  views?: number;
  heat?: number;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * A slug that an app has or had. It is never given out again: somebody's branch may still hold the files of the app that
 * had it.
 */
export type AppSlugDoc = { _id: ObjectId; workspaceId: ObjectId; space: Space; slug: string };

/** A folder of an app that has left, which main must not keep. Written before the app leaves. */
export type AppRemovalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  space: Space;
  slug: string;
  author: { name: string; email: string };
  message: string;
  createdAt: Date;
};

/** What somebody has done to one file and not committed. `baseOid` is what was there before; null for nothing. */
export type Draft = { path: string; baseOid: string | null } & (
  | { kind: "put"; oid: string; bytes: number; contentId: ObjectId }
  | { kind: "delete" }
);

/** All that one person has not committed of one app. `version` moves by compare-and-set. */
export type WorkbenchDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  userId: ObjectId;
  version: number;
  drafts: Draft[];
  updatedAt: Date;
};

/** A part of the content of a draft. */
export type DraftPartDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  workbenchId: ObjectId;
  contentId: ObjectId;
  n: number;
  data: Binary;
  createdAt: Date;
};

/** A binding of an app by its name, whatever its statement is at the time. Its rows are with lib/features/results/datasets. */
export type BindingDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  name: string;
  /** Its rows are to be read anew, since then; absent when nothing is to be done. */
  queuedAt?: Date;
  /** The last moment of its schedule that was queued. */
  lastTick?: Date;
  /** Why the last refresh was not even begun; the datasets' own failures are with them. */
  failure?: { message: string; at: Date };
};

/**
 * The bindings of an app at one commit, once all of them were ready: with the app's `publishedSha` they are what is served,
 * and of any other commit nobody sees them.
 */
export type BindingSetDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  sha: string;
  /** With whose rights they are read. */
  publisherId: ObjectId;
  /** The connections that they read. */
  connectionIds: ObjectId[];
  /** Their files as they were committed. `sourceKey` is what their rows are kept as. */
  bindings: { name: string; path: string; content: string; sourceKey: string }[];
  at: Date;
  /** Since then it may be served, and schedules may not be what it says; absent once they are. */
  unsettledSince?: Date;
};

export function folderOf({ slug }: Pick<AppDoc, "slug">): string {
  return `apps/${slug}`;
}

export function toApp(doc: AppDoc, userId: ObjectId, thumbnail: string | null): App {
  return {
    id: doc._id.toHexString(),
    slug: doc.slug,
    title: doc.title,
    description: doc.description,
    access: accessOf(doc.space),
    ownerId: doc.ownerId.toHexString(),
    branch: ownBranch(userId),
    publishedSha: doc.publishedSha,
    publishedAt: doc.publishedAt?.toISOString() ?? null,
    thumbnail,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
