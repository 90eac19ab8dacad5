import { z } from "zod";
import { isoDate, objectIdText } from "@/lib/http/schema";
import { ROW_LIMIT_DEFAULT, ROW_LIMIT_MAX, TIMEOUT_DEFAULT_MS, TIMEOUT_MAX_MS } from "./limits";

const query = z
  .union([z.string().min(1, "Write a query first."), z.record(z.string(), z.unknown())])
  .describe("SQL text, MongoDB shell text, or a MongoDB operation as an object");
const params = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .describe("Values for the placeholders of the query, always bound");

const common = {
  query,
  params: params.optional(),
  limit: z
    .int("The limit is a whole number of rows.")
    .optional()
    .describe(
      `Rows at the most. JSON: default ${ROW_LIMIT_DEFAULT}, at most ${ROW_LIMIT_MAX}; streams: none unless sent`,
    ),
  timeoutMs: z
    .int("The time limit is a whole number of milliseconds.")
    .min(1, "The time limit is at least 1 ms.")
    .optional()
    .describe(`Default ${TIMEOUT_DEFAULT_MS}, at most ${TIMEOUT_MAX_MS}`),
  executionId: z.uuid("The executionId is a UUID.").optional().describe("Your own id, for cancelling"),
};

/** POST /api/workspaces/{workspaceId}/databases/{id}/execute */
export const executeOnBody = z.object(common);
export type ExecuteOnBody = z.infer<typeof executeOnBody>;

/** POST /api/execute: the connection is in the body; `databaseId` is its other name. */
export const executeBody = z
  .object({
    ...common,
    workspaceId: objectIdText.optional().describe("Needed with a session; a key has one already"),
    connectionId: objectIdText.optional(),
    databaseId: objectIdText.optional().describe("The same as connectionId"),
  })
  .refine((body) => body.connectionId !== undefined || body.databaseId !== undefined, {
    path: ["connectionId"],
    message: "Name the connection to query.",
  })
  .meta({ anyOf: [{ required: ["connectionId"] }, { required: ["databaseId"] }] });
export type ExecuteBody = z.infer<typeof executeBody>;

export const fieldSchema = z.object({
  name: z.string(),
  type: z.string().describe("The neutral type: int32, int64, float64, decimal, string, timestamp ..."),
  dbType: z.string().describe("The database's own name of the type"),
});

/** `databaseMs` is the part of `durationMs` that the database was waited for. */
export const executeAnswer = z.object({
  executionId: z.string(),
  fields: z.array(fieldSchema),
  rows: z.array(z.record(z.string(), z.unknown())),
  rowCount: z.int(),
  truncated: z.boolean(),
  durationMs: z.number(),
  databaseMs: z.number(),
});
export type ExecuteAnswer = z.infer<typeof executeAnswer>;

export const executionSchema = z.object({
  executionId: z.string(),
  connectionId: objectIdText,
  userId: objectIdText,
  runId: objectIdText.nullable().describe("The run in the background that it was a part of"),
  query: z.string().nullable().describe("Null where it is the text of another person's private console"),
  status: z.enum(["queued", "running", "success", "failure", "cancelled", "timeout"]),
  startedAt: isoDate,
  completedAt: isoDate.nullable(),
  durationMs: z.number().nullable(),
  rowCount: z.int().nullable(),
  error: z.string().nullable().describe("Null too where the query is withheld: it may repeat the text"),
  format: z.string(),
});
export type Execution = z.infer<typeof executionSchema>;

export const executionParams = z.object({ executionId: z.uuid("The executionId is a UUID.") });

export type ResultFormat = "json" | "ndjson" | "csv" | "arrow";

export const CONTENT_TYPES: Readonly<Record<ResultFormat, string>> = {
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
  arrow: "application/vnd.apache.arrow.stream",
};

/**
 * The format that an Accept header asks for: the one with the highest weight, the first of equals. What we do not
 * know, and no header at all, gets JSON.
 */
export function chooseFormat(accept: string | null): ResultFormat {
  const asked = (accept ?? "").split(",").flatMap((part) => {
    const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? "1");
    const format = FORMAT_OF[type];
    return format && weight > 0 ? [{ format, weight }] : [];
  });
  asked.sort((a, b) => b.weight - a.weight);
  return asked[0]?.format ?? "json";
}

const FORMAT_OF: Readonly<Record<string, ResultFormat | undefined>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "text/csv": "csv",
  "application/vnd.apache.arrow.stream": "arrow",
  "*/*": "json",
};
