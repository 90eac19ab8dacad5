import type { Binary, ObjectId } from "mongodb";
import type { PictureTheme } from "@/lib/features/dashboards/picture/paint";
import type { Comparison, Grain } from "@/lib/features/results/crossfilter/words";
import type { RunResource } from "@/lib/features/runs/model";
import type { Work } from "@/lib/platform/work/model";
import { type ChannelDoc, type ChannelType, channelOf } from "./channels/registry";
import type { RuledType, Trigger } from "./payload-schema";
import type { Attempt, Delivery, DeliveryDetails, DeliveryStatus, Rule } from "./schema";

/** A resource with rules, in one workspace. */
export type RuledResource = Omit<RunResource, "resourceType"> & { resourceType: RuledType };

export type RuleDoc = RuledResource & {
  _id: ObjectId;
  enabled: boolean;
  triggers: Trigger[];
  channel: ChannelDoc;
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
  /** Incremented with each change: of two concurrent changes, the second is applied again on top of the first. */
  revision: number;
  lastDeliveryId?: ObjectId;
};

export type AttemptDoc = Omit<Attempt, "at"> & { at: Date };

/** Sender of a message: a rule, or a snapshot of a dashboard. */
export type Sender = Pick<RuleDoc, "_id" | "workspaceId" | "enabled" | "channel">;

/** A dashboard that is sent on a schedule, which is stored in `lib/features/runs/schedules`. */
export type SnapshotDoc = Sender & {
  dashboardId: ObjectId;
  /** Filters of the page, as JSON: the names of filters are the dashboard's. */
  filters: string;
  grain: Grain | null;
  compare: Comparison | null;
  /** Absent from documents older than these settings: light, and no PDF. */
  theme?: PictureTheme;
  withPdf?: boolean;
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
  revision: number;
  lastDeliveryId?: ObjectId;
};

/** Picture of one snapshot, which its messages show. */
export type SnapshotPictureDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  dashboardId: ObjectId;
  tokenHash: string;
  png: Binary;
  /** Present if one was requested. */
  pdf?: Binary;
  createdAt: Date;
};

export type DeliveryDoc = RunResource & {
  _id: ObjectId;
  /**
   * Resource type, resource, run, trigger, channel and rule, joined by colons: one delivery for each
   * (docs/develop/notifications.md).
   */
  key: string;
  ruleId: ObjectId;
  runId: ObjectId;
  resourceName: string;
  trigger: Trigger;
  channelType: ChannelType;
  /** Opaque key of the receiver's host: deliveries to one host wait only for each other. */
  target: string;
  /** Lets receivers detect repeats; the same for every send. */
  webhookId: string;
  /** The payload as sent: serialized once, so that the signed text is the sent text (T75). */
  body: string;
  status: DeliveryStatus;
  /** Number of sends since it was queued, including one in flight. */
  attempts: number;
  /** Number of sends since it was last queued; the maximum is `SENDS_MAX`. */
  roundAttempts: number;
  attemptLog: AttemptDoc[];
  httpStatus: number | null;
  lastError: string | null;
  sentAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  /**
   * Its sends. Between two of them, `dueAt` is the time after which the job runner is overdue. Absent from those that
   * ended in earlier versions.
   */
  work?: Work;
};

/** Returns the public fields of a rule, chosen one by one, so that no encrypted field slips through (T76). */
export function toRule(doc: RuleDoc): Rule {
  return {
    id: doc._id.toHexString(),
    workspaceId: doc.workspaceId.toHexString(),
    resourceType: doc.resourceType,
    resourceId: doc.resourceId.toHexString(),
    enabled: doc.enabled,
    triggers: doc.triggers,
    channelType: doc.channel.type,
    channel: toChannel(doc.channel),
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}

export function toChannel(channel: ChannelDoc): Rule["channel"] {
  return channelOf(channel.type).show(channel) as Rule["channel"];
}

export function toDelivery(doc: DeliveryDoc): Delivery {
  return {
    id: doc._id.toHexString(),
    ruleId: doc.ruleId.toHexString(),
    runId: doc.runId.toHexString(),
    resourceType: doc.resourceType,
    resourceId: doc.resourceId.toHexString(),
    resourceName: doc.resourceName,
    trigger: doc.trigger,
    channelType: doc.channelType,
    status: doc.status,
    attempts: doc.attempts,
    httpStatus: doc.httpStatus,
    lastError: doc.lastError,
    sentAt: doc.sentAt?.toISOString() ?? null,
    completedAt: doc.completedAt?.toISOString() ?? null,
    createdAt: doc.createdAt.toISOString(),
  };
}

export function toDeliveryDetails(doc: DeliveryDoc): DeliveryDetails {
  const attemptLog = doc.attemptLog.map(({ at, ...facts }) => ({ at: at.toISOString(), ...facts }));
  return { ...toDelivery(doc), attemptLog };
}
