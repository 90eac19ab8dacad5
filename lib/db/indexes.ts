import "server-only";
import type { IndexDescription } from "mongodb";
import { database } from "./client";
import { COLLECTION_NAMES, type CollectionName } from "./collections";

/** Query history is kept this long. */
const EXECUTION_DAYS = 30;
/** Contract, section 3. */
const MAIL_DAYS = 30;
/** A deleted console can be brought back for this long; git keeps its text for good. */
const DELETED_CONSOLE_DAYS = 30;
/** A draft that nobody has touched for this long is forgotten. */
const DRAFT_DAYS = 90;
const DAY_SECONDS = 24 * 60 * 60;

type Index = IndexDescription & { serves: string };

/** Every index, with the query or the rule that it serves. */
export const INDEXES: Partial<Record<CollectionName, Index[]>> = {
  users: [{ key: { email: 1 }, unique: true, serves: "login, and the rule that an address has one account" }],
  accounts: [
    { key: { provider: 1, providerAccountId: 1 }, unique: true, serves: "sign-in by a provider finds its account" },
    { key: { userId: 1 }, serves: "the accounts of a user" },
  ],
  sessions: [
    { key: { sessionToken: 1 }, unique: true, serves: "who sends this cookie, on every request" },
    { key: { userId: 1 }, serves: "a user's own sessions; ending them on a password change" },
    {
      key: { expires: 1 },
      expireAfterSeconds: 0,
      serves: "ended sessions are swept; the check in code does not wait for it",
    },
  ],
  verificationTokens: [{ key: { identifier: 1, token: 1 }, unique: true, serves: "one-time links" }],
  apiKeys: [
    { key: { hash: 1 }, unique: true, serves: "who sends this key, on every request" },
    { key: { workspaceId: 1, _id: -1 }, serves: "the keys of a workspace, newest first" },
  ],
  passwordResets: [
    { key: { tokenHash: 1 }, unique: true, serves: "the account of a reset link" },
    { key: { userId: 1 }, serves: "an account's other links end with a new password" },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "links that are over are swept" },
  ],
  mails: [
    { key: { workspaceId: 1, _id: -1 }, serves: "the outbox, newest first" },
    { key: { createdAt: 1 }, expireAfterSeconds: MAIL_DAYS * DAY_SECONDS, serves: "mails are kept 30 days" },
  ],
  invites: [
    { key: { workspaceId: 1, email: 1 }, unique: true, serves: "one open invitation an address" },
    { key: { tokenHash: 1 }, unique: true, serves: "the invitation of a link" },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "invitations that are over are swept" },
  ],
  rateLimits: [
    { key: { key: 1 }, unique: true, serves: "one counter a limit and subject, shared by all servers" },
    { key: { expire: 1 }, expireAfterSeconds: 0, serves: "counters whose window has passed are swept" },
  ],
  workspaces: [
    { key: { slug: 1 }, unique: true, serves: "the workspace of a page's address" },
    { key: { deletedAt: 1 }, sparse: true, serves: "deletions that a crash broke off" },
  ],
  memberships: [
    {
      key: { workspaceId: 1, userId: 1 },
      unique: true,
      serves: "may this user enter, on every request; one role a person",
    },
    { key: { userId: 1, _id: 1 }, serves: "the workspaces of a user, in the order in which they joined" },
  ],
  connections: [{ key: { workspaceId: 1, _id: 1 }, serves: "the connections of a workspace, oldest first" }],
  executions: [
    { key: { workspaceId: 1, _id: -1 }, serves: "query history, newest first" },
    { key: { workspaceId: 1, executionId: 1 }, serves: "cancelling a query from any server" },
    { key: { startedAt: 1 }, expireAfterSeconds: EXECUTION_DAYS * DAY_SECONDS, serves: "history is kept 30 days" },
  ],
  consoles: [
    { key: { workspaceId: 1, space: 1, key: 1 }, unique: true, serves: "one console a place, on every file system" },
    { key: { workspaceId: 1, space: 1, folderId: 1 }, serves: "the consoles of a folder" },
    { key: { workspaceId: 1, space: 1, updatedAt: -1 }, serves: "searches read what was saved last first" },
    { key: { workspaceId: 1, space: 1, file: 1 }, serves: "which console a file of git is" },
    { key: { workspaceId: 1, _id: 1 }, serves: "the consoles of a workspace, in the order of their making" },
  ],
  consoleFolders: [
    { key: { workspaceId: 1, space: 1, key: 1 }, unique: true, serves: "one folder a place, on every file system" },
  ],
  deletedConsoles: [
    { key: { workspaceId: 1 }, serves: "the end of a workspace" },
    {
      key: { deletedAt: 1 },
      expireAfterSeconds: DELETED_CONSOLE_DAYS * DAY_SECONDS,
      serves: "deleted consoles can be brought back for 30 days",
    },
  ],
  consoleDrafts: [
    {
      key: { workspaceId: 1, consoleId: 1, userId: 1 },
      unique: true,
      serves: "a person's draft of a console, of which there is one",
    },
    { key: { updatedAt: 1 }, expireAfterSeconds: DRAFT_DAYS * DAY_SECONDS, serves: "old drafts are forgotten" },
  ],
  consoleJournals: [
    { key: { workspaceId: 1 }, unique: true, serves: "a workspace's changes of consoles go one after another" },
  ],
  privateRepositories: [
    { key: { workspaceId: 1, ownerId: 1 }, unique: true, serves: "the repository of a member's private consoles" },
  ],
  gitObjects: [
    { key: { workspaceId: 1, oid: 1 }, unique: true, serves: "an object by its id or its beginning; stored once" },
  ],
  gitChunks: [{ key: { workspaceId: 1, oid: 1, n: 1 }, unique: true, serves: "the parts of a large object, in order" }],
  gitRefs: [{ key: { workspaceId: 1, ref: 1 }, unique: true, serves: "a branch's head; one branch a name" }],
  gitCommits: [
    { key: { workspaceId: 1, oid: 1 }, unique: true, serves: "has this commit landed, and where in the order" },
  ],
  gitHistory: [
    {
      key: { workspaceId: 1, lineage: 1, oid: 1, path: 1, status: 1 },
      unique: true,
      serves: "one commit's change of a file; writing an entry again adds none",
    },
    { key: { workspaceId: 1, lineage: 1, seq: -1 }, serves: "a file's or a folder's history, newest first" },
    { key: { workspaceId: 1, path: 1, seq: -1 }, serves: "which file stood at a path" },
  ],
};

const KEY = Symbol.for("millrace.db.indexes");
const shared = globalThis as { [KEY]?: Promise<void> };

/** Resolves when every index stands; the work is done once a process, and again if it failed. */
export function databaseReady(): Promise<void> {
  shared[KEY] ??= createIndexes().catch((error) => {
    delete shared[KEY];
    throw error;
  });
  return shared[KEY];
}

async function createIndexes(): Promise<void> {
  for (const [name, indexes] of Object.entries(INDEXES) as [CollectionName, Index[]][]) {
    await database()
      .collection(COLLECTION_NAMES[name])
      .createIndexes(indexes.map(({ serves: _, ...index }) => index));
  }
}
