import { z } from "zod";
import { access, commitMessage, fileName, version } from "@/lib/features/folders/schema";
import { executeOnBody, fieldSchema, variableValue } from "@/lib/features/query/schema";
import { resultPreviewSchema } from "@/lib/features/results/schema";
import { scheduleSchema } from "@/lib/features/runs/schedules/schema";
import { logLineSchema, runSchema } from "@/lib/features/runs/schema";
import {
  boundedText,
  isoDate,
  isStorable,
  objectIdText,
  STORABLE,
  shortJson,
  trimmedText,
} from "@/lib/platform/http/schema";

export const LANGUAGES = ["sql", "mongodb"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The limit of request bodies is tighter (docs/develop/api.md, Common rules). */
const CONTENT_CHARS_MAX = 1024 * 1024;
const SEARCH_CHARS_MAX = 200;

const content = boundedText(CONTENT_CHARS_MAX, "A console takes at most 1 MiB of text.")
  .refine(isStorable, {
    message: "The text holds a character that cannot be stored: half of a surrogate pair, or the one with the code 0.",
  })
  .meta(STORABLE);
const language = z.enum(LANGUAGES);
/** Far more than four shelves need; larger specifications with inline rows belong elsewhere. */
const CHART_CHARS_MAX = 64 * 1024;
const chart = shortJson(CHART_CHARS_MAX, `A chart takes at most ${CHART_CHARS_MAX / 1024} KiB as JSON.`).describe(
  "The chart over the console's result: a Vega-Lite specification",
);

export const consoleSchema = z.object({
  id: objectIdText,
  path: z.string().describe("Folders and name, without the file's ending"),
  name: z.string(),
  folderId: objectIdText.nullable(),
  connectionId: objectIdText.nullable(),
  language,
  content: z.string(),
  chart: chart.nullable(),
  access,
  ownerId: objectIdText,
  version: z.int(),
  schedule: scheduleSchema.nullable(),
  lastRun: runSchema.nullable().describe("Of its runs in the background, the newest"),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Console = z.infer<typeof consoleSchema>;

/** Lists omit texts and charts: two hundred of them could be 200 MiB. */
export const consoleSummarySchema = consoleSchema.omit({ content: true, chart: true });
export type ConsoleSummary = z.infer<typeof consoleSummarySchema>;

export const consoleRunSchema = runSchema.extend({
  resultPreview: resultPreviewSchema
    .nullable()
    .describe("Null for a run without a result, or whose result is not kept any more"),
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
  language: language.optional().describe("Default: that of the connection, else sql"),
  chart: chart.nullish(),
  access: access.optional().describe("Default: that of the folder, else private"),
  message: commitMessage,
});
export type CreateConsoleBody = z.infer<typeof createConsoleBody>;

export const undeleteConsoleBody = z
  .object({
    folderId: objectIdText.nullish().describe("Where to, when not to its old folder; null is the top level"),
  })
  .default({});
export type UndeleteConsoleBody = z.infer<typeof undeleteConsoleBody>;

/** Properties that are not sent stay unchanged. */
export const updateConsoleBody = z.object({
  version,
  name: fileName.optional(),
  content: content.optional(),
  folderId: objectIdText.nullish().describe("null is the top level"),
  connectionId: objectIdText.nullish().describe("null takes the connection away"),
  language: language.optional(),
  chart: chart.nullish().describe("null takes the chart away"),
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
  version: z.int().optional().describe("The version of the console that it was begun on; default: the current one"),
});
export type PutDraftBody = z.infer<typeof putDraftBody>;

export const searchQuery = z.object({
  q: trimmedText(SEARCH_CHARS_MAX, "Say what to look for.")
    .refine(isStorable, "No text holds this character.")
    .meta({ allOf: [STORABLE] })
    .describe("Words, all of which have to be in the path or in the text"),
});
const foundLine = z.object({ line: z.int().describe("From 1"), text: z.string() });
export const searchHitSchema = consoleSummarySchema.extend({
  snippet: foundLine.nullable().describe("The first of the lines; null when only the path has what is looked for"),
  lines: z
    .array(foundLine)
    .describe("Of the text, the first that hold all of it, or else a word of it; at most 5, cut around it"),
  lineCount: z.int().describe("All such lines"),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** Without a body, the console runs without variables. */
export const executeConsoleBody = executeOnBody
  .omit({ query: true, params: true })
  .extend({
    connectionId: objectIdText.optional().describe("Another connection than the console's own"),
    content: content.optional().describe("A text to run in place of the saved one, such as one statement of it"),
    keep: z.boolean().optional().describe("Whether its first rows become the console's last result; default true"),
  })
  .default({});
export type ExecuteConsoleBody = z.infer<typeof executeConsoleBody>;

/** The last result of a console, as of its run. */
export const lastResultSchema = z.object({
  executionId: z.string(),
  userId: objectIdText.describe("Who ran it, or as whom its schedule did"),
  runId: objectIdText.nullable().describe("The run in the background that it was a part of"),
  startedAt: isoDate,
  connectionId: objectIdText,
  statement: z.string().describe("The text that was run"),
  variables: z.record(z.string(), variableValue).describe("The values that its variables had"),
  fields: z.array(fieldSchema),
  rows: z.array(z.record(z.string(), z.unknown())).describe("The first 10,000 rows, 8 MiB at the most"),
  keptRows: z.int(),
  rowCount: z.int().describe("Rows that the query gave, kept or not"),
  truncated: z.boolean().describe("The query was to give no more rows than these, and there were more"),
  affectedRows: z
    .int()
    .nullable()
    .describe("Rows changed by INSERT, UPDATE, DELETE, MERGE or REPLACE. Null for queries"),
  moreResults: z.int().describe("Number of further results of the statement. They are not kept"),
  durationMs: z.number(),
  databaseMs: z.number(),
});
export type LastResult = z.infer<typeof lastResultSchema>;
