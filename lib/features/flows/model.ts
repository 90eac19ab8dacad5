import type { ObjectId } from "mongodb";
import type { Checkpoint, LoadRequest } from "@/lib/features/connections/data-source";
import { type ScheduleDoc, toSchedule } from "@/lib/features/runs/schedules/model";
import type { Run } from "@/lib/features/runs/schema";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { FLOW_MODES, FLOW_TYPES, Flow, WRITE_MODES } from "./schema";

/** What lib/features/runs and lib/features/runs/schedules call a flow. */
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

/** What a run carries out. */
export type FlowDefinition =
  | { type: "sync"; source: SyncSource; destination: FlowDestination; mode: FlowMode }
  | { type: "query"; source: QuerySource; destination: FlowDestination; mode: FlowMode }
  | { type: "webhook"; source: null; destination: FlowDestination; mode: FlowMode };

export type FlowDoc = FlowDefinition & {
  _id: ObjectId;
  workspaceId: ObjectId;
  name: string;
  enabled: boolean;
  /** How far each entity has been read: for people, and to begin a reading with; the destination knows better. */
  checkpoints: FlowCheckpoint[];
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

export type FlowCheckpoint = {
  /** The name of the load (`loadNameOf`). */
  load: string;
  entity: string;
  /** As JSON, since its keys are the source's; null before the first. */
  value: string | null;
  /** The run that has moved it last. */
  runId: ObjectId;
  /** When that run lets readers see what it writes: what goes on later has to do it alike. */
  visible: LoadRequest["visible"];
  at: Date;
};

/** The type of a flow is one of these, for whoever asks. */
export type FlowType = (typeof FLOW_TYPES)[number];

/** The door of a webhook flow, one each. */
export type FlowWebhookDoc = {
  /** The flow's id. */
  _id: ObjectId;
  workspaceId: ObjectId;
  tokenHash: string;
  /** Sealed, since the address is shown again to admins. */
  token: Sealed;
  secret: Sealed;
  verifySignature: boolean;
  /** Null takes all. */
  events: string[] | null;
  provisionedAt: Date;
  /** What may still come at once, and when that was so: a bucket that fills by the minute. */
  tokens: number;
  tokensAt: Date;
  /** Whether the last one to come found a token. */
  isOpen: boolean;
  accepted: number;
  rejected: number;
  duplicates: number;
  processed: number;
  failed: number;
  lastReceivedAt: Date | null;
  /** What waits. */
  pendingBytes: number;
  /** Runs that failed one after the other, and until when nobody tries again. */
  failures: number;
  retryAt: Date | null;
};

/** One accepted event. Without its payload it is kept so that a repeat is known. */
export type FlowEventDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  flowId: ObjectId;
  /** Of the sender; absent for events without one. */
  eventId?: string;
  /** What kind of event its sender calls it; absent where it says none. */
  type?: string;
  receivedAt: Date;
  /** The JSON text of the body, until it is in the destination. */
  payload?: string;
  bytes: number;
  isPending?: true;
  /** The batch that it belongs to: all of it reaches the destination in one piece. */
  batchId?: ObjectId;
  /** The run that has brought it to the destination, which may have refused it. */
  runId?: ObjectId;
  isFailed?: true;
  /** Why the destination refused it. */
  reason?: string;
  forgetAt?: Date;
};

/** What came to a webhook and was not taken: the newest of it, for whoever looks into it. */
export type FlowRefusalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  flowId: ObjectId;
  /** Its place among those that are kept; what comes later takes it over. */
  slot: number;
  status: "repeat" | "refused";
  eventId?: string;
  type?: string;
  bytes: number;
  receivedAt: Date;
  /** In words; absent for a repeat. */
  reason?: string;
  /** Who sent it, as far as it says so. */
  from?: string;
  agent?: string;
  /** How its body begins. */
  snippet?: string;
  forgetAt: Date;
};

export type FlowHourDoc = { _id: ObjectId; workspaceId: ObjectId; flowId: ObjectId; hour: Date; count: number };

/** @param last its newest run; null before the first */
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

/** A checkpoint as it is shown: the value of the cursor where it has one, else as its source wrote it. */
export function shownCheckpoint(checkpoint: Checkpoint): unknown {
  if (typeof checkpoint !== "object") return checkpoint;
  const { value, since } = checkpoint as { value?: unknown; since?: unknown };
  return value ?? since ?? checkpoint;
}
