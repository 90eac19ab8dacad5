import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import type { FlowDoc, FlowEventDoc, FlowHourDoc, FlowRefusalDoc, FlowWebhookDoc } from "./model";

/** Days that hourly counts are kept; the statistics show one day by the hour. */
const HOURS_DAYS = 2;

export const collections = {
  flows: declareCollection<FlowDoc>("flows", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, _id: 1 }, serves: "the flows of a workspace, oldest first" },
      { key: { workspaceId: 1, "source.connectionId": 1 }, serves: "the flows that read a connection" },
      { key: { workspaceId: 1, "destination.connectionId": 1 }, serves: "the flows that write to a connection" },
    ],
  }),
  flowWebhooks: declareCollection<FlowWebhookDoc>("flow_webhooks", {
    isOfWorkspace: true,
    indexes: [
      { key: { tokenHash: 1 }, unique: true, sparse: true, serves: "look-up of a webhook by its URL" },
      {
        key: { pendingBytes: 1 },
        partialFilterExpression: { pendingBytes: { $gt: 0 } },
        serves: "webhooks with queued events",
      },
    ],
  }),
  flowEvents: declareCollection<FlowEventDoc>("flow_events", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { flowId: 1, eventId: 1 },
        unique: true,
        partialFilterExpression: { eventId: { $exists: true } },
        serves: "deduplication of events",
      },
      {
        key: { flowId: 1, _id: 1 },
        partialFilterExpression: { isPending: true },
        serves: "queued events, oldest first",
      },
      { key: { workspaceId: 1, flowId: 1, _id: -1 }, serves: "accepted events of a webhook, newest first" },
      { key: { forgetAt: 1 }, expireAfterSeconds: 0, serves: "expiry of events" },
    ],
  }),
  flowRefusals: declareCollection<FlowRefusalDoc>("flow_refusals", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, flowId: 1, slot: 1 }, serves: "rejected events of a webhook" },
      { key: { forgetAt: 1 }, expireAfterSeconds: 0, serves: "expiry of rejected events" },
    ],
  }),
  flowHours: declareCollection<FlowHourDoc>("flow_hours", {
    isOfWorkspace: true,
    indexes: [
      { key: { flowId: 1, hour: 1 }, unique: true, sparse: true, serves: "event counts per hour" },
      { key: { hour: 1 }, expireAfterSeconds: HOURS_DAYS * DAY_SECONDS, serves: "expiry of event counts" },
    ],
  }),
};
