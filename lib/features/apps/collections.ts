import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import { workIndex } from "@/lib/platform/work/model";
import type { AppFavoriteDoc, AppViewDoc, FeedSnapshotDoc } from "./feed/model";
import type { AppDoc, AppRemovalDoc, AppSlugDoc, BindingDoc, BindingSetDoc, DraftPartDoc, WorkbenchDoc } from "./model";
import type { BlobPartDoc, BuildDoc, BuiltFileDoc, DeploymentDoc, OperationDoc } from "./publish/model";

export const collections = {
  apps: declareCollection<AppDoc>("apps", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, space: 1, slug: 1 }, unique: true, serves: "an app by the name of its folder" },
      { key: { workspaceId: 1, _id: 1 }, serves: "number of apps of a workspace" },
      { key: { workspaceId: 1, space: 1, _id: 1 }, serves: "the apps visible to a member, oldest first" },
      { key: { workspaceId: 1, updatedAt: -1 }, serves: "apps changed since a feed was created" },
    ],
  }),
  appSlugs: declareCollection<AppSlugDoc>("app_slugs", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, space: 1, slug: 1 }, unique: true, serves: "slugs are never reused" }],
  }),
  appRemovals: declareCollection<AppRemovalDoc>("app_removals", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1 }, serves: "deletion of a workspace" },
      workIndex("unfinished removals of dead servers"),
    ],
  }),
  appWorkbenches: declareCollection<WorkbenchDoc>("app_workbenches", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, userId: 1 }, unique: true, serves: "a member's drafts of an app" },
      { key: { workspaceId: 1, userId: 1, updatedAt: -1 }, serves: "a member's last edited apps" },
    ],
  }),
  appBindings: declareCollection<BindingDoc>("app_bindings", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, name: 1 }, unique: true, serves: "a binding of an app" },
      { key: { queuedAt: 1 }, sparse: true, serves: "queued refreshes" },
    ],
  }),
  appBindingSets: declareCollection<BindingSetDoc>("app_binding_sets", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, sha: 1 }, unique: true, serves: "the bindings of a deployment" },
      { key: { workspaceId: 1, connectionIds: 1 }, serves: "the apps that read a connection" },
      workIndex("unfinished binding updates of dead servers"),
    ],
  }),
  appDraftParts: declareCollection<DraftPartDoc>("app_draft_parts", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, contentId: 1, n: 1 }, unique: true, serves: "a draft's content, in order" },
      { key: { workspaceId: 1, workbenchId: 1 }, serves: "contents of a member's drafts of an app" },
    ],
  }),
  appOperations: declareCollection<OperationDoc>("app_operations", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, _id: -1 }, serves: "operations of an app, newest first" },
      { key: { runsFor: 1 }, unique: true, sparse: true, serves: "one running operation per app" },
      workIndex("unfinished operations of dead servers"),
      { key: { createdAt: 1 }, expireAfterSeconds: 30 * DAY_SECONDS, serves: "expiry of operations" },
    ],
  }),
  appDeployments: declareCollection<DeploymentDoc>("app_deployments", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, appId: 1, sha: 1, buildId: 1 },
        unique: true,
        serves: "one deployment per commit",
      },
      { key: { workspaceId: 1, appId: 1, _id: -1 }, serves: "the versions of an app, newest first" },
    ],
  }),
  appBuilds: declareCollection<BuildDoc>("app_builds", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, key: 1 }, unique: true, serves: "reuse of builds with the same files" },
    ],
  }),
  appBuiltFiles: declareCollection<BuiltFileDoc>("app_built_files", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, buildId: 1, path: 1 }, unique: true, serves: "a file of a deployment" },
      { key: { workspaceId: 1, appId: 1, hash: 1 }, serves: "references to stored content" },
    ],
  }),
  appBlobParts: declareCollection<BlobPartDoc>("app_blob_parts", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, appId: 1, hash: 1, n: 1 },
        unique: true,
        serves: "the parts of stored content, in order",
      },
    ],
  }),
  appViews: declareCollection<AppViewDoc>("app_views", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, userId: 1 }, unique: true, serves: "one view count per app and member" },
      { key: { workspaceId: 1, userId: 1, lastAt: -1 }, serves: "a member's last opened apps" },
    ],
  }),
  appFavorites: declareCollection<AppFavoriteDoc>("app_favorites", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, userId: 1, appId: 1 }, unique: true, serves: "a member's favourites" },
      { key: { workspaceId: 1, appId: 1 }, serves: "deletion of an app" },
    ],
  }),
  appFeeds: declareCollection<FeedSnapshotDoc>("app_feeds", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, userId: 1, _id: -1 }, serves: "the order of a member's feed" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of feed orders" },
    ],
  }),
};
