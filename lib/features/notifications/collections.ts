import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import { workIndex } from "@/lib/platform/work/model";
import type { DeliveryDoc, RuleDoc, SnapshotDoc, SnapshotPictureDoc } from "./model";

/** Days that deliveries are kept (docs/develop/api.md, Notifications). */
const DELIVERY_DAYS = 30;

export const collections = {
  notificationRules: declareCollection<RuleDoc>("notification_rules", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, resourceType: 1, resourceId: 1, _id: 1 },
        serves: "the rules of a resource: for its page, when its run ends, when it is deleted",
      },
      { key: { workspaceId: 1, _id: -1 }, serves: "all rules of a workspace, newest first" },
      { key: { workspaceId: 1, "channel.type": 1, _id: -1 }, serves: "the rules of a channel, newest first" },
    ],
  }),
  snapshots: declareCollection<SnapshotDoc>("dashboardSnapshots", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, dashboardId: 1, _id: 1 },
        serves: "the snapshots of a dashboard, also when it is deleted",
      },
    ],
  }),
  snapshotPictures: declareCollection<SnapshotPictureDoc>("snapshotPictures", {
    isOfWorkspace: true,
    indexes: [
      { key: { tokenHash: 1 }, unique: true, sparse: true, serves: "look-up of an image by its URL" },
      { key: { workspaceId: 1, dashboardId: 1 }, serves: "deletion of a dashboard's images" },
      {
        key: { createdAt: 1 },
        expireAfterSeconds: DELIVERY_DAYS * DAY_SECONDS,
        serves: "expiry of images, with the deliveries",
      },
    ],
  }),
  deliveries: declareCollection<DeliveryDoc>("deliveries", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { key: 1 },
        unique: true,
        sparse: true,
        serves: "one delivery per event and rule (T80)",
      },
      { key: { workspaceId: 1, resourceType: 1, resourceId: 1, _id: -1 }, serves: "the deliveries of a resource" },
      { key: { workspaceId: 1, _id: -1 }, serves: "all deliveries of a workspace, newest first" },
      {
        key: { workspaceId: 1, channelType: 1, status: 1, _id: -1 },
        serves: "the deliveries of a workspace with a status or by a channel, newest first",
      },
      { key: { workspaceId: 1, ruleId: 1, status: 1, _id: -1 }, serves: "the deliveries of a rule, newest first" },
      {
        key: { target: 1, _id: 1 },
        partialFilterExpression: { status: "queued" },
        serves: "queued deliveries of a host, which one call sends together",
      },
      workIndex("unfinished and overdue deliveries"),
      {
        key: { createdAt: 1 },
        expireAfterSeconds: DELIVERY_DAYS * DAY_SECONDS,
        serves: "expiry of deliveries",
      },
    ],
  }),
};
