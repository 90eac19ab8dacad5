import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { GitChunkDoc, GitCommitDoc, GitHistoryDoc, GitObjectDoc, GitRefDoc } from "./model";

/** Branches come before their objects: an interrupted deletion leaves no branch with missing objects. */
export const collections = {
  gitRefs: declareCollection<GitRefDoc>("git_refs", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, ref: 1 }, unique: true, serves: "a branch's head; one branch a name" },
      { key: { "open.at": 1 }, sparse: true, serves: "changes that a dead server has left open" },
    ],
  }),
  gitCommits: declareCollection<GitCommitDoc>("git_commits", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, oid: 1 }, unique: true, serves: "has this commit landed, and where in the order" },
      { key: { workspaceId: 1, seq: 1 }, serves: "the commits that landed before one, which a walk comes to next" },
    ],
  }),
  gitHistory: declareCollection<GitHistoryDoc>("git_history", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, lineage: 1, oid: 1, path: 1, status: 1 },
        unique: true,
        serves: "one commit's change of a file; writing an entry again adds none",
      },
      { key: { workspaceId: 1, lineage: 1, seq: -1 }, serves: "a file's or a folder's history, newest first" },
      { key: { workspaceId: 1, path: 1, seq: -1 }, serves: "which file stood at a path" },
    ],
  }),
  gitObjects: declareCollection<GitObjectDoc>("git_objects", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, oid: 1 }, unique: true, serves: "an object by its id or its beginning; stored once" },
    ],
  }),
  gitChunks: declareCollection<GitChunkDoc>("git_chunks", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, oid: 1, n: 1 }, unique: true, serves: "the parts of a large object, in order" }],
  }),
};
