import { z } from "zod";
import { executeOnBody } from "@/lib/features/query/schema";
import { boundedText, isoDate, objectIdText } from "@/lib/platform/http/schema";

/** Git's rules for one segment of a branch name; `parseBranch` checks them. */
const NAME_CHARS_MAX = 193;
const PATH_CHARS_MAX = 1_000;

export const reviewName = z
  .string()
  .max(NAME_CHARS_MAX)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/, "Invalid review name.")
  .describe("Name of the branch after review/");
const sha = z
  .string()
  .regex(/^[0-9a-f]{40}$/, "Use a full commit ID.")
  .describe("40 hexadecimal digits");

export const reviewSchema = z.object({
  name: reviewName,
  sha: sha.describe("Head of the branch"),
  subject: z.string().describe("First line of the last commit's message"),
  author: z.object({ name: z.string(), email: z.string() }).describe("Author of the last commit"),
  creator: z
    .object({ id: objectIdText, name: z.string() })
    .nullable()
    .describe("Creator of the branch; null if unknown"),
  pullRequest: z
    .object({ number: z.int(), url: z.string() })
    .nullable()
    .describe("Pull request of the linked repository that the review follows. It is merged and closed there"),
  updatedAt: isoDate.describe("Time of the last push"),
  ahead: z.int().describe("Commits that main lacks. 0 if the review is merged"),
  behind: z.int().describe("Commits of main that the branch lacks"),
  files: z.int().describe("Number of changed files"),
});
export type Review = z.infer<typeof reviewSchema>;

const reviewFileSchema = z.object({
  path: z.string(),
  previousPath: z.string().nullable().describe("Path before a rename; null without one"),
  status: z.enum(["added", "modified", "deleted", "renamed"]),
  kind: z.enum(["console", "dashboard", "other"]).describe("Consoles and dashboards can be compared"),
  isBinary: z.boolean(),
  before: z.string().nullable().describe("Text on main; null if absent, binary or too large"),
  after: z.string().nullable().describe("Text on the branch; null like `before`"),
  additions: z.int().nullable().describe("Lines added; null if too large to compare"),
  deletions: z.int().nullable().describe("Lines deleted; null like `additions`"),
  patch: z.string().nullable().describe("In git's format; null if too large"),
});
export type ReviewFile = z.infer<typeof reviewFileSchema>;

export const reviewDetailSchema = reviewSchema.extend({
  base: sha.nullable().describe("Last common commit with main; null if there is none"),
  mayMerge: z.boolean().describe("Whether you can merge it"),
  mayDelete: z.boolean().describe("Whether you can delete it"),
  conflicts: z.array(z.object({ path: z.string() })).describe("Files that main changed differently"),
  changes: z.array(reviewFileSchema).describe("The first 300 changed files. Texts end at 4 MiB together"),
});
export type ReviewDetail = z.infer<typeof reviewDetailSchema>;

export const mergeReviewBody = z.object({
  sha: sha.describe("Head that you reviewed. Returns 409 if the branch moved"),
});
export const mergedReviewSchema = z.object({
  sha: sha.describe("Head of main"),
  kind: z.enum(["up-to-date", "fast-forward", "merge"]).describe("up-to-date: it was merged before"),
});
export type MergedReview = z.infer<typeof mergedReviewSchema>;

export const compareBody = z.object({
  path: boundedText(PATH_CHARS_MAX).describe("Changed console or dashboard"),
  variables: executeOnBody.shape.variables,
  publish: z
    .boolean()
    .optional()
    .describe("Adds the numbers of rows to the comment of the review's pull request. Default: false"),
});
export type CompareBody = z.infer<typeof compareBody>;

const row = z.record(z.string(), z.unknown());
const sideSchema = z.object({
  fields: z.array(z.object({ name: z.string(), type: z.string() })),
  rowCount: z.int(),
  truncated: z.boolean().describe("True if the result has more than 1,000 rows"),
  error: z.string().nullable().describe("Error of the query; null if it succeeded"),
});
export const rowDiffSchema = z.object({
  before: sideSchema.nullable().describe("Result on main; null for a new file"),
  after: sideSchema.nullable().describe("Result on the branch; null for a deleted file"),
  key: z.string().nullable().describe("First column, if it identifies rows; null: whole rows are compared"),
  addedCount: z.int(),
  removedCount: z.int(),
  changedCount: z.int(),
  added: z.array(row).describe("The first 100 rows only on the branch"),
  removed: z.array(row).describe("The first 100 rows only on main"),
  changed: z.array(z.object({ before: row, after: row })).describe("The first 100 rows with equal keys"),
});
export type RowDiff = z.infer<typeof rowDiffSchema>;

export const comparisonSchema = z.object({
  kind: z.enum(["console", "dashboard"]),
  parts: z
    .array(rowDiffSchema.extend({ id: z.string(), title: z.string() }))
    .describe("The console's result, or one entry for each changed widget"),
});
export type Comparison = z.infer<typeof comparisonSchema>;
