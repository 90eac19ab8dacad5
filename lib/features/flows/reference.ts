import { z } from "zod";
import { flowStartedSchema } from "./schema";

/** Response of a route that has a second status. */
export const startedEnvelope = z.object({
  success: z.literal(true),
  data: flowStartedSchema,
  message: z.string().optional(),
});

const DEFINITION = {
  "source.connectionId": "One that flows cannot read, or that cannot be asked the query",
  "source.query": "A text without a statement",
  "source.entities":
    "Two of one name, one without the cursor field or primary key that it needs, or one that would be written to itself",
  "source.primaryKey": "Left out for an upsert",
  "destination.connectionId": "A source, or a kind of database that flows cannot write to",
  "destination.table": "Given for several entities",
  "destination.write": "replace for an incremental flow or a webhook",
  mode: "incremental for a query",
  schedule: "What is no cron expression of five fields, what never comes, or no time zone",
};
export const FLOW_REFUSALS = { ...DEFINITION, params: "Given for a flow that reads by no query" };
export const UPDATE_FLOW_REFUSALS = { ...DEFINITION, source: "One of another type of flow" };
export const BACKFILL_REFUSALS = {
  mode: "incremental for a flow without cursor fields, or one that replaces what it has written",
  from: "Given for a full run",
};
export const PREVIEW_REFUSALS = {
  connectionId: "One that flows cannot read, or that cannot be asked the query",
  query: "A text without a statement",
  entity: "One that the source does not have",
};
