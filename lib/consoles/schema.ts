import { z } from "zod";
import { boundedText, isoDate, isStorable, objectIdText, STORABLE, trimmedText } from "@/lib/http/schema";
import { executeOnBody } from "@/lib/query/schema";
import { resultPreviewSchema } from "@/lib/results/schema";
import { logLineSchema, runSchema } from "@/lib/runs/schema";
import { scheduleSchema } from "@/lib/schedules/schema";
import { VARIABLE_NAME } from "@/lib/sql/marks";

export const LANGUAGES = ["sql", "mongodb"] as const;
export type Language = (typeof LANGUAGES)[number];
export const ACCESS = ["private", "workspace"] as const;
export type ConsoleAccess = (typeof ACCESS)[number];

/** As long as a line of the explorer can be read; the editor's own limit is the same. */
const NAME_CHARS_MAX = 120;
/** The body of a request, which the text has to fit in, is the tighter limit (docs/api.md, Common rules). */
const CONTENT_CHARS_MAX = 1024 * 1024;
/** A root folder has depth 1 (docs/api.md, Dashboards, for every kind of folder). */
export const FOLDER_DEPTH_MAX = 8;
const SEARCH_CHARS_MAX = 200;

/**
 * No slashes, no control and direction characters, no dot at the end: what the repository takes in a segment of a path
 * (lib/repository/paths.ts judges it), as far as a pattern can say it.
 */
const NAME_CHARACTERS =
  "^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u200e\\u200f\\u061c\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\ufffe\\uffff\\ufdd0-\\ufdef]*$";
const name = trimmedText(NAME_CHARS_MAX, "Give it a name.")
  .refine((text) => !text.includes("/"), "A name must not hold a slash. Make a folder instead.")
  .meta({ allOf: [{ pattern: NAME_CHARACTERS }] })
  .describe("Without slashes; folders make the path");
const content = boundedText(CONTENT_CHARS_MAX, "A console takes at most 1 MiB of text.")
  .refine(isStorable, {
    message: "The text holds a character that cannot be stored: half of a surrogate pair, or the one with the code 0.",
  })
  .meta(STORABLE);
const language = z.enum(LANGUAGES);
/** A subject and some paragraphs; what is longer belongs in the text. */
const MESSAGE_CHARS_MAX = 5_000;
const commitMessage = trimmedText(MESSAGE_CHARS_MAX, "Say what has changed, or leave the message out.")
  .refine(isStorable, "The message holds a character that cannot be stored.")
  .meta({ allOf: [STORABLE] })
  .optional()
  .describe("The commit's message; default: a sentence that names the console");
/** Many times what four shelves take; a specification with rows inside of it belongs elsewhere. */
const CHART_CHARS_MAX = 64 * 1024;
const chart = z
  .record(z.string(), z.unknown())
  .refine(isShortJson, `A chart takes at most ${CHART_CHARS_MAX / 1024} KiB as JSON.`)
  .describe("The chart over the console's result: a Vega-Lite specification");
const access = z.enum(ACCESS).describe("private: the owner alone; workspace: every member");
const version = z
  .int("The version is a whole number.")
  .describe("The version that you have seen; another one is answered with 409");

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

/** Lists leave the texts and the charts out: two hundred of them could be 200 MiB. */
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
  name,
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

/** What is not sent stays. */
export const updateConsoleBody = z.object({
  version,
  name: name.optional(),
  content: content.optional(),
  folderId: objectIdText.nullish().describe("null is the top level"),
  connectionId: objectIdText.nullish().describe("null takes the connection away"),
  language: language.optional(),
  chart: chart.nullish().describe("null takes the chart away"),
  access: access.optional(),
  message: commitMessage,
});
export type UpdateConsoleBody = z.infer<typeof updateConsoleBody>;

export const folderSchema = z.object({
  id: objectIdText,
  name: z.string(),
  path: z.string(),
  parentId: objectIdText.nullable(),
  access,
  ownerId: objectIdText,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type ConsoleFolder = z.infer<typeof folderSchema>;

export const createFolderBody = z.object({
  name,
  parentId: objectIdText.nullish(),
  access: access.optional().describe("Default: that of the parent, else private"),
});
export type CreateFolderBody = z.infer<typeof createFolderBody>;

export const updateFolderBody = z
  .object({
    name: name.optional(),
    parentId: objectIdText.nullish().describe("null is the top level"),
    access: access.optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), "Say what to change.")
  .meta({ anyOf: [{ required: ["name"] }, { required: ["parentId"] }, { required: ["access"] }] });
export type UpdateFolderBody = z.infer<typeof updateFolderBody>;

/** `recursive=true` deletes a folder with all that it holds. */
export const deleteFolderQuery = z.object({ recursive: z.enum(["true", "false"]).optional() });

/** `version` is that of the console which the draft was begun on. */
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
/** `snippet` is the first line of the text that holds a word looked for; null when only the path does. */
export const searchHitSchema = consoleSummarySchema.extend({
  snippet: z.object({ line: z.int().describe("From 1"), text: z.string() }).nullable(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

const author = z.object({ name: z.string(), email: z.string() });
const sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .describe("40 hexadecimal digits");
export const historyItemSchema = z.object({ sha, author, date: isoDate, subject: z.string() });
export type HistoryItem = z.infer<typeof historyItemSchema>;

const commitId = z
  .string()
  .regex(/^[0-9a-fA-F]{7,40}$/, "A commit is named by 7 to 40 hexadecimal digits.")
  .describe("7 to 40 hexadecimal digits");
export const commitQuery = z.object({ sha: commitId });
export const restoreVersionBody = z.object({ sha: commitId });

/** Numbers of lines and the patch are null when the texts are too large to compare. */
export const consoleCommitSchema = z.object({
  sha,
  parents: z.array(sha),
  author,
  date: isoDate,
  message: z.string(),
  files: z.array(
    z.object({
      path: z.string(),
      status: z.enum(["added", "modified", "deleted", "renamed"]),
      before: z.string().nullable(),
      after: z.string().nullable(),
      additions: z.int().nullable(),
      deletions: z.int().nullable(),
      patch: z.string().nullable(),
    }),
  ),
});
export type ConsoleCommit = z.infer<typeof consoleCommitSchema>;

const dateText = z.union(
  [z.iso.date(), z.iso.datetime({ local: true, offset: true })],
  "A date is 2026-05-31, a time 2026-05-31T14:30:00, with Z or an offset if it has a zone.",
);
export const variableValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.object({ type: z.literal("text"), value: z.string() }),
  z.object({ type: z.literal("number"), value: z.number() }),
  z.object({ type: z.literal("boolean"), value: z.boolean() }),
  z.object({ type: z.literal("date"), value: dateText }),
]);
export type VariableValue = z.infer<typeof variableValue>;

/** Without a body, the console runs without variables. */
export const executeConsoleBody = executeOnBody
  .omit({ query: true, params: true })
  .extend({
    variables: z
      .record(z.string().regex(VARIABLE_NAME, "A variable's name has letters, digits and underscores."), variableValue)
      .optional()
      .describe("A value for each {{name}} of the console, always bound: text, number, boolean, null or {type, value}"),
    connectionId: objectIdText.optional().describe("Another connection than the console's own"),
    content: content.optional().describe("A text to run in place of the saved one, such as one statement of it"),
  })
  .default({});
export type ExecuteConsoleBody = z.infer<typeof executeConsoleBody>;

/** What is nested too deep to be written as JSON is too long as well. */
function isShortJson(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= CHART_CHARS_MAX;
  } catch {
    return false;
  }
}
