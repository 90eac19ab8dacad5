import { z } from "zod";
import { isoDate, isStorable, objectIdText, STORABLE, trimmedText } from "@/lib/platform/http/schema";

export const ACCESS = ["private", "workspace"] as const;
export type Access = (typeof ACCESS)[number];

/** Maximum length that is readable in the explorer; the editor has the same limit. */
const NAME_CHARS_MAX = 120;
/** A root folder has depth 1. */
export const FOLDER_DEPTH_MAX = 8;

/**
 * No slashes, no control and direction characters, no dot at the end: the rules for a path segment
 * (lib/features/repository/paths.ts checks them), as far as a pattern can express them.
 */
const NAME_CHARACTERS =
  "^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u200e\\u200f\\u061c\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\ufffe\\uffff\\ufdd0-\\ufdef]*$";
export const fileName = trimmedText(NAME_CHARS_MAX, "Give it a name.")
  .refine((text) => !text.includes("/"), "A name must not hold a slash. Make a folder instead.")
  .meta({ allOf: [{ pattern: NAME_CHARACTERS }] })
  .describe("Without slashes; folders make the path");
/** A subject and some paragraphs; longer texts belong in the file. */
const MESSAGE_CHARS_MAX = 5_000;
export const commitMessage = trimmedText(MESSAGE_CHARS_MAX, "Say what has changed, or leave the message out.")
  .refine(isStorable, "The message holds a character that cannot be stored.")
  .meta({ allOf: [STORABLE] })
  .optional()
  .describe("The commit's message; default: a sentence that names what was saved");
export const access = z.enum(ACCESS).describe("private: the owner alone; workspace: every member");
export const version = z
  .int("The version is a whole number.")
  .describe("The version that you have seen; another one is answered with 409");

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
export type Folder = z.infer<typeof folderSchema>;

export const createFolderBody = z.object({
  name: fileName,
  parentId: objectIdText.nullish(),
  access: access.optional().describe("Default: that of the parent, else private"),
});
export type CreateFolderBody = z.infer<typeof createFolderBody>;

export const updateFolderBody = z
  .object({
    name: fileName.optional(),
    parentId: objectIdText.nullish().describe("null is the top level"),
    access: access.optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), "Say what to change.")
  .meta({ anyOf: [{ required: ["name"] }, { required: ["parentId"] }, { required: ["access"] }] });
export type UpdateFolderBody = z.infer<typeof updateFolderBody>;

/** `recursive=true` deletes a folder with its content. */
export const deleteFolderQuery = z.object({ recursive: z.enum(["true", "false"]).optional() });

const author = z.object({ name: z.string(), email: z.string() });
const sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .describe("40 hexadecimal digits");
export const historyItemSchema = z.object({
  sha,
  author,
  date: isoDate,
  subject: z.string(),
  additions: z.int().nullable().describe("Lines that it added; null where a page's texts are too large to compare"),
  deletions: z.int().nullable().describe("Lines that it took; null as `additions`"),
});
export type HistoryItem = z.infer<typeof historyItemSchema>;

const commitId = z
  .string()
  .regex(/^[0-9a-fA-F]{7,40}$/, "A commit is named by 7 to 40 hexadecimal digits.")
  .describe("7 to 40 hexadecimal digits");
export const commitQuery = z.object({ sha: commitId });
export const restoreVersionBody = z.object({ sha: commitId });

/** Line counts and the patch are null when the texts are too large to compare. */
export const fileCommitSchema = z.object({
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
export type FileCommit = z.infer<typeof fileCommitSchema>;
