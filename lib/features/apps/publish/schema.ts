import { z } from "zod";
import { commitMessage } from "@/lib/features/folders/schema";
import { boundedText, isoDate, objectIdText, pageOf } from "@/lib/platform/http/schema";

/** Full length of a commit id; a shorter one may be ambiguous. */
const SHA = /^[0-9a-f]{40}$/;
/** Maximum number of manually resolved files; the body limit bounds their total size. */
const RESOLUTIONS_MAX = 200;
const PATH_CHARS_MAX = 1_000;
const RESOLUTION_CHARS_MAX = 1024 * 1024;

const sha = z.string().regex(SHA, "Use the full 40-digit SHA.");

export const STEP_NAMES = ["build", "bindings", "pointer"] as const;
export type StepName = (typeof STEP_NAMES)[number];

/** All fields are optional. */
export const publishBody = z.object({
  message: commitMessage,
  resolutions: z
    .record(boundedText(PATH_CHARS_MAX), boundedText(RESOLUTION_CHARS_MAX).nullable())
    .refine((given) => Object.keys(given).length <= RESOLUTIONS_MAX, `At most ${RESOLUTIONS_MAX} files per request.`)
    .optional()
    .describe("Resolution per conflicting path: file content, or null to delete"),
  mainSha: sha.optional().describe("Commit of main that the resolutions are based on. Returns 409 if main has changed"),
});
export type PublishBody = z.infer<typeof publishBody>;

export const publishedSchema = z.object({
  sha: z.string().describe("Published commit on main"),
  publishedAt: isoDate,
  operationId: objectIdText,
  note: z.string().nullable().describe("Additional note"),
});
export type Published = z.infer<typeof publishedSchema>;
const startedSchema = z.object({ operationId: objectIdText });
export const startedEnvelope = z.object({
  success: z.literal(true),
  data: startedSchema,
  message: z.string().optional(),
});

export const rollbackBody = z.object({ sha });

const person = z.object({ id: objectIdText, name: z.string() });
export const operationSchema = z.object({
  id: objectIdText,
  kind: z.enum(["publish", "rollback"]),
  state: z.enum(["queued", "running", "done", "failed"]).describe("queued: waiting for another operation of this app"),
  by: person,
  steps: z.array(
    z.object({
      name: z.enum(STEP_NAMES),
      state: z.enum(["waiting", "running", "done", "failed"]),
      startedAt: isoDate.nullable(),
      endedAt: isoDate.nullable(),
    }),
  ),
  log: z.array(z.string()).describe("Build log lines, truncated to the end"),
  problems: z.array(
    z.object({
      path: z.string().nullable(),
      line: z.int().nullable(),
      column: z.int().nullable(),
      message: z.string(),
    }),
  ),
  sha: z.string().nullable(),
  publishedAt: isoDate.nullable(),
  error: z
    .object({ code: z.string(), message: z.string(), details: z.unknown() })
    .nullable()
    .describe("Response of the request that started it"),
  note: z.string().nullable(),
  createdAt: isoDate,
  endedAt: isoDate.nullable(),
});
export type Operation = z.infer<typeof operationSchema>;

const deploymentSchema = z.object({
  id: objectIdText,
  sha: z.string(),
  message: z.string(),
  publishedBy: person,
  createdAt: isoDate,
  files: z.int(),
  bytes: z.int(),
  isCurrent: z.boolean(),
});
export type Deployment = z.infer<typeof deploymentSchema>;
export const deploymentsPage = pageOf(deploymentSchema);
export const operationsPage = pageOf(operationSchema.omit({ log: true, problems: true }));
