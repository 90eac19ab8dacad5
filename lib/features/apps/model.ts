import type { Binary, ObjectId } from "mongodb";
import { accessOf, type Space } from "@/lib/features/folders/model";
import { ownBranch } from "@/lib/features/repository/service";
import type { Work } from "@/lib/platform/work/model";
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
  /** The served deployment; absent for apps that were never published. */
  deploymentId?: ObjectId;
  /** Picture served with the app; absent or null without one. */
  thumbnail?: string | null;
  /** Number of views, and the same with older views counting less (lib/features/apps/feed/weights.ts). */
  views?: number;
  heat?: number;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * A slug that an app has or had. It is never reused: a user's branch may still hold the files of the app that had it.
 */
export type AppSlugDoc = { _id: ObjectId; workspaceId: ObjectId; space: Space; slug: string };

/** Removal of an app's folder from main. Written before the app is deleted or moved, by the server that does it. */
export type AppRemovalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  space: Space;
  slug: string;
  author: { name: string; email: string };
  message: string;
  createdAt: Date;
  work?: Work;
};

/** A user's uncommitted change to one file. `baseOid` is the content before it; null if there was no file. */
export type Draft = { path: string; baseOid: string | null } & (
  | { kind: "put"; oid: string; bytes: number; contentId: ObjectId }
  | { kind: "delete" }
);

/** A user's uncommitted changes to one app. `version` is incremented by compare-and-set. */
export type WorkbenchDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  userId: ObjectId;
  version: number;
  drafts: Draft[];
  updatedAt: Date;
};

/** A chunk of a draft's content. */
export type DraftPartDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  workbenchId: ObjectId;
  contentId: ObjectId;
  n: number;
  data: Binary;
  createdAt: Date;
};

/**
 * A binding of an app by its name, independent of its current statement. Its rows are in lib/features/results/datasets.
 */
export type BindingDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  name: string;
  /** Time at which a refresh was queued; absent without one. */
  queuedAt?: Date;
  /** Last tick of its schedule that was queued. */
  lastTick?: Date;
  /** Reason why the last refresh could not start; errors of the read itself are stored with the dataset. */
  failure?: { message: string; at: Date };
};

/**
 * Bindings of an app at one commit, stored once all of them were ready. Those of the app's `publishedSha` are live;
 * those of other commits are not visible.
 */
export type BindingSetDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  sha: string;
  /** User with whose rights they are read. */
  publisherId: ObjectId;
  /** Connections that they read. */
  connectionIds: ObjectId[];
  /** Binding files as committed. `sourceKey` is the key of their rows. */
  bindings: { name: string; path: string; content: string; sourceKey: string }[];
  at: Date;
  /** Due while it may be live and schedules may not match it. */
  work?: Work;
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
