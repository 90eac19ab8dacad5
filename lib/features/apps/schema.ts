import { z } from "zod";
import { access, commitMessage, historyItemSchema } from "@/lib/features/folders/schema";
import { boundedText, isoDate, isStorable, objectIdText, STORABLE, trimmedText } from "@/lib/platform/http/schema";
import { DESCRIPTION_CHARS_MAX, JSON_FILE_BYTES_MAX, SLUG_CHARS_MAX, TITLE_CHARS_MAX } from "./limits";

export const TEMPLATE_NAMES = ["blank", "metrics", "table", "report"] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Maximum length of a path in git, in bytes (lib/features/repository/paths.ts). */
const PATH_CHARS_MAX = 1_000;

const title = trimmedText(TITLE_CHARS_MAX, "Title is required.")
  .refine(isStorable, "The title contains an invalid character.")
  .meta({ allOf: [STORABLE] });
const description = boundedText(DESCRIPTION_CHARS_MAX)
  .refine(isStorable, "The description contains an invalid character.")
  .meta(STORABLE);
const templateName = z.enum(TEMPLATE_NAMES);

/**
 * Reference to an app in a path: its id or its slug. A slug has at least three characters (lib/features/apps/slugs.ts).
 */
export const appRef = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{24}|[a-z0-9]+(?:-[a-z0-9]+)*)$/, "Use an app ID or slug.")
  .min(3, "Use an app ID or slug.")
  .max(SLUG_CHARS_MAX, "Use an app ID or slug.")
  .describe("App ID or slug");

export const createAppBody = z.object({
  title,
  description: description.nullish(),
  access: access.optional().describe("Default: private"),
  template: templateName.optional().describe("Default: blank"),
});
export type CreateAppBody = z.infer<typeof createAppBody>;

export const updateAppBody = z
  .object({ title: title.optional(), description: description.nullish(), access: access.optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), "Send at least one field to change.")
  .meta({ anyOf: [{ required: ["title"] }, { required: ["description"] }, { required: ["access"] }] });
export type UpdateAppBody = z.infer<typeof updateAppBody>;

export const appSchema = z.object({
  id: objectIdText,
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  access,
  ownerId: objectIdText,
  branch: z.string().describe("Your working branch"),
  publishedSha: z.string().nullable(),
  publishedAt: isoDate.nullable(),
  thumbnail: z.string().nullable().describe("File in the app's folder on main; null without one"),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type App = z.infer<typeof appSchema>;

/** Lists omit the thumbnail, which is read from git. */
export const appSummarySchema = appSchema.omit({ thumbnail: true });
export type AppSummary = z.infer<typeof appSummarySchema>;

export const templateSchema = z.object({
  name: templateName,
  title: z.string(),
  description: z.string(),
  files: z.array(z.string()).describe("Paths of its files"),
  thumbnail: z.string().describe("Image as a data: URL"),
});
export type Template = z.infer<typeof templateSchema>;

const path = boundedText(PATH_CHARS_MAX).min(1, "path is required.").describe("Path relative to the app's folder");
const oid = z.string().regex(/^(?:[0-9a-f]{40}|none)$/, "oid must have 40 hexadecimal digits.");
const ifOid = oid.optional().describe("Expected oid. Returns 409 if stale; none: file must not exist");
export const readFileQuery = z.object({
  path: path.optional().describe("Default: the tree of all files"),
  as: z.enum(["json", "raw"]).optional().describe("Default: json"),
  sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/, "Commit IDs must have 40 hexadecimal digits.")
    .optional()
    .describe("Commit of your branch or of main, without drafts. Default: your current version"),
});
export const writeFileQuery = z.object({ path, oid: ifOid });
export const discardQuery = z.object({ path: path.optional().describe("One file. Default: all files") });

const ENCODINGS = ["utf8", "base64"] as const;
export const putFileBody = z
  .object({
    content: boundedText(JSON_FILE_BYTES_MAX).refine((text) => text.isWellFormed(), "Content must be valid Unicode."),
    encoding: z.enum(ENCODINGS).optional().describe("Default: utf8"),
  })
  .refine(({ content, encoding }) => encoding !== "base64" || isBase64(content), {
    path: ["content"],
    message: "Invalid base64.",
  });

export const treeItemSchema = z.object({
  path: z.string(),
  oid: z.string().describe("Git blob ID"),
  bytes: z.int(),
  draft: z.enum(["added", "modified"]).nullable().describe("Draft change; null: unchanged"),
});
export type TreeItem = z.infer<typeof treeItemSchema>;
export const appFileSchema = treeItemSchema.extend({ content: z.string(), encoding: z.enum(ENCODINGS) });
export type AppFile = z.infer<typeof appFileSchema>;

export const commitBody = z.object({ message: commitMessage });
export const appCommitSchema = historyItemSchema.pick({ sha: true, author: true, date: true, subject: true });
export type AppCommit = z.infer<typeof appCommitSchema>;
export const commitAnswer = z.object({ sha: z.string(), branch: z.string() });

const change = z.object({ path: z.string(), status: z.enum(["added", "modified", "deleted", "renamed"]) });
export const statusSchema = z.object({
  branch: z.string(),
  baseSha: z.string().nullable().describe("Merge base with main"),
  headSha: z.string().nullable(),
  ahead: z.int().describe("Commits ahead of main"),
  behind: z.int().describe("Commits behind main"),
  changes: z.array(change).describe("Changes of the branch in the app, compared with main"),
  offline: z.boolean(),
  drafts: z.array(change).describe("Files in the next commit"),
});
export type AppStatus = z.infer<typeof statusSchema>;
export const statusQuery = z.object({
  live: boundedText(20).optional().describe("false: the last commit, even while a sandbox runs"),
});

/** Returns whether a text is canonical Base64 in groups of four; Node decodes other texts leniently. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
