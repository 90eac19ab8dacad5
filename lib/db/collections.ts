import "server-only";
import type { Collection, Document } from "mongodb";
import type { ApiKeyDoc, CredentialDoc, PasswordResetDoc, SessionDoc, UserDoc } from "@/lib/auth/model";
import type { ConnectionDoc } from "@/lib/connections/model";
import type {
  ConsoleDoc,
  ConsoleDraftDoc,
  ConsoleFolderDoc,
  ConsoleJournalDoc,
  DeletedConsoleDoc,
  PrivateRepositoryDoc,
} from "@/lib/consoles/model";
import type { InviteDoc } from "@/lib/invites/model";
import type { MailDoc } from "@/lib/mail/model";
import type { PreferencesDoc } from "@/lib/preferences/model";
import type { ExecutionDoc } from "@/lib/query/model";
import type { GitChunkDoc, GitCommitDoc, GitHistoryDoc, GitObjectDoc, GitRefDoc } from "@/lib/repository/model";
import type { MembershipDoc, WorkspaceDoc } from "@/lib/workspaces/model";
import { database } from "./client";

/** The names of all collections. Nobody else writes one. */
export const COLLECTION_NAMES = {
  users: "users",
  accounts: "accounts",
  sessions: "sessions",
  verificationTokens: "verification_tokens",
  credentials: "credentials",
  passwordResets: "password_resets",
  preferences: "preferences",
  mails: "mails",
  invites: "invites",
  apiKeys: "api_keys",
  rateLimits: "rate_limits",
  workspaces: "workspaces",
  memberships: "memberships",
  connections: "connections",
  executions: "executions",
  consoles: "consoles",
  consoleFolders: "console_folders",
  deletedConsoles: "deleted_consoles",
  consoleDrafts: "console_drafts",
  consoleJournals: "console_journals",
  privateRepositories: "private_repositories",
  gitObjects: "git_objects",
  gitChunks: "git_chunks",
  gitRefs: "git_refs",
  gitCommits: "git_commits",
  gitHistory: "git_history",
} as const;

export type CollectionName = keyof typeof COLLECTION_NAMES;

/** Those whose documents carry a workspaceId: they go when the workspace goes. */
export const WORKSPACE_COLLECTIONS: CollectionName[] = [
  "memberships",
  "invites",
  "apiKeys",
  "connections",
  "executions",
  "mails",
  "consoles",
  "consoleFolders",
  "deletedConsoles",
  "consoleDrafts",
  "consoleJournals",
  "privateRepositories",
  // Branches before what they point at.
  "gitRefs",
  "gitCommits",
  "gitHistory",
  "gitObjects",
  "gitChunks",
];

function of<T extends Document>(name: CollectionName): Collection<T> {
  return database().collection<T>(COLLECTION_NAMES[name]);
}

/** Typed accessors to the collections of the database in use. */
export const collections = {
  users: () => of<UserDoc>("users"),
  sessions: () => of<SessionDoc>("sessions"),
  credentials: () => of<CredentialDoc>("credentials"),
  passwordResets: () => of<PasswordResetDoc>("passwordResets"),
  preferences: () => of<PreferencesDoc>("preferences"),
  mails: () => of<MailDoc>("mails"),
  invites: () => of<InviteDoc>("invites"),
  apiKeys: () => of<ApiKeyDoc>("apiKeys"),
  workspaces: () => of<WorkspaceDoc>("workspaces"),
  memberships: () => of<MembershipDoc>("memberships"),
  connections: () => of<ConnectionDoc>("connections"),
  executions: () => of<ExecutionDoc>("executions"),
  consoles: () => of<ConsoleDoc>("consoles"),
  consoleFolders: () => of<ConsoleFolderDoc>("consoleFolders"),
  deletedConsoles: () => of<DeletedConsoleDoc>("deletedConsoles"),
  consoleDrafts: () => of<ConsoleDraftDoc>("consoleDrafts"),
  consoleJournals: () => of<ConsoleJournalDoc>("consoleJournals"),
  privateRepositories: () => of<PrivateRepositoryDoc>("privateRepositories"),
  gitObjects: () => of<GitObjectDoc>("gitObjects"),
  gitChunks: () => of<GitChunkDoc>("gitChunks"),
  gitRefs: () => of<GitRefDoc>("gitRefs"),
  gitCommits: () => of<GitCommitDoc>("gitCommits"),
  gitHistory: () => of<GitHistoryDoc>("gitHistory"),
};
