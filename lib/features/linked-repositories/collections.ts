import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import { workIndex } from "@/lib/platform/work/model";
import type { RepoHostInstallationDoc, RepoHostMessageDoc, RepoHostStateDoc, RepoLinkDoc, RepoPullDoc } from "./model";

export const collections = {
  repoLinks: declareCollection<RepoLinkDoc>("repo_links", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1 }, unique: true, serves: "one linked repository per workspace" },
      { key: { repositoryNumber: 1 }, unique: true, serves: "one link per repository; look-up for its webhooks" },
      workIndex("unfinished and overdue syncs"),
    ],
  }),
  repoPulls: declareCollection<RepoPullDoc>("repo_pulls", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, number: 1 }, unique: true, serves: "a pull request by its number" }],
  }),
  repoHostStates: declareCollection<RepoHostStateDoc>("repo_host_states", {
    isOfWorkspace: false,
    indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of authorisation states" }],
  }),
  repoHostInstallations: declareCollection<RepoHostInstallationDoc>("repo_host_installations", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, userId: 1, installationId: 1 },
        unique: true,
        serves: "the installations that a member can link",
      },
    ],
  }),
  repoHostMessages: declareCollection<RepoHostMessageDoc>("repo_host_messages", {
    isOfWorkspace: false,
    indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of webhook ids" }],
  }),
};
