import { z } from "zod";
import { access, commitMessage, fileName, seenDraftAt, version } from "@/lib/features/folders/schema";
import { executeOnBody, fieldSchema, variableValue } from "@/lib/features/query/schema";
import { resultPreviewSchema } from "@/lib/features/results/schema";
import { scheduleSchema } from "@/lib/features/runs/schedules/schema";
import { logLineSchema, runSchema } from "@/lib/features/runs/schema";
import {
  boundedText,
  isoDate,
  isStorable,
  listQuery,
  objectIdText,
  STORABLE,
  shortJson,
  trimmedText,
} from "@/lib/platform/http/schema";
import {
  consoleQuestion,
  description,
  expectation,
  savedQuestion,
  variableChoices,
  variableDefaults,
} from "./settings-schema";

export const LANGUAGES = ["sql", "mongodb"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The limit of request bodies is tighter (docs/develop/api.md, Common rules). */
const CONTENT_CHARS_MAX = 1024 * 1024;
const SEARCH_CHARS_MAX = 200;

const content = boundedText(CONTENT_CHARS_MAX, "Consoles are limited to 1 MiB.")
  .refine(isStorable, {
    message: "The text contains an invalid character (lone surrogate or NUL).",
  })
  .meta(STORABLE);
const language = z.enum(LANGUAGES);
/** Far more than four shelves need; larger specifications with inline rows belong elsewhere. */
const CHART_CHARS_MAX = 64 * 1024;
const chart = shortJson(CHART_CHARS_MAX, `Charts are limited to ${CHART_CHARS_MAX / 1024} KiB of JSON.`).describe(
  "Chart of the result, as a Vega-Lite specification",
);

export const consoleSchema = z.object({
  id: objectIdText,
  path: z.string().describe("Folder path and name, without the file extension"),
  name: z.string(),
  folderId: objectIdText.nullable(),
  connectionId: objectIdText.nullable(),
  language,
  description: z.string(),
  content: z.string(),
  chart: chart.nullable(),
  variables: variableDefaults,
  choices: variableChoices,
  expect: expectation.nullable(),
  question: savedQuestion.nullable().describe("Question that the console was saved from"),
  access,
  ownerId: objectIdText,
  version: z.int(),
  schedule: scheduleSchema.nullable(),
  lastRun: runSchema.nullable().describe("Latest background run"),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Console = z.infer<typeof consoleSchema>;

/** Lists omit texts, charts and values: two hundred of them could be 200 MiB. */
export const consoleSummarySchema = consoleSchema.omit({
  content: true,
  chart: true,
  variables: true,
  choices: true,
  expect: true,
  question: true,
});
export type ConsoleSummary = z.infer<typeof consoleSummarySchema>;

export const consoleRunSchema = runSchema.extend({
  resultPreview: resultPreviewSchema.nullable().describe("Null if the run has no stored result"),
});
export type ConsoleRun = z.infer<typeof consoleRunSchema>;
export const consoleRunDetailsSchema = consoleRunSchema.extend({
  logs: z.array(logLineSchema).describe("The last 1,000 lines"),
});
export type ConsoleRunDetails = z.infer<typeof consoleRunDetailsSchema>;

export const createConsoleBody = z.object({
  name: fileName,
  content,
  folderId: objectIdText.nullish(),
  connectionId: objectIdText.nullish(),
  language: language.optional().describe("Default: the connection's language, or sql"),
  description: description.nullish(),
  chart: chart.nullish(),
  variables: variableDefaults.nullish(),
  choices: variableChoices.nullish(),
  expect: expectation.nullish(),
  question: consoleQuestion.nullish(),
  access: access.optional().describe("Default: the folder's access, or private"),
  message: commitMessage,
});
export type CreateConsoleBody = z.infer<typeof createConsoleBody>;

export const undeleteConsoleBody = z
  .object({
    folderId: objectIdText.nullish().describe("Target folder. Default: its old folder; null is the top level"),
  })
  .default({});
export type UndeleteConsoleBody = z.infer<typeof undeleteConsoleBody>;

/** Properties that are not sent stay unchanged. */
export const updateConsoleBody = z.object({
  version,
  name: fileName.optional(),
  content: content.optional(),
  folderId: objectIdText.nullish().describe("null is the top level"),
  connectionId: objectIdText.nullish().describe("null removes the connection"),
  language: language.optional(),
  description: description.nullish(),
  chart: chart.nullish().describe("null removes the chart"),
  variables: variableDefaults.nullish().describe("Replaces all default values; null removes them"),
  choices: variableChoices.nullish().describe("Replaces all sources of lists; null removes them"),
  expect: expectation.nullish().describe("null removes the conditions"),
  question: consoleQuestion.nullish().describe("Question of the query after this change; null removes it"),
  access: access.optional(),
  message: commitMessage,
});
export type UpdateConsoleBody = z.infer<typeof updateConsoleBody>;

/** `version` is the console version that the draft is based on. */
export const draftSchema = z.object({
  consoleId: objectIdText,
  content: z.string(),
  version: z.int(),
  updatedAt: isoDate,
});
export type ConsoleDraft = z.infer<typeof draftSchema>;
export const putDraftBody = z.object({
  content,
  version: z.int().optional().describe("Console version that the draft is based on. Default: the current version"),
  updatedAt: seenDraftAt,
});
export type PutDraftBody = z.infer<typeof putDraftBody>;

export const consoleListQuery = listQuery.extend({
  connectionId: objectIdText.optional().describe("Only consoles on this connection"),
});

export const searchQuery = z.object({
  q: trimmedText(SEARCH_CHARS_MAX, "Search text is required.")
    .refine(isStorable, "Invalid character.")
    .meta({ allOf: [STORABLE] })
    .describe("Search words. All must match the path, description or contents"),
});
const foundLine = z.object({ line: z.int().describe("From 1"), text: z.string() });
export const searchHitSchema = consoleSummarySchema.extend({
  snippet: foundLine.nullable().describe("First matching line; null if only the path matches"),
  lines: z.array(foundLine).describe("Up to 5 matching lines, truncated around the match"),
  lineCount: z.int().describe("Total number of matching lines"),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** Without a body, the console runs with the default values of its variables. */
export const executeConsoleBody = executeOnBody
  .omit({ query: true, params: true })
  .extend({
    variables: executeOnBody.shape.variables.describe(
      `${executeOnBody.shape.variables.description}. Default: the console's values`,
    ),
    connectionId: objectIdText.optional().describe("Connection to use instead of the console's"),
    content: content.optional().describe("Query to run instead of the saved one"),
    keep: z.boolean().optional().describe("Stores the first rows as the console's last result. Default: true"),
  })
  .default({});
export type ExecuteConsoleBody = z.infer<typeof executeConsoleBody>;

/** The last result of a console, as of its run. */
export const lastResultSchema = z.object({
  executionId: z.string(),
  userId: objectIdText.describe("User who ran it, or the schedule's owner"),
  runId: objectIdText.nullable().describe("Background run it belongs to"),
  startedAt: isoDate,
  connectionId: objectIdText,
  statement: z.string().describe("Query that was run"),
  variables: z.record(z.string(), variableValue).describe("Variable values"),
  fields: z.array(fieldSchema),
  rows: z.array(z.record(z.string(), z.unknown())).describe("First 10,000 rows, up to 8 MiB"),
  keptRows: z.int(),
  rowCount: z.int().describe("Total rows returned by the query"),
  truncated: z.boolean().describe("True if the result was truncated by the limit"),
  affectedRows: z
    .int()
    .nullable()
    .describe("Rows changed by INSERT, UPDATE, DELETE, MERGE or REPLACE. Null for queries"),
  moreResults: z.int().describe("Number of further results of the statement. They are not kept"),
  durationMs: z.number(),
  databaseMs: z.number(),
});
export type LastResult = z.infer<typeof lastResultSchema>;
