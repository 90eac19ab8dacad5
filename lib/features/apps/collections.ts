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
      { key: { workspaceId: 1, _id: 1 }, serves: "how many apps a workspace has" },
      { key: { workspaceId: 1, updatedAt: -1 }, serves: "what has come since a feed was frozen" },
    ],
  }),
  appSlugs: declareCollection<AppSlugDoc>("app_slugs", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, space: 1, slug: 1 }, unique: true, serves: "a slug is given out once" }],
  }),
  appRemovals: declareCollection<AppRemovalDoc>("app_removals", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1 }, serves: "the end of a workspace" },
      workIndex("removals whose server has died"),
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
      workIndex("bindings whose server has died before it settled them"),
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
      { key: { workspaceId: 1, appId: 1, _id: -1 }, serves: "what was done to an app, newest first" },
      { key: { runsFor: 1 }, unique: true, sparse: true, serves: "one at a time changes what an app shows" },
      workIndex("operations whose server has died"),
      { key: { createdAt: 1 }, expireAfterSeconds: 30 * DAY_SECONDS, serves: "operations are kept for a month" },
    ],
  }),
  appDeployments: declareCollection<DeploymentDoc>("app_deployments", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, appId: 1, sha: 1, buildId: 1 },
        unique: true,
        serves: "a commit that is published twice is one deployment",
      },
      { key: { workspaceId: 1, appId: 1, _id: -1 }, serves: "the versions of an app, newest first" },
    ],
  }),
  appBuilds: declareCollection<BuildDoc>("app_builds", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, key: 1 }, unique: true, serves: "the same files are never built twice" },
    ],
  }),
  appBuiltFiles: declareCollection<BuiltFileDoc>("app_built_files", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, buildId: 1, path: 1 }, unique: true, serves: "a file of a deployment" },
      { key: { workspaceId: 1, appId: 1, hash: 1 }, serves: "whether a content is still used" },
    ],
  }),
  appBlobParts: declareCollection<BlobPartDoc>("app_blob_parts", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, appId: 1, hash: 1, n: 1 }, unique: true, serves: "a content, in order" }],
  }),
  appViews: declareCollection<AppViewDoc>("app_views", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, appId: 1, userId: 1 }, unique: true, serves: "one count for each who opens an app" },
      { key: { workspaceId: 1, userId: 1, lastAt: -1 }, serves: "a member's last opened apps" },
    ],
  }),
  appFavorites: declareCollection<AppFavoriteDoc>("app_favorites", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, userId: 1, appId: 1 }, unique: true, serves: "a member's favourites" },
      { key: { workspaceId: 1, appId: 1 }, serves: "the end of an app" },
    ],
  }),
  appFeeds: declareCollection<FeedSnapshotDoc>("app_feeds", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, userId: 1, _id: -1 }, serves: "the order of a member's feed" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "an order is frozen for a day" },
    ],
  }),
};
