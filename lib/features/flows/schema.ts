import { z } from "zod";
import { scheduleBody, scheduleSchema } from "@/lib/features/runs/schedules/schema";
import { logLineSchema, runSchema, runStatus } from "@/lib/features/runs/schema";
import {
  boundedText,
  exactNumber,
  idListQuery,
  isoDate,
  isStorable,
  listQuery,
  nameSearch,
  objectIdText,
  STORABLE,
  trimmedText,
} from "@/lib/platform/http/schema";

export const FLOW_TYPES = ["sync", "query", "webhook"] as const;
export const FLOW_MODES = ["full", "incremental"] as const;
export const WRITE_MODES = ["append", "replace", "upsert"] as const;
/** Maximum number of entities of a flow; a run shows the progress of each. */
export const ENTITIES_MAX = 200;
/** Maximum length of a name, longer than any database allows. */
const NAME_CHARS_MAX = 255;
const KEY_FIELDS_MAX = 16;
const QUERY_CHARS_MAX = 100_000;
/** Maximum length of the values that are bound to a query: words and numbers, not data. */
const PARAMS_CHARS_MAX = 16_384;
const EVENT_NAMES_MAX = 100;
/** Maximum length of an event id; a longer id is replaced by its digest. */
export const EVENT_ID_CHARS_MAX = 200;

const flowName = trimmedText(80, "Name is required.");
const dataName = z
  .string()
  .min(1, "Name is required.")
  .max(NAME_CHARS_MAX)
  .refine(isStorable, "Invalid name.")
  .meta(STORABLE);
const primaryKey = z
  .union([dataName.transform((name) => [name]), z.array(dataName).max(KEY_FIELDS_MAX)])
  .refine((names) => new Set(names).size === names.length, "Duplicate field.")
  .describe("One field, or several for a composite key");

const entityBody = z.object({
  name: dataName,
  schema: dataName.optional().describe("Schema of the table. Default: the connection's default schema"),
  cursorField: dataName.optional().describe("Cursor field. Required for incremental flows"),
  primaryKey: primaryKey.optional(),
});

export const syncSource = z.object({
  connectionId: objectIdText,
  entities: z.array(entityBody).min(1, "Select at least one entity.").max(ENTITIES_MAX),
});
export const querySource = z.object({
  connectionId: objectIdText,
  query: boundedText(QUERY_CHARS_MAX).refine((text) => text.trim() !== "", "Query is required."),
  primaryKey: primaryKey.optional(),
});

const destinationBody = z.object({
  connectionId: objectIdText,
  schema: dataName.optional(),
  table: dataName
    .optional()
    .describe("Destination table. Default: one table per entity, or a table named after the flow"),
  write: z.enum(WRITE_MODES),
});

const scheduleOfFlow = scheduleBody.describe("Run schedule");
const common = {
  name: flowName,
  destination: destinationBody,
  schedule: scheduleOfFlow.nullable().optional(),
  enabled: z.boolean().default(true).describe("When false, the flow runs only manually and events are queued"),
  trigger: z.boolean().default(true).describe("Runs the flow immediately"),
};
const mode = z.enum(FLOW_MODES).default("full");

/** Definition of a new flow. */
export const createFlowBody = z.discriminatedUnion("type", [
  z.object({ type: z.literal("sync"), source: syncSource, mode, ...common }),
  z.object({ type: z.literal("query"), source: querySource, mode, ...common }),
  z.object({ type: z.literal("webhook"), source: z.unknown().optional(), mode: mode.optional(), ...common }),
]);
export type CreateFlowBody = z.infer<typeof createFlowBody>;

const paramsBody = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .refine((params) => JSON.stringify(params).length <= PARAMS_CHARS_MAX, "Too many values.")
  .describe("Query parameters");

/** Request to run a saved flow. */
export const triggerFlowBody = z.object({ flowId: objectIdText, params: paramsBody.optional() });
export type TriggerFlowBody = z.infer<typeof triggerFlowBody>;
export type FlowParams = z.infer<typeof paramsBody>;

export type PostFlowBody = TriggerFlowBody | CreateFlowBody;

/** Request to run a saved flow or to create one. The `flowId` decides which, so that errors refer to the right form. */
export const postFlowBody = z
  .unknown()
  .transform((input, context): PostFlowBody => {
    const isSaved = typeof input === "object" && input !== null && "flowId" in input;
    const outcome = (isSaved ? triggerFlowBody : createFlowBody).safeParse(input);
    if (outcome.success) return outcome.data;
    for (const { path, message } of outcome.error.issues) {
      context.issues.push({ code: "custom", path: [...path], message, input });
    }
    return z.NEVER;
  })
  .meta({
    reference: z.toJSONSchema(z.union([triggerFlowBody, createFlowBody]), { io: "input", unrepresentable: "any" }),
  });

/** Fields that are not sent keep their values. */
export const updateFlowBody = z.object({
  name: flowName.optional(),
  source: z.union([syncSource, querySource]).optional(),
  destination: destinationBody.optional(),
  mode: z.enum(FLOW_MODES).optional(),
  schedule: scheduleOfFlow.nullable().optional().describe("Null removes it"),
  enabled: z.boolean().optional(),
  updatedAt: isoDate.optional().describe("Expected version for optimistic locking. Without it, the last write wins"),
});
export type UpdateFlowBody = z.infer<typeof updateFlowBody>;

/** Source of a preview: an entity, or the result of a query. */
export const previewBody = z.union([
  z.object({ connectionId: objectIdText, query: querySource.shape.query }),
  z.object({ connectionId: objectIdText, entity: entityBody.pick({ name: true, schema: true }) }),
]);
export type PreviewBody = z.infer<typeof previewBody>;

export const backfillBody = z
  .object({
    mode: z
      .enum(FLOW_MODES)
      .optional()
      .describe("full reads all rows. Default: full without `from`, incremental with it"),
    from: z
      .union([z.string().min(1).max(1000), z.number(), exactNumber])
      .optional()
      .describe("Cursor value to start from"),
  })
  .prefault({});
export type BackfillBody = z.infer<typeof backfillBody>;

export const entitySchema = z.object({
  name: z.string(),
  schema: z.string().optional(),
  cursorField: z.string().optional(),
  primaryKey: z.array(z.string()).optional(),
});
export const flowSourceSchema = z.union([
  z.object({ connectionId: objectIdText, entities: z.array(entitySchema) }),
  z.object({ connectionId: objectIdText, query: z.string(), primaryKey: z.array(z.string()).optional() }),
]);
export const flowDestinationSchema = z.object({
  connectionId: objectIdText,
  schema: z.string().optional(),
  table: z.string().optional(),
  write: z.enum(WRITE_MODES),
});

export const flowSchema = z.object({
  id: objectIdText,
  name: z.string(),
  type: z.enum(FLOW_TYPES),
  source: flowSourceSchema.nullable().describe("Null for webhook flows"),
  destination: flowDestinationSchema,
  mode: z.enum(FLOW_MODES),
  schedule: scheduleSchema.nullable(),
  enabled: z.boolean(),
  status: z.union([z.literal("idle"), runStatus]).describe("Status of the last run; idle before the first"),
  lastRun: runSchema.nullable(),
  nextRunAt: isoDate.nullable(),
  createdBy: objectIdText,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Flow = z.infer<typeof flowSchema>;

export const flowPreviewSchema = z.object({
  fields: z.array(
    z.object({
      name: z.string(),
      type: z.string().describe("Normalised type, as in query results"),
      dbType: z.string().describe("Native type name in the source"),
    }),
  ),
  rows: z.array(z.record(z.string(), z.unknown())),
  durationMs: z.int().nonnegative(),
});
export type FlowPreview = z.infer<typeof flowPreviewSchema>;

export const checkpointSchema = z.object({
  entity: z.string(),
  value: z.unknown().describe("Cursor position of the last run, in a source-specific format"),
  updatedAt: isoDate,
});
export const flowDetailSchema = flowSchema.extend({
  runs: z.array(runSchema).describe("Last ten runs"),
  checkpoint: z.array(checkpointSchema).nullable().describe("Checkpoint per entity; null for full refresh"),
});
export type FlowDetail = z.infer<typeof flowDetailSchema>;

export const flowStartedSchema = z.object({ flow: flowSchema, run: runSchema.nullable() });
export type FlowStarted = z.infer<typeof flowStartedSchema>;

export const flowRunSchema = runSchema.extend({
  logs: z.array(logLineSchema).describe("Last 1,000 lines"),
});
export type FlowRun = z.infer<typeof flowRunSchema>;

export const provisionBody = z
  .object({
    events: z
      .array(z.string().min(1).max(200))
      .max(EVENT_NAMES_MAX)
      .optional()
      .describe("Accepted event types, matched against `type` or `event` in the body"),
    verifySignature: z.boolean().default(true).describe("When false, unsigned events are accepted"),
  })
  .prefault({});
export type ProvisionBody = z.infer<typeof provisionBody>;

export const provisionedSchema = z.object({
  url: z.string(),
  secret: z.string().describe("Returned once"),
  signatureHeader: z.string(),
  provisionedAt: isoDate,
});
export type Provisioned = z.infer<typeof provisionedSchema>;

const count = z.int().nonnegative();
export const webhookStatsSchema = z.object({
  url: z.string().nullable().describe("Full URL for admins, truncated for members; null before provisioning"),
  received: count.describe("Sum of accepted, rejected and duplicate events"),
  accepted: count,
  rejected: count,
  duplicates: count,
  pending: count.describe("Accepted but not yet written"),
  processed: count,
  failed: count.describe("Rejected by the destination"),
  lastReceivedAt: isoDate.nullable(),
  last24h: z
    .array(z.object({ hour: isoDate, count }))
    .describe("Received events per hour, ending with the current hour"),
});
export type WebhookStats = z.infer<typeof webhookStatsSchema>;

export const ARRIVAL_STATUSES = ["waiting", "written", "failed", "repeat", "refused"] as const;
export const arrivalSchema = z.object({
  id: objectIdText,
  status: z
    .enum(ARRIVAL_STATUSES)
    .describe("waiting: queued for the next batch; failed: rejected by the destination; refused: never accepted"),
  eventId: z.string().nullable().describe("The sender's event ID"),
  type: z.string().nullable(),
  bytes: count,
  receivedAt: isoDate,
  runId: objectIdText.nullable().describe("Run that wrote the event"),
  reason: z.string().nullable().describe("Rejection reason"),
  from: z.string().nullable().describe("Sender IP of a rejected event"),
  agent: z.string().nullable(),
  snippet: z.string().nullable().describe("Start of a rejected event's body"),
});
export type Arrival = z.infer<typeof arrivalSchema>;
export const flowListQuery = idListQuery.extend({
  q: nameSearch.optional().describe("Text that the name contains, in any case"),
});

export const arrivalsQuery = listQuery.extend({
  status: z.enum(["repeat", "refused"]).optional(),
  eventId: z.string().max(EVENT_ID_CHARS_MAX).optional(),
});
export type ArrivalsQuery = z.infer<typeof arrivalsQuery>;

/** Maximum length of an address that a server accepts. */
const ADDRESS_CHARS_MAX = 16_384;
/** Accepts any text: an unknown token is an address that does not exist. */
export const webhookToken = z.string().max(ADDRESS_CHARS_MAX);
export const inboundAnswer = z.object({
  accepted: z.boolean().optional(),
  duplicate: z.boolean().optional(),
  ignored: z.boolean().optional().describe("Event type not accepted by the flow"),
});
export type InboundAnswer = z.infer<typeof inboundAnswer>;
