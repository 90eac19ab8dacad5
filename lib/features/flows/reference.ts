import { z } from "zod";
import { flowStartedSchema } from "./schema";

/** Response of a route that has a second status. */
export const startedEnvelope = z.object({
  success: z.literal(true),
  data: flowStartedSchema,
  message: z.string().optional(),
});

const DEFINITION = {
  "source.connectionId": "A connection that flows can't read or query",
  "source.query": "Text without a statement",
  "source.entities": "Duplicate names, a missing cursor field or primary key, or a source that is also the destination",
  "source.primaryKey": "Missing for an upsert",
  "destination.connectionId": "A source, or a database type that flows can't write to",
  "destination.table": "Sent for several entities",
  "destination.write": "replace for an incremental flow or a webhook",
  mode: "incremental for a query",
  schedule: "An invalid cron expression, one that never fires, or an unknown time zone",
};
export const FLOW_REFUSALS = { ...DEFINITION, params: "Sent for a flow without a query" };
export const UPDATE_FLOW_REFUSALS = { ...DEFINITION, source: "A source of another flow type" };
export const BACKFILL_REFUSALS = {
  mode: "incremental for a flow without cursor fields or with write mode replace",
  from: "Sent for a full run",
};
export const PREVIEW_REFUSALS = {
  connectionId: "A connection that flows can't read or query",
  query: "Text without a statement",
  entity: "An entity that the source lacks",
};
