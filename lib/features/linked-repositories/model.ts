import type { ObjectId } from "mongodb";
import type { Work } from "@/lib/platform/work/model";
import type { Adoption, LinkState, Scope } from "./schema";

/** The repository that a workspace's files are synced with. One for each workspace. */
export type RepoLinkDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** The host's number for the repository: it survives renames and moves. */
  repositoryNumber: number;
  installationId: number;
  owner: string;
  repo: string;
  branch: string;
  /** The folder in it for the workspace's root; "" is the repository's root. */
  subdirectory: string;
  /** The synced files; absent in older links, which sync apps only. */
  scope?: Scope;
  /** The admin with whose rights changes of the host land. */
  linkedBy: ObjectId;
  adoption: Adoption;
  state: LinkState;
  /** Reason why the two sides are not in sync, for the user; null if they are. */
  problem: string | null;
  /** Files that both sides changed differently. */
  conflicts: string[];
  /** Folders of which the host removed all files, as last reported. Absent in older links. */
  removed?: RemovedFolder[];
  /** The host's files that are skipped, with the reason. */
  skipped: { path: string; why: string }[];
  /** The last commits of both sides with equal files; null before the first sync. */
  localSha: string | null;
  remoteSha: string | null;
  /** The files that are equal in these commits; absent means apps. */
  syncedScope?: Scope;
  /** Reason why pull requests are not checked, for the user; null or absent if they are. */
  pullsProblem?: string | null;
  syncedAt: Date | null;
  checkedAt: Date;
  createdAt: Date;
  /** End of a pause that the host has asked for. */
  pausedUntil?: Date;
  /** Its syncs. `dueAt` is the time of the next check without a message. */
  work?: Work;
  /** A sync was requested while one ran: the side that wins, or "any". */
  syncAgain?: "workspace" | "host" | "any";
};

/** A folder of the workspace with the files that the host removed. `paths` are the first of them. */
export type RemovedFolder = { folder: string; count: number; paths: string[] };

/** A file that a pull request changes. `numbers` is null until a member publishes a comparison of its results. */
export type PullFile = {
  path: string;
  status: "added" | "modified" | "deleted" | "renamed";
  kind: "console" | "dashboard" | "other";
  numbers: PullNumbers[] | null;
};

/** Numbers of rows that differ, of a console or of one widget. */
export type PullNumbers = {
  title: string;
  added: number;
  removed: number;
  changed: number;
  isFailed: boolean;
  /** More rows than are compared. */
  isPartial: boolean;
};

/** An open pull request of a linked repository, with the outcome of its check. */
export type RepoPullDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  number: number;
  url: string;
  headSha: string;
  /** Head of its review branch; null without one. */
  reviewSha: string | null;
  /** pending: its author may not write to the repository, so it is not checked. */
  state: "success" | "failure" | "pending";
  /** Reason of a failure. */
  fault: string | null;
  files: PullFile[];
  judgedAt: Date;
  /** The status and the comment that the host has; null for none. */
  postedStatus: string | null;
  postedComment: string | null;
  commentId: number | null;
  /** The comment was deleted at the host, or is not allowed there. */
  isCommentRemoved: boolean;
};

/** A completed authorisation: its state is valid once. */
export type RepoHostStateDoc = {
  /** Hash of the state. */
  _id: string;
  expiresAt: Date;
};

/** An installation that the host listed for a user. */
export type RepoHostInstallationDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  installationId: number;
  /** Names at the host: of the installation, and of the user. */
  account: string;
  login: string;
  seenAt: Date;
};

/** A message of the host that was accepted, by its signature: each is processed once. */
export type RepoHostMessageDoc = { _id: string; expiresAt: Date };
