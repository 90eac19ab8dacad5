import { z } from "zod";
import { ANY_VALUES_MAX, CONDITION_OPS } from "@/lib/base/sql/conditions";
import { VARIABLE_NAME } from "@/lib/base/sql/marks";
import { WRITE_REASONS } from "@/lib/base/sql/writes";
import { DATE_PRESETS } from "@/lib/base/values/date-presets";
import { toZoneName, ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { confirmWritesSchema, entityNameSchema, ISOLATION_LEVELS } from "@/lib/features/connections/schema";
import { exactNumber, isoDate, objectIdText } from "@/lib/platform/http/schema";
import {
  CHANGED_VALUE_CHARS_MAX,
  CURSOR_CHARS_MAX,
  EXACT_COLUMNS_MAX,
  ROW_CHANGES_MAX,
  ROW_LIMIT_DEFAULT,
  ROW_LIMIT_MAX,
  TIMEOUT_DEFAULT_MS,
  TIMEOUT_MAX_MS,
} from "./limits";
import { ORIGIN_KINDS } from "./model";

/** Query for a database. */
export const query = z
  .union([z.string().min(1, "Query is required."), z.record(z.string(), z.unknown())])
  .describe("SQL text, MongoDB shell text, or a MongoDB operation as an object");
/** Values of the query's placeholders. */
export const params = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .describe("Values for the query's placeholders, sent as bound parameters");

/** Maximum length of a number, more than any database writes out. */
const NUMBER_CHARS_MAX = 200;

const dateText = z.union(
  [z.iso.date(), z.iso.datetime({ local: true, offset: true })],
  "Use 2026-05-31 for dates and 2026-05-31T14:30:00 for times, with Z or an offset if zoned.",
);
const numberText = z
  .string()
  .max(NUMBER_CHARS_MAX)
  .regex(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/, "Use a number such as 12.5, or text such as “9007199254740993”.");
/** A value with its type. */
export const typedValue = z.union([
  z.object({ type: z.literal("text"), value: z.string() }),
  z.object({ type: z.literal("number"), value: z.union([z.number(), numberText]) }),
  z.object({ type: z.literal("boolean"), value: z.boolean() }),
  z.object({ type: z.literal("date"), value: dateText }),
  z.object({
    type: z.literal("date"),
    preset: z.enum(DATE_PRESETS, `preset must be one of ${DATE_PRESETS.join(", ")}.`),
    edge: z.enum(["start", "end"]).optional().describe("First or last day of the preset. Default: start"),
  }),
]);
/** A value as stored and returned. A number that does not fit a double is a text. */
export const variableValue = z.union([z.string(), z.number(), z.boolean(), z.null(), ...typedValue.options]);
/** The same value in a body that keeps all digits. */
const variableInput = z
  .union([
    variableValue,
    exactNumber.transform((value) => ({ type: "number" as const, value })),
    z.object({ type: z.literal("number"), value: exactNumber }),
  ])
  .meta({ reference: z.toJSONSchema(variableValue, { io: "input" }) });
export type VariableValue = z.infer<typeof variableValue>;

export const variableName = z
  .string()
  .regex(VARIABLE_NAME, "Variable names can contain letters, digits and underscores.");
const variables = z
  .record(variableName, variableInput)
  .optional()
  .describe(
    'Value for each {{name}}, sent as a bound parameter: text, number, boolean, null or {type, value}. Numbers keep every digit; long ones can be text: {type: "number", value: "9007199254740993"}',
  );

/** A time zone's name. */
export const timezone = z
  .string()
  .max(ZONE_CHARS_MAX)
  .refine((name) => toZoneName(name) !== null, "Unknown time zone.");

const common = {
  query,
  params: params.optional(),
  variables,
  timezone: timezone.optional().describe("Time zone for the days of date presets in variables. Default: UTC"),
  limit: z
    .int("limit must be a whole number.")
    .optional()
    .describe(
      `Maximum number of rows. JSON: default ${ROW_LIMIT_DEFAULT}, at most ${ROW_LIMIT_MAX}; streams: none unless sent`,
    ),
  result: z
    .int("result must be a whole number.")
    .min(0, "result must be at least 0.")
    .optional()
    .describe("First result to return of a statement with several, such as CALL. Default: 0"),
  timeoutMs: z
    .int("timeoutMs must be a whole number of milliseconds.")
    .min(1, "timeoutMs must be at least 1.")
    .optional()
    .describe(`Default ${TIMEOUT_DEFAULT_MS}, at most ${TIMEOUT_MAX_MS}`),
  sessionId: objectIdText
    .optional()
    .describe("Session for manual transactions to run in. Absent: a separate transaction for the statement"),
  executionId: z.uuid("executionId must be a UUID.").optional().describe("Client-generated ID for cancelling"),
  readOnly: z
    .boolean()
    .optional()
    .describe("true: rejects writes even if the connection allows them. false has no effect"),
  confirm: z
    .boolean()
    .optional()
    .describe("true: a person has confirmed the write. See confirmWrites of the connection"),
  confirmWrites: confirmWritesSchema
    .optional()
    .describe("Raises the connection's setting for this request. A lower value has no effect"),
};

/** POST /api/workspaces/{workspaceId}/databases/{id}/execute */
export const executeOnBody = z.object(common);
export type ExecuteOnBody = z.infer<typeof executeOnBody>;

/** POST /api/execute: the connection is in the body; `databaseId` is another name for it. */
export const executeBody = z
  .object({
    ...common,
    workspaceId: objectIdText.optional().describe("Required with a session; implied by an API key"),
    connectionId: objectIdText.optional(),
    databaseId: objectIdText.optional().describe("Alias of connectionId"),
  })
  .refine((body) => body.connectionId !== undefined || body.databaseId !== undefined, {
    path: ["connectionId"],
    message: "connectionId is required.",
  })
  .meta({ anyOf: [{ required: ["connectionId"] }, { required: ["databaseId"] }] });
export type ExecuteBody = z.infer<typeof executeBody>;

export const fieldSchema = z.object({
  name: z.string(),
  type: z.string().describe("Normalised type: int32, int64, float64, decimal, string, timestamp ..."),
  dbType: z.string().describe("Native type name"),
});

/** Number of rows of a page of a table. */
export const TABLE_PAGE_ROWS = { normal: 100, max: 1000 } as const;
/** Maximum number of conditions: each makes the statement longer. */
const TABLE_CONDITIONS_MAX = 20;
const TABLE_SORTS_MAX = 4;
const NAME_CHARS_MAX = 500;
const VALUE_CHARS_MAX = 10_000;
const name = z.string().min(1, "Name is required.").max(NAME_CHARS_MAX, "Too long.");

const filterValue = z.string().max(VALUE_CHARS_MAX, "The value is too long.").nullable();
const tableFilter = z.union([
  z.object({
    column: name,
    op: z
      .enum(CONDITION_OPS)
      .describe("is, not, least (>=), most (<=), above (>), below (<), holds (case-insensitive contains)"),
    value: filterValue.describe(
      "Displayed value: text unchanged, other values as JSON text. null only with is and not",
    ),
  }),
  z.object({
    column: name,
    op: z.literal("any"),
    values: z
      .array(filterValue)
      .min(1, "Send at least one value.")
      .max(ANY_VALUES_MAX, `At most ${ANY_VALUES_MAX} values.`)
      .describe("Matches any of these values, including null"),
  }),
]);
export type TableFilter = z.infer<typeof tableFilter>;

/** POST /api/workspaces/{workspaceId}/databases/{id}/rows */
export const tableRowsBody = z.object({
  table: entityNameSchema.describe("Name as returned by the list of tables"),
  filters: z
    .array(tableFilter)
    .max(TABLE_CONDITIONS_MAX, `At most ${TABLE_CONDITIONS_MAX} filters.`)
    .default([])
    .describe("Rows must match all filters"),
  sort: z
    .array(z.object({ column: name, descending: z.boolean().default(false) }))
    .max(TABLE_SORTS_MAX, `At most ${TABLE_SORTS_MAX} columns to sort by.`)
    .default([])
    .describe("Nulls sort last in both directions; ties are broken by the primary key"),
  after: z.string().max(CURSOR_CHARS_MAX, "Invalid cursor.").optional().describe("`next` of the previous page"),
  limit: z
    .int("limit must be a whole number.")
    .min(1, "limit must be at least 1.")
    .max(TABLE_PAGE_ROWS.max, `limit must be at most ${TABLE_PAGE_ROWS.max}.`)
    .default(TABLE_PAGE_ROWS.normal),
  exact: z
    .array(name)
    .min(1, "Send at least one field.")
    .max(EXACT_COLUMNS_MAX, `At most ${EXACT_COLUMNS_MAX} fields.`)
    .optional()
    .describe(
      "Fields of a collection to return as Extended JSON text, to edit them. Empty text for a value over 1,000,000 characters or without such a form",
    ),
});
export type TableRowsBody = z.infer<typeof tableRowsBody>;

/** POST /api/workspaces/{workspaceId}/databases/{id}/rows/count */
export const tableCountBody = tableRowsBody.pick({ table: true, filters: true });
export type TableCountBody = z.infer<typeof tableCountBody>;
export const tableCountAnswer = z.object({
  executionId: z.string(),
  count: z.union([z.int(), z.string()]).describe("A string if it exceeds the exact range of JSON numbers"),
  durationMs: z.number(),
});

const changedValues = z.record(
  name,
  z
    .string()
    .max(CHANGED_VALUE_CHARS_MAX, `A value has at most ${CHANGED_VALUE_CHARS_MAX} characters. Use a statement.`)
    .nullable(),
);
const rowChange = z.object({
  op: z.enum(["insert", "update", "delete"]),
  key: changedValues
    .default({})
    .describe(
      "Primary key of the row as it was read; for update and delete. Values as in filters. For insert: the document to copy, in collections only",
    ),
  old: changedValues
    .default({})
    .describe(
      "Values as they were read, which must not have changed. update: includes all columns to change. insert: values of the document to copy",
    ),
  set: changedValues
    .default({})
    .describe(
      "Values to store: text, which is converted to the column's type, or null. JSON as JSON text. In a collection: to the type that the field has in this document, and lists and objects as Extended JSON",
    ),
  defaults: z
    .array(name)
    .default([])
    .describe(
      "Columns to set to their default. A new row has it for all columns that are not sent. In a collection: fields to remove",
    ),
  exact: z
    .array(name)
    .optional()
    .describe("Fields of `set` whose values are Extended JSON, of any type. In collections only"),
  objectId: z
    .string()
    .regex(/^[\da-f]{24}$/i, "Send 24 hexadecimal digits.")
    .optional()
    .describe(
      "ObjectId of a new document without an _id in `set`, in collections only. Sent again, the change is refused",
    ),
});
export type RowChange = z.infer<typeof rowChange>;

/** POST /api/workspaces/{workspaceId}/databases/{id}/rows/changes */
export const rowChangesBody = z.object({
  table: entityNameSchema.describe("Name as returned by the list of tables"),
  changes: z
    .array(rowChange)
    .min(1, "Send at least one change.")
    .max(ROW_CHANGES_MAX, `At most ${ROW_CHANGES_MAX} changes. Submit them in parts.`)
    .describe(
      "Applied in this order, all or none. Each must match exactly one row. MongoDB without a replica set stops at the first that fails",
    ),
  dryRun: z.boolean().optional().describe("true: returns the statements without running them"),
  ...{ timeoutMs: common.timeoutMs, executionId: common.executionId },
  ...{ confirm: common.confirm, confirmWrites: common.confirmWrites },
});
export type RowChangesBody = z.infer<typeof rowChangesBody>;

export const rowChangesAnswer = z.object({
  executionId: z.string().nullable().describe("Null for a dry run that reads nothing, as of a table"),
  statements: z
    .array(z.string())
    .describe(
      "Statement of each change, with its values as literals. The database gets them as parameters. That of a document has at most 32,768 characters; a longer one ends with … (shortened)",
    ),
  inTransaction: z.boolean().describe("true: all changes are written, or none. false: in order, up to a failure"),
  affectedRows: z.int().nullable().describe("Number of written rows. Null for a dry run"),
  durationMs: z.number(),
});
export type RowChangesAnswer = z.infer<typeof rowChangesAnswer>;

/** `details` of an error after which changes stay written. */
export type PartlyWritten = {
  /** Number of changes that were written, the first ones, where the database has no transactions. Absent for 0. */
  written?: number | undefined;
  /** Whether the next change may have been written, too: in a transaction all of them. */
  isUnknown?: boolean | undefined;
};

/** `details` of a `conflict` between row changes and the table. */
export type RowConflicts = Pick<PartlyWritten, "written"> & {
  conflicts: {
    /** Index of the change. */
    change: number;
    /** Present values of the columns in the change; null if no row has its key. */
    current: Record<string, unknown> | null;
  }[];
};

const affectedRows = z
  .int()
  .nullable()
  .describe("Rows changed by INSERT, UPDATE, DELETE, MERGE or REPLACE. Null for queries and DDL");
const resultAnswer = z.object({
  fields: z.array(fieldSchema),
  rows: z.array(z.record(z.string(), z.unknown())),
  rowCount: z.int(),
  truncated: z.boolean(),
  affectedRows,
});
export type ResultAnswer = z.infer<typeof resultAnswer>;

/** `databaseMs` is the part of `durationMs` spent waiting for the database. */
export const executeAnswer = resultAnswer.extend({
  executionId: z.string(),
  moreResults: z
    .array(resultAnswer)
    .describe("Further results of a statement with several, such as CALL. Limits apply to all results together"),
  resultsOmitted: z
    .int()
    .optional()
    .describe("Number of omitted results. At most 100 are listed, within the size limit. Absent for 0"),
  durationMs: z.number(),
  databaseMs: z.number(),
});
export type ExecuteAnswer = z.infer<typeof executeAnswer>;

export const tableRowsAnswer = executeAnswer
  .omit({ truncated: true, affectedRows: true, moreResults: true, resultsOmitted: true })
  .extend({
    next: z.string().nullable().describe("Cursor of the next page; null on the last one"),
    isStable: z
      .boolean()
      .describe("false if rows have no unique order. Pages then use offsets, and rows can repeat or be skipped"),
    primaryKey: z.array(z.string()).describe("Primary key columns; empty if none is declared"),
  });
export type TableRowsAnswer = z.infer<typeof tableRowsAnswer>;

export const executionSchema = z.object({
  executionId: z.string(),
  connectionId: objectIdText,
  userId: objectIdText,
  runId: objectIdText.nullable().describe("Background run it belongs to"),
  origin: z
    .object({ kind: z.enum(ORIGIN_KINDS), id: objectIdText.nullable() })
    .nullable()
    .describe("Origin of the query. `id` is null if the query is hidden. Null for queries of earlier versions"),
  query: z.string().nullable().describe("Null for another member's query if the caller can't see its origin"),
  status: z.enum(["queued", "running", "success", "failure", "cancelled", "timeout"]),
  queue: z
    .object({
      position: z.int().describe("From 1, in the present order of the queue"),
      expectedWaitMs: z.int().describe("Estimate from the times of the connection's queries"),
    })
    .nullable()
    .describe("Place of a queued query. Null for others, and for those queued on another server"),
  startedAt: isoDate,
  completedAt: isoDate.nullable(),
  durationMs: z.number().nullable(),
  rowCount: z.int().nullable(),
  affectedRows,
  error: z.string().nullable().describe("Null if the query is hidden"),
  format: z.string(),
});
export type Execution = z.infer<typeof executionSchema>;

/** `details` of a `confirmation_required`. */
export const confirmationDetails = z.object({
  reason: z.enum(WRITE_REASONS),
  statement: z.string(),
  estimatedRows: z.number().nullable().describe("The database's estimate; null if it has none"),
  table: z.object({ schema: z.string().optional(), name: z.string() }).nullable(),
  connection: z.string().describe("Connection name"),
});
export type ConfirmationDetails = z.infer<typeof confirmationDetails>;

export const executionParams = z.object({ executionId: z.uuid("executionId must be a UUID.") });

export type ResultFormat = "json" | "ndjson" | "csv" | "arrow" | "parquet" | "xlsx";

export const CONTENT_TYPES: Readonly<Record<ResultFormat, string>> = {
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
  arrow: "application/vnd.apache.arrow.stream",
  parquet: "application/vnd.apache.parquet",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/**
 * Returns the format that an Accept header requests: the one with the highest weight, the first of equals. JSON for
 * unknown formats or without a header.
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
  "application/vnd.apache.parquet": "parquet",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "*/*": "json",
};

const SESSION_STATES = ["idle", "in_transaction", "failed"] as const;

/** POST /api/workspaces/{workspaceId}/databases/{id}/sessions */
export const openSessionBody = z
  .object({
    isolation: z
      .enum(ISOLATION_LEVELS)
      .optional()
      .describe("Isolation level of its transactions, one of the type's isolationLevels. Default: the database's"),
  })
  .default({});
export type OpenSessionBody = z.infer<typeof openSessionBody>;

export const openSessionAnswer = z.object({
  sessionId: objectIdText,
  expiresAt: isoDate.describe("Time at which the session ends unless a statement runs before"),
});
export type OpenSessionAnswer = z.infer<typeof openSessionAnswer>;

export const sessionSchema = z.object({
  sessionId: objectIdText,
  state: z.enum(SESSION_STATES).describe("As the database reports it. failed: only a rollback is possible"),
  since: isoDate.describe("Start of the open transaction; when idle, the end of the last one or the session's start"),
  statements: z.int().describe("Statements since then, without BEGIN, COMMIT, ROLLBACK and savepoints"),
  isolation: z.enum(ISOLATION_LEVELS).nullable().describe("Null for the database's default"),
  expiresAt: isoDate,
});
export type Session = z.infer<typeof sessionSchema>;
