import type { ObjectId } from "mongodb";
import type { Adoption, LinkState } from "./schema";

/** The repository that a workspace's apps are mirrored to. One a workspace. */
export type RepoLinkDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** The host's number for the repository: it stays when that is renamed or moved. */
  repositoryNumber: number;
  installationId: number;
  owner: string;
  repo: string;
  branch: string;
  /** The folder in it that stands for the workspace's root; "" is its own. */
  subdirectory: string;
  linkedBy: ObjectId;
  adoption: Adoption;
  state: LinkState;
  /** What keeps it from being in step, for people; null when nothing does. */
  problem: string | null;
  /** Files that both sides have changed, each in its way. */
  conflicts: string[];
  /** What of the host's is left out, and why. */
  skipped: { path: string; why: string }[];
  /** The commits of both sides that had the same apps; null before the first time. */
  localSha: string | null;
  remoteSha: string | null;
  syncedAt: Date | null;
  checkedAt: Date;
  createdAt: Date;
};

/** A way to the host and back that has been gone: its state serves once. */
export type RepoHostStateDoc = {
  /** Hash of the state. */
  _id: string;
  expiresAt: Date;
};

/** An installation that the host has shown to a person as theirs. */
export type RepoHostInstallationDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  installationId: number;
  /** Of the installation, and of the person, at the host. */
  account: string;
  login: string;
  seenAt: Date;
};

/** A message of the host that was taken: its signature, so that it is carried out once. */
export type RepoHostMessageDoc = { _id: string; expiresAt: Date };
