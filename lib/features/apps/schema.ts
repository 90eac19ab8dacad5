import { z } from "zod";
import { access, commitMessage, historyItemSchema } from "@/lib/features/folders/schema";
import { boundedText, isoDate, isStorable, objectIdText, STORABLE, trimmedText } from "@/lib/platform/http/schema";
import { DESCRIPTION_CHARS_MAX, JSON_FILE_BYTES_MAX, SLUG_CHARS_MAX, TITLE_CHARS_MAX } from "./limits";

export const TEMPLATE_NAMES = ["blank", "metrics", "table", "report"] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Maximum length of a path in git, in bytes (lib/features/repository/paths.ts). */
const PATH_CHARS_MAX = 1_000;

const title = trimmedText(TITLE_CHARS_MAX, "Give it a title.")
  .refine(isStorable, "The title holds a character that cannot be stored.")
  .meta({ allOf: [STORABLE] });
const description = boundedText(DESCRIPTION_CHARS_MAX)
  .refine(isStorable, "The description holds a character that cannot be stored.")
  .meta(STORABLE);
const templateName = z.enum(TEMPLATE_NAMES);

/**
 * Reference to an app in a path: its id or its slug. A slug has at least three characters (lib/features/apps/slugs.ts).
 */
export const appRef = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{24}|[a-z0-9]+(?:-[a-z0-9]+)*)$/, "An app is named by its id or its slug.")
  .min(3, "An app is named by its id or its slug.")
  .max(SLUG_CHARS_MAX, "An app is named by its id or its slug.")
  .describe("The app's id or its slug");

export const createAppBody = z.object({
  title,
  description: description.nullish(),
  access: access.optional().describe("Default: private"),
  template: templateName.optional().describe("Default: blank"),
});
export type CreateAppBody = z.infer<typeof createAppBody>;

export const updateAppBody = z
  .object({ title: title.optional(), description: description.nullish(), access: access.optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), "Say what to change.")
  .meta({ anyOf: [{ required: ["title"] }, { required: ["description"] }, { required: ["access"] }] });
export type UpdateAppBody = z.infer<typeof updateAppBody>;

export const appSchema = z.object({
  id: objectIdText,
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  access,
  ownerId: objectIdText,
  branch: z.string().describe("The one that you work on"),
  publishedSha: z.string().nullable(),
  publishedAt: isoDate.nullable(),
  thumbnail: z.string().nullable().describe("The file in the app's folder on main; null without one"),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type App = z.infer<typeof appSchema>;

export const templateSchema = z.object({
  name: templateName,
  title: z.string(),
  description: z.string(),
  files: z.array(z.string()).describe("The paths of its files"),
  thumbnail: z.string().describe("A picture of it, as an address of the data itself"),
});
export type Template = z.infer<typeof templateSchema>;

const path = boundedText(PATH_CHARS_MAX)
  .min(1, "Name the file.")
  .describe("Below the app's folder: names between slashes");
const oid = z.string().regex(/^(?:[0-9a-f]{40}|none)$/, "The id of a file has 40 hexadecimal digits.");
const ifOid = oid
  .optional()
  .describe("What you have seen: 409 when the file is another by now; none: there was no file");
export const readFileQuery = z.object({
  path: path.optional().describe("Without it, the tree of all files"),
  as: z.enum(["json", "raw"]).optional().describe("Default: json"),
  sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/, "The id of a commit has 40 hexadecimal digits.")
    .optional()
    .describe("As a commit of your branch or of main has it, without any draft; default: as you have it now"),
});
export const writeFileQuery = z.object({ path, oid: ifOid });
export const discardQuery = z.object({ path: path.optional().describe("One file; default: all of them") });

const ENCODINGS = ["utf8", "base64"] as const;
export const putFileBody = z
  .object({
    content: boundedText(JSON_FILE_BYTES_MAX).refine((text) => text.isWellFormed(), "This is no text in Unicode."),
    encoding: z.enum(ENCODINGS).optional().describe("Default: utf8"),
  })
  .refine(({ content, encoding }) => encoding !== "base64" || isBase64(content), {
    path: ["content"],
    message: "This is not base64.",
  });

export const treeItemSchema = z.object({
  path: z.string(),
  oid: z.string().describe("Git's id of its content"),
  bytes: z.int(),
  draft: z.enum(["added", "modified"]).nullable().describe("What your draft does to it; null: it is as committed"),
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
  baseSha: z.string().nullable().describe("The commit of main that the branch is compared with"),
  headSha: z.string().nullable(),
  ahead: z.int().describe("Commits of the app that main lacks"),
  behind: z.int().describe("Commits of the app on main that the branch lacks"),
  changes: z.array(change).describe("What the branch changes in the app, against main"),
  offline: z.boolean(),
  drafts: z.array(change).describe("What a commit would take in"),
});
export type AppStatus = z.infer<typeof statusSchema>;
export const statusQuery = z.object({
  live: boundedText(20).optional().describe("false: the last commit, also while a sandbox runs"),
});

/** Returns whether a text is canonical Base64 in groups of four; Node decodes other texts leniently. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
