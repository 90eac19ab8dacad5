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
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9]))*$/, "An owner has letters, digits and single dashes.");
const repo = z
  .string()
  .max(NAME_CHARS_MAX)
  .regex(/^(?!\.{1,2}$)(?!-)[A-Za-z0-9._-]+$/, "A repository has letters, digits, dots, dashes and underscores.")
  .refine((name) => !/\.git$/i.test(name), "Leave “.git” out.");
const branch = z
  .string()
  .max(BRANCH_CHARS_MAX)
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|\/-|\.lock(?:\/|$)))[A-Za-z0-9._/-]*[A-Za-z0-9_-]$/,
    "A branch has letters, digits, dots, dashes, underscores and slashes.",
  );
const subdirectory = z
  .string()
  .max(PATH_CHARS_MAX)
  .regex(
    /^(?:[A-Za-z0-9_][A-Za-z0-9._ -]*(?:\/[A-Za-z0-9_][A-Za-z0-9._ -]*)*)?$/,
    "A folder is named by letters, digits, dots, dashes and underscores between slashes, from the root.",
  );

export const linkBody = z.object({
  owner,
  repo,
  defaultBranch: branch.optional().describe("Default: main"),
  subdirectory: subdirectory.optional().describe("The folder that `apps/` lies in; the root without it"),
  installationId: z
    .int()
    .positive()
    .optional()
    .describe("One of `installations`; without it, the one that the repository has"),
});
export type LinkBody = z.infer<typeof linkBody>;

export const ADOPTIONS = ["imported", "seeded", "fresh"] as const;
export type Adoption = (typeof ADOPTIONS)[number];
const LINK_STATES = ["pending", "synced", "conflict", "failing"] as const;
export type LinkState = (typeof LINK_STATES)[number];

const repoSchema = z.object({
  owner: z.string(),
  repo: z.string(),
  defaultBranch: z.string(),
  subdirectory: z.string(),
  installationId: z.int(),
  url: z.string(),
  adoption: z.enum(ADOPTIONS),
  state: z.enum(LINK_STATES),
  problem: z.string().nullable(),
  conflicts: z
    .array(z.string())
    .describe("Files that both sides have changed; nothing is mirrored until it is decided"),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })),
  remoteSha: z.string().nullable(),
  syncedAt: isoDate.nullable(),
  createdAt: isoDate,
});
export type Repo = z.infer<typeof repoSchema>;

export const linkAnswer = z.object({ repo: repoSchema, adoption: z.enum(ADOPTIONS) });
export const linkStatusAnswer = z.object({
  configured: z.boolean().describe("Whether this installation knows a repository host"),
  repo: repoSchema.nullable(),
  installations: z
    .array(z.object({ installationId: z.int(), account: z.string() }))
    .describe("Those that the host has shown to you; see repohost-sync-url"),
});
export const syncBody = z.object({
  prefer: z.enum(["workspace", "host"]).optional().describe("Whose version of the files in `conflicts` is to stay"),
});
export const syncUrlAnswer = z.object({ url: z.string() });
export const messageAnswer = z.object({ taken: z.boolean() });
