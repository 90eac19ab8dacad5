import { z } from "zod";
import { PLAN_FORMS } from "@/lib/base/explain/plan";
import { SQL_DIALECTS } from "@/lib/base/sql/dialects/registry";
import type { Entity } from "@/lib/base/values/fields";
import {
  idList,
  isoDate,
  LIST_LIMIT_MAX,
  listQuery,
  nameSearch,
  objectIdText,
  trimmedText,
} from "@/lib/platform/http/schema";

export const CONNECTION_STATUS = ["untested", "ok", "failing"] as const;

/** Names of colour tokens; the browser maps them to colours. */
export const TAG_COLOURS = ["teal", "amber", "indigo", "rose", "olive", "sky", "gray"] as const;
/** Maximum characters of a tag, which appears in tabs beside the connection's name. */
const TAG_NAME_MAX = 24;

/** A label for connections that a workspace treats alike, such as its production databases. */
export const tagSchema = z.object({
  name: trimmedText(TAG_NAME_MAX, "Tag name is required."),
  colour: z.enum(TAG_COLOURS),
});
export type Tag = z.infer<typeof tagSchema>;

/** In ascending order: each asks for all that the one before it asks for. */
export const CONFIRM_WRITES = ["never", "risky", "always"] as const;
export const confirmWritesSchema = z
  .enum(CONFIRM_WRITES)
  .describe(
    "Statements that require `confirm: true`: none; UPDATE and DELETE without WHERE, DROP and TRUNCATE; or all writes",
  );
export type ConfirmWrites = z.infer<typeof confirmWritesSchema>;

/**
 * A connection as the API returns it. `config` has the driver's form fields, with `{set: true}` in place of every
 * secret. A field called `auth.kind` is `kind` within the object `auth`.
 */
export const connectionSchema = z.object({
  id: objectIdText,
  name: z.string(),
  type: z.string(),
  category: z.enum(["database", "source"]),
  readOnly: z.boolean(),
  tag: tagSchema.nullable(),
  confirmWrites: confirmWritesSchema,
  config: z.record(z.string(), z.unknown()),
  status: z.enum(CONNECTION_STATUS),
  lastTestedAt: isoDate.nullable().describe("null before the first test"),
  lastError: z.string().nullable(),
  serverVersion: z.string().nullable().describe("From the last test; null if it failed"),
  latencyMs: z.number().nullable().describe("Latency of the last test; null if it failed"),
  latencies: z
    .array(z.object({ at: isoDate, ms: z.number() }))
    .describe("Latencies of successful tests since the last settings change, oldest first"),
  createdBy: objectIdText,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Connection = z.infer<typeof connectionSchema>;

const CONNECTION_NAME_MAX = 80;
const connectionName = trimmedText(CONNECTION_NAME_MAX, "Name is required.");
const config = z
  .record(z.string(), z.unknown())
  .describe("Settings of the type, as listed by GET /api/connectors/types");

export const createConnectionBody = z.object({
  name: connectionName,
  type: z.string(),
  config: config.default({}),
  readOnly: z.boolean().default(true),
  tag: tagSchema.nullable().default(null),
  confirmWrites: confirmWritesSchema.default("never"),
});
export type CreateConnectionBody = z.infer<typeof createConnectionBody>;

/**
 * Omitted fields keep their value. So does a secret, unless the type or an `isTarget` field changes, or an `isSafety`
 * field is lowered.
 */
export const updateConnectionBody = z.object({
  name: connectionName.optional(),
  type: z.string().optional(),
  config: config.optional(),
  readOnly: z.boolean().optional(),
  tag: tagSchema.nullable().optional().describe("null removes it"),
  confirmWrites: confirmWritesSchema.optional(),
});
export type UpdateConnectionBody = z.infer<typeof updateConnectionBody>;

export const testConnectionBody = z.object({ type: z.string(), config: config.default({}) });
export type TestConnectionBody = z.infer<typeof testConnectionBody>;

/** In their order. Where a driver cannot tell reaching a server from signing in, `connect` is both. */
export const TEST_STEPS = ["tunnel", "reach", "tls", "sign_in", "connect", "read"] as const;
export const testStep = z.object({ name: z.enum(TEST_STEPS), ms: z.number() });
export type TestStep = z.infer<typeof testStep>;

/** Maximum number of schemas to choose from. */
export const SCHEMA_CHOICES_MAX = 500;
export const schemaChoice = z.object({
  name: z.string(),
  tables: z
    .int()
    .nullable()
    .optional()
    .describe("Number of tables and views; null without permission, absent if not applicable"),
});
export type SchemaChoice = z.infer<typeof schemaChoice>;

export const testAnswer = z.union([
  z.object({
    ok: z.literal(true),
    latencyMs: z.number(),
    serverVersion: z.string().optional(),
    warning: z
      .string()
      .optional()
      .describe("Warning that the database user has server privileges; absent if it has none"),
    steps: z.array(testStep).optional().describe("Duration of each step; absent for a single step"),
    schemas: z
      .array(schemaChoice)
      .optional()
      .describe(
        `Choices for \`schemas\` in the config, at most ${SCHEMA_CHOICES_MAX}. Absent if not supported or not readable`,
      ),
  }),
  z.object({
    ok: z.literal(false),
    error: z.string(),
    code: z.string(),
    steps: z.array(testStep).optional().describe("Steps that succeeded before the failure"),
    failedStep: z.enum(TEST_STEPS).optional().describe("Failed step; absent if unknown"),
    supportsTls: z.literal(false).optional().describe("The server does not support TLS; absent if it may"),
    hostKeySha256: z
      .string()
      .optional()
      .describe("Fingerprint of an untrusted SSH server, for ssh.hostKeySha256 after you verify it"),
  }),
]);
export type TestAnswer = z.infer<typeof testAnswer>;

/** One input of a connection's form, and also its validation. */
const configFieldSchema = z.object({
  // `auth.kind` is `kind` within the object `auth` of a config (config-fields.ts).
  name: z.string(),
  label: z.string(),
  kind: z.enum(["text", "password", "number", "boolean", "select", "textarea", "file", "json"]),
  required: z.boolean(),
  secret: z.boolean(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  suggested: z.string().optional().describe("Initial value in a new form; not a default"),
  help: z.string(),
  maxLength: z.int().optional(),
  integer: z.object({ min: z.int(), max: z.int() }).optional(),
  options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  // It decides where secrets are sent to or for whom: otherwise a member could have a password that they cannot read
  // sent to their machine (docs/develop/api.md, Connections; T48).
  isTarget: z.literal(true).optional().describe("Changing it requires secrets to be resent"),
  // Its options are in ascending order of safety, and the first is the default.
  isSafety: z.literal(true).optional().describe("Choosing a less secure option also requires secrets"),
  showWhen: z
    .object({ field: z.string(), oneOf: z.array(z.string()) })
    .optional()
    .describe("Allowed only if the other field has one of these values"),
  example: z.string().optional().describe("Example value"),
  namesShown: z
    .literal(true)
    .optional()
    .describe("Object of secret text values. Responses return each name with {set: true}"),
  names: z.object({ max: z.int(), maxLength: z.int() }).optional().describe("List of unique names, with this maximum"),
});
/** A field as a driver declares it. */
export type ConfigField = Omit<z.infer<typeof configFieldSchema>, "help"> & { help?: string };

/** Isolation levels by their names in the API. Each driver lists those of its database. */
export const ISOLATION_LEVELS = [
  "read_uncommitted",
  "read_committed",
  "repeatable_read",
  "snapshot",
  "serializable",
] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

export const connectionTypeSchema = z.object({
  type: z.string(),
  name: z.string(),
  category: z.enum(["database", "source"]),
  engineName: z.string().describe("Engine name for use in sentences"),
  icon: z
    .object({ tile: z.string(), ink: z.string(), paths: z.array(z.string()) })
    .describe("Colours of a tile and of its outlines, which are SVG paths of 24×24"),
  language: z.enum(["sql", "mongodb"]).nullable().describe("Query language; null if not queryable"),
  dialect: z.enum(SQL_DIALECTS).optional().describe("SQL dialect; absent for non-SQL types"),
  readerHint: z
    .object({ text: z.string(), statements: z.string() })
    .optional()
    .describe("Statements to create a read-only user; absent if there are no users"),
  explain: z
    .object({
      form: z.enum(PLAN_FORMS).describe("Format of the plan; text is not parsed"),
      isBehind: z.literal(true).optional().describe("The keyword goes after the statement"),
      plan: z.string().describe("Prefix that returns the plan without running the statement"),
      // With `version`, only for servers whose version contains this word.
      measured: z
        .array(z.object({ words: z.string(), version: z.string().optional() }))
        .optional()
        .describe("Prefix that runs the statement and returns timings. Send readOnly"),
    })
    .optional()
    .describe("EXPLAIN support; absent if unsupported"),
  isolationLevels: z
    .array(z.enum(ISOLATION_LEVELS))
    .optional()
    .describe("Isolation levels of manual transactions; absent if they are not supported"),
  hasDdl: z.literal(true).optional().describe("Supports DDL; absent if not"),
  ddlCommits: z.literal(true).optional().describe("DROP and TRUNCATE commit an open transaction; absent if not"),
  editsRows: z.literal(true).optional().describe("Rows of its tables can be changed; absent if not"),
  editsDocuments: z
    .literal(true)
    .optional()
    .describe("Its rows are documents: fields can be removed, and nested values are Extended JSON; absent if not"),
  fields: z.array(configFieldSchema),
});
export type ConnectionType = z.infer<typeof connectionTypeSchema>;

/** A use that would stop working without a connection; the name of a private console is hidden. */
export const connectionUseSchema = z.object({
  kind: z.string().describe("flow, scheduled_console"),
  id: objectIdText,
  name: z.string(),
});
export type ConnectionUse = z.infer<typeof connectionUseSchema>;

export const USE_COUNT_MAX = 1000;
const useCount = z.int().nonnegative();
export const listedConnectionSchema = connectionSchema.extend({
  uses: z
    .object({ consoles: useCount, flows: useCount })
    .optional()
    .describe(`Visible consoles and flows that use it, each counted up to ${USE_COUNT_MAX}. Requires uses=true`),
});
export type ListedConnection = z.infer<typeof listedConnectionSchema>;
export const connectionListQuery = listQuery.extend({
  uses: z.enum(["true", "false"]).optional(),
  ids: idList.optional().describe(`Up to ${LIST_LIMIT_MAX} ids, separated by commas. Missing ones are left out`),
  q: nameSearch.optional().describe("Text that the name contains, in any case"),
});

/** `force=true` deletes a connection despite its uses. */
export const deleteConnectionQuery = z.object({ force: z.enum(["true", "false"]).optional() });

export const entitySchema = z.object({
  name: z.string(),
  schema: z.string().optional(),
  kind: z.enum(["table", "view", "collection", "resource"]),
  columns: z
    .array(
      z.object({
        name: z.string(),
        type: z.string(),
        nullable: z.boolean(),
        primaryKey: z.boolean(),
        values: z.array(z.string()).optional().describe("Enum values, where the type does not list them"),
      }),
    )
    .optional(),
  rowEstimate: z.number().optional(),
  foreignKeys: z
    .array(
      z.object({
        columns: z.array(z.string()),
        references: z.object({ schema: z.string().optional(), name: z.string(), columns: z.array(z.string()) }),
      }),
    )
    .optional(),
}) satisfies z.ZodType<Entity>;

/** `refresh=1` reloads the schema. */
export const entitiesQuery = z.object({ refresh: z.enum(["0", "1"]).optional() });

const NAME_CHARS_MAX = 500;
const entityName = z.string().min(1, "Name is required.").max(NAME_CHARS_MAX, "Name is too long.");
/** A name as in a connection's list of entities; `schema` is omitted where that list omits it. */
export const entityNameSchema = z.object({ name: entityName, schema: entityName.optional() });
export type EntityName = z.infer<typeof entityNameSchema>;

export const ddlAnswer = z.object({
  text: z.string().describe("Statements with their semicolons"),
});
