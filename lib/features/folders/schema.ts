import { z } from "zod";
import {
  boundedListQuery,
  idList,
  isoDate,
  isStorable,
  LIST_LIMIT_MAX,
  listQuery,
  objectIdText,
  STORABLE,
  trimmedText,
} from "@/lib/platform/http/schema";
import { FOLDER_COUNT_MAX } from "./limits";

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
export const fileName = trimmedText(NAME_CHARS_MAX, "Name is required.")
  .refine((text) => !text.includes("/"), "Names can't contain slashes. Create a folder instead.")
  .meta({ allOf: [{ pattern: NAME_CHARACTERS }] })
  .describe("Name without slashes");
/** A subject and some paragraphs; longer texts belong in the file. */
const MESSAGE_CHARS_MAX = 5_000;
export const commitMessage = trimmedText(MESSAGE_CHARS_MAX, "Enter a commit message, or omit it.")
  .refine(isStorable, "The message contains an invalid character.")
  .meta({ allOf: [STORABLE] })
  .optional()
  .describe("Commit message. Default: generated");
const SEEN_DRAFT = "`updatedAt` of the draft that you last saw: another draft is a 409. Omit to skip the check";
export const seenDraftAt = isoDate.nullish().describe(`${SEEN_DRAFT}; null for no draft`);
export const deleteDraftQuery = z.object({ updatedAt: isoDate.optional().describe(SEEN_DRAFT) });
export const access = z.enum(ACCESS).describe("private: owner only; workspace: all members");
export const version = z.int("version must be a whole number.").describe("Expected version. Returns 409 if stale");

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

/** A letter for folders or items, and the last name as base64url. Names of 200 bytes grow when their case is folded. */
const TREE_CURSOR = /^[fi]\.[A-Za-z0-9_-]{1,8000}$/;

export const treeQuery = listQuery.extend({
  folderId: objectIdText.optional().describe("Folder to open. Default: the top level"),
  access: access.optional().describe("Top level to open, without folderId. Default: private"),
  cursor: z
    .string()
    .regex(TREE_CURSOR, "Invalid cursor. Omit it to start from the first page.")
    .describe("nextCursor from the previous page, unchanged")
    .optional(),
});
export type TreeQuery = z.infer<typeof treeQuery>;

const countedFolderSchema = folderSchema.extend({
  count: z.int().describe(`Items in it and its subfolders, counted up to ${FOLDER_COUNT_MAX}`),
});
export type CountedFolder = z.infer<typeof countedFolderSchema>;

/** Returns a schema for one page of a folder: its subfolders by name, then its items by name. */
export function treePageOf<T extends z.ZodType>(item: T) {
  return z.object({
    trail: z.array(folderSchema).describe("Folders from the top level to this one; empty at the top level"),
    folders: z.array(countedFolderSchema),
    items: z.array(item),
    nextCursor: z.string().nullable(),
  });
}
export type TreePage<T> = { trail: Folder[]; folders: CountedFolder[]; items: T[]; nextCursor: string | null };

export const createFolderBody = z.object({
  name: fileName,
  parentId: objectIdText.nullish(),
  access: access.optional().describe("Default: the parent's access, or private"),
});
export type CreateFolderBody = z.infer<typeof createFolderBody>;

export const updateFolderBody = z
  .object({
    name: fileName.optional(),
    parentId: objectIdText.nullish().describe("null is the top level"),
    access: access.optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), "Send at least one field to change.")
  .meta({ anyOf: [{ required: ["name"] }, { required: ["parentId"] }, { required: ["access"] }] });
export type UpdateFolderBody = z.infer<typeof updateFolderBody>;

/** `recursive=true` deletes a folder with its content. */
export const deleteFolderQuery = z.object({ recursive: z.enum(["true", "false"]).optional() });

/** Content of a deleted folder, from which its items can be restored to the same places. */
export const deletedFolderSchema = z.object({
  folders: z.array(folderSchema).describe("The folder, then its subfolders, each after its parent"),
  items: z.array(z.object({ id: objectIdText, folderId: objectIdText })),
});
export type DeletedFolder = z.infer<typeof deletedFolderSchema>;

const LOOKUP_CHARS_MAX = 200;

export const lookupQuery = boundedListQuery.extend({
  q: trimmedText(LOOKUP_CHARS_MAX, "Search text is required.")
    .refine(isStorable, "Invalid character.")
    .meta({ allOf: [STORABLE] })
    .optional()
    .describe("Beginnings of words. All must occur in the name and its folders, in any case, with or without accents"),
  ids: idList
    .optional()
    .describe(`Up to ${LIST_LIMIT_MAX} ids, separated by commas. Missing ones are left out; q is ignored`),
});
export type LookupQuery = z.infer<typeof lookupQuery>;

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
  additions: z.int().nullable().describe("Lines added; null if too large to compare"),
  deletions: z.int().nullable().describe("Lines deleted; null like `additions`"),
});
export type HistoryItem = z.infer<typeof historyItemSchema>;

const commitId = z
  .string()
  .regex(/^[0-9a-fA-F]{7,40}$/, "Use a SHA with 7 to 40 hexadecimal digits.")
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
