import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";

const OWNER_CHARS_MAX = 39;
const NAME_CHARS_MAX = 100;
const BRANCH_CHARS_MAX = 200;
const PATH_CHARS_MAX = 500;

/** The host's own rules for names of owners, repositories and branches: no option and no URL. */
const owner = z
  .string()
  .max(OWNER_CHARS_MAX)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9]))*$/, "Owners can contain letters, digits and single dashes.");
const repo = z
  .string()
  .max(NAME_CHARS_MAX)
  .regex(
    /^(?!\.{1,2}$)(?!-)[A-Za-z0-9._-]+$/,
    "Repository names can contain letters, digits, dots, dashes and underscores.",
  )
  .refine((name) => !/\.git$/i.test(name), "Leave “.git” out.");
const branch = z
  .string()
  .max(BRANCH_CHARS_MAX)
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|\/-|\.lock(?:\/|$)))[A-Za-z0-9._/-]*[A-Za-z0-9_-]$/,
    "Branch names can contain letters, digits, dots, dashes, underscores and slashes.",
  );
const subdirectory = z
  .string()
  .max(PATH_CHARS_MAX)
  .regex(
    /^(?:[A-Za-z0-9_][A-Za-z0-9._ -]*(?:\/[A-Za-z0-9_][A-Za-z0-9._ -]*)*)?$/,
    "Use a path from the root with letters, digits, dots, dashes, underscores and slashes.",
  );

export const linkBody = z.object({
  owner,
  repo,
  defaultBranch: branch.optional().describe("Default: main"),
  subdirectory: subdirectory.optional().describe("Folder that contains `consoles/` and `apps/`. Default: the root"),
  installationId: z
    .int()
    .positive()
    .optional()
    .describe("One of `installations`. Default: the repository's installation"),
});
export type LinkBody = z.infer<typeof linkBody>;

export const ADOPTIONS = ["imported", "seeded", "fresh"] as const;
export type Adoption = (typeof ADOPTIONS)[number];
const LINK_STATES = ["pending", "synced", "conflict", "rejected", "rewritten", "removed", "failing"] as const;
export type LinkState = (typeof LINK_STATES)[number];
const SCOPES = ["all", "apps"] as const;
/** The synced files: all that the workspace's repository may have, or apps only, as older links do. */
export type Scope = (typeof SCOPES)[number];

const repoSchema = z.object({
  owner: z.string(),
  repo: z.string(),
  defaultBranch: z.string(),
  subdirectory: z.string(),
  installationId: z.int(),
  url: z.string(),
  scope: z.enum(SCOPES).describe("apps: an older link, which syncs apps only until you widen it"),
  adoption: z.enum(ADOPTIONS),
  state: z
    .enum(LINK_STATES)
    .describe(
      "rejected: the host has an invalid file. rewritten: its branch lost commits. removed: it lost all files of a folder. Nothing changes until fixed",
    ),
  problem: z.string().nullable(),
  conflicts: z.array(z.string()).describe("Files changed on both sides. Mirroring is paused until they are resolved"),
  removed: z
    .array(
      z.object({
        folder: z.string(),
        count: z.int().describe("Files that would be deleted here"),
        paths: z.array(z.string()).describe("The first 50"),
      }),
    )
    .describe("Folders of which the host removed all files, in the state removed"),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })),
  remoteSha: z.string().nullable(),
  pullsProblem: z.string().nullable().describe("Why pull requests are not checked; null if they are"),
  syncedAt: isoDate.nullable(),
  createdAt: isoDate,
});
export type Repo = z.infer<typeof repoSchema>;

export const linkAnswer = z.object({ repo: repoSchema, adoption: z.enum(ADOPTIONS) });
export const linkStatusAnswer = z.object({
  configured: z.boolean().describe("Whether a repository host is configured"),
  repo: repoSchema.nullable(),
  installations: z
    .array(z.object({ installationId: z.int(), account: z.string() }))
    .describe("Installations that you can use; see repohost-sync-url"),
});
export const syncBody = z.object({
  prefer: z
    .enum(["workspace", "host"])
    .optional()
    .describe("Version to keep for the files in `conflicts` and `removed`, or of a rewritten branch"),
  scope: z.literal("all").optional().describe("Syncs all files of a link that synced apps only"),
});
export type SyncBody = z.infer<typeof syncBody>;
export const syncUrlAnswer = z.object({ url: z.string() });
export const messageAnswer = z.object({ taken: z.boolean() });
