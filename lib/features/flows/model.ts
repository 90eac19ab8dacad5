import type { ObjectId } from "mongodb";
import type { Checkpoint, LoadRequest } from "@/lib/features/connections/data-source";
import { type ScheduleDoc, toSchedule } from "@/lib/features/runs/schedules/model";
import type { Run } from "@/lib/features/runs/schema";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { FLOW_MODES, Flow, WRITE_MODES } from "./schema";

/** Resource type of flows in lib/features/runs and lib/features/runs/schedules. */
export const RESOURCE_TYPE = "flow";

export type FlowMode = (typeof FLOW_MODES)[number];
export type FlowEntity = { name: string; schema?: string; cursorField?: string; primaryKey?: string[] };
export type SyncSource = { connectionId: ObjectId; entities: FlowEntity[] };
export type QuerySource = { connectionId: ObjectId; query: string; primaryKey?: string[] };
export type FlowDestination = {
  connectionId: ObjectId;
  schema?: string;
  table?: string;
  write: (typeof WRITE_MODES)[number];
};

/** Definition that a run executes. */
export type FlowDefinition =
  | { type: "sync"; source: SyncSource; destination: FlowDestination; mode: FlowMode }
  | { type: "query"; source: QuerySource; destination: FlowDestination; mode: FlowMode }
  | { type: "webhook"; source: null; destination: FlowDestination; mode: FlowMode };

export type FlowDoc = FlowDefinition & {
  _id: ObjectId;
  workspaceId: ObjectId;
  name: string;
  enabled: boolean;
  /** Position of each entity, for display and as the start of a read. The destination has the exact position. */
  checkpoints: FlowCheckpoint[];
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

export type FlowCheckpoint = {
  /** Name of the load (`loadNameOf`). */
  load: string;
  entity: string;
  /** Value as JSON, since its keys are the source's; null before the first. */
  value: string | null;
  /** Run that last moved it. */
  runId: ObjectId;
  /** When that run makes its rows visible to readers. A run that resumes the load must do the same. */
  visible: LoadRequest["visible"];
  at: Date;
};

/** Type of a flow. */

/** Address and state of a flow's webhook, one for each. */
export type FlowWebhookDoc = {
  /** Id of the flow. */
  _id: ObjectId;
  workspaceId: ObjectId;
  tokenHash: string;
  /** Encrypted rather than hashed, since the address is shown again to admins. */
  token: Sealed;
  secret: Sealed;
  verifySignature: boolean;
  /** Types of events to accept; null for all. */
  events: string[] | null;
  provisionedAt: Date;
  /** Remaining tokens, and the time of that count: a bucket that refills by the minute. */
  tokens: number;
  tokensAt: Date;
  /** Whether the last request found a token. */
  isOpen: boolean;
  accepted: number;
  rejected: number;
  duplicates: number;
  processed: number;
  failed: number;
  lastReceivedAt: Date | null;
  /** Size of the events that wait. */
  pendingBytes: number;
  /** Number of failed runs in a row, and the time before which none is retried. */
  failures: number;
  retryAt: Date | null;
};

/** An accepted event. After its payload is deleted it is kept to detect repeats. */
export type FlowEventDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  flowId: ObjectId;
  /** Id given by the sender; absent for events without one. */
  eventId?: string;
  /** The sender's name for this type of event; absent if it gives none. */
  type?: string;
  receivedAt: Date;
  /** JSON text of the body, until it is written to the destination. */
  payload?: string;
  bytes: number;
  isPending?: true;
  /** Batch of the event: it reaches the destination as a whole. */
  batchId?: ObjectId;
  /** Run that sent it to the destination, which may have rejected it. */
  runId?: ObjectId;
  isFailed?: true;
  /** Reason of the destination for rejecting it. */
  reason?: string;
  forgetAt?: Date;
};

/** An event that a webhook rejected. Only the newest are kept, for troubleshooting. */
export type FlowRefusalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  flowId: ObjectId;
  /** Slot in a fixed number of rejections; later ones overwrite it. */
  slot: number;
  status: "repeat" | "refused";
  eventId?: string;
  type?: string;
  bytes: number;
  receivedAt: Date;
  /** Reason as a message; absent for a repeat. */
  reason?: string;
  /** Sender, if it identifies itself. */
  from?: string;
  agent?: string;
  /** Beginning of its body. */
  snippet?: string;
  forgetAt: Date;
};

export type FlowHourDoc = { _id: ObjectId; workspaceId: ObjectId; flowId: ObjectId; hour: Date; count: number };

/** @param last latest run; null before the first */
export function toFlow(doc: FlowDoc, last: Run | null, schedule: ScheduleDoc | null, now = new Date()): Flow {
  const { schema, table, write } = doc.destination;
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    type: doc.type,
    source: sourceOf(doc),
    destination: {
      connectionId: doc.destination.connectionId.toHexString(),
      ...(schema !== undefined && { schema }),
      ...(table !== undefined && { table }),
      write,
    },
    mode: doc.mode,
    schedule: schedule && toSchedule(schedule, now),
    enabled: doc.enabled,
    status: last?.status ?? "idle",
    lastRun: last,
    nextRunAt: (doc.enabled && schedule?.enabled && schedule.nextAt?.toISOString()) || null,
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}

function sourceOf(doc: FlowDefinition): Flow["source"] {
  if (doc.type === "webhook") return null;
  const connectionId = doc.source.connectionId.toHexString();
  if (doc.type === "sync") return { connectionId, entities: doc.source.entities };
  const { query, primaryKey } = doc.source;
  return { connectionId, query, ...(primaryKey && { primaryKey }) };
}

/** Returns a checkpoint to display: the value of the cursor if it has one, else as its source wrote it. */
export function shownCheckpoint(checkpoint: Checkpoint): unknown {
  if (typeof checkpoint !== "object") return checkpoint;
  const { value, since } = checkpoint as { value?: unknown; since?: unknown };
  return value ?? since ?? checkpoint;
}
