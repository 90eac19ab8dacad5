import type { Binary, ObjectId } from "mongodb";
import type { PictureTheme } from "@/lib/features/dashboards/picture/paint";
import type { Comparison, Grain } from "@/lib/features/results/crossfilter/words";
import type { RunResource } from "@/lib/features/runs/model";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type {
  Attempt,
  ChannelType,
  Delivery,
  DeliveryDetails,
  DeliveryStatus,
  Rule,
  RuledType,
  Trigger,
} from "./schema";

/** A channel as it is stored. Addresses of webhooks and chats let whoever has them post there: they are sealed (T85). */
export type ChannelDoc =
  | { type: "email"; recipients: string[] }
  | { type: "webhook"; url: Sealed; urlPreview: string; secret: Sealed }
  | { type: "chat"; url: Sealed; displayLabel: string | null };

/** What rules stand on, of one workspace. */
export type RuledResource = Omit<RunResource, "resourceType"> & { resourceType: RuledType };

export type RuleDoc = RuledResource & {
  _id: ObjectId;
  enabled: boolean;
  triggers: Trigger[];
  channel: ChannelDoc;
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
  /** One more with each change: of two changes at once the second is made anew on the first. */
  revision: number;
  lastDeliveryId?: ObjectId;
};

export type AttemptDoc = Omit<Attempt, "at"> & { at: Date };

/** By what a message goes out: a rule, or a snapshot of a dashboard. */
export type Sender = Pick<RuleDoc, "_id" | "workspaceId" | "enabled" | "channel">;

/** A dashboard that is sent on a schedule. When that is is known to `lib/features/runs/schedules`. */
export type SnapshotDoc = Sender & {
  dashboardId: ObjectId;
  /** What the page is narrowed to, as JSON: names of filters are the dashboard's own. */
  filters: string;
  grain: Grain | null;
  compare: Comparison | null;
  /** What was made before there was a choice has none: light, and no PDF. */
  theme?: PictureTheme;
  withPdf?: boolean;
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
  revision: number;
  lastDeliveryId?: ObjectId;
};

/** The picture of one snapshot, which its messages show. */
export type SnapshotPictureDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  dashboardId: ObjectId;
  tokenHash: string;
  png: Binary;
  /** Where one was asked for. */
  pdf?: Binary;
  createdAt: Date;
};

export type DeliveryDoc = RunResource & {
  _id: ObjectId;
  /** Resource type, resource, run, trigger, channel and rule, joined by colons: one delivery each (docs/develop/notifications.md). */
  key: string;
  ruleId: ObjectId;
  runId: ObjectId;
  resourceName: string;
  trigger: Trigger;
  channelType: ChannelType;
  /** Stands for the receiver's host, without naming it: those of one host wait for each other, and for nobody else. */
  target: string;
  /** What receivers tell repeats by; the same however often it is sent. */
  webhookId: string;
  /** The payload as it is sent: serialized once, so that what is signed is what is sent (T75). */
  body: string;
  status: DeliveryStatus;
  /** Sends since it was queued, the one under way included. */
  attempts: number;
  /** Those of them since it was queued the last time: `SENDS_MAX` are the end. */
  roundAttempts: number;
  attemptLog: AttemptDoc[];
  httpStatus: number | null;
  lastError: string | null;
  sentAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  /** Who sends it at this moment, since when, and until when nobody else may; by the store's clock. */
  inFlight?: { holder: ObjectId; at: Date; until: Date };
  /** When the job runner should have called by; then a sweeper wakes it again. Absent from final ones. */
  dueAt?: Date;
  /** How often a sweeper did. */
  sweeps: number;
};

/** What callers may see of a rule: chosen field by field, so that nothing sealed slips through (T76). */
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
  if (channel.type === "email") return { recipients: channel.recipients };
  if (channel.type === "webhook") return { urlPreview: channel.urlPreview, hasSecret: true };
  return { displayLabel: channel.displayLabel, configured: true };
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
