import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { GitChunkDoc, GitCommitDoc, GitHistoryDoc, GitObjectDoc, GitRefDoc } from "./model";

/** Branches come before their objects: an interrupted deletion leaves no branch with missing objects. */
export const collections = {
  gitRefs: declareCollection<GitRefDoc>("git_refs", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, ref: 1 }, unique: true, serves: "look-up of a branch; unique names" },
      { key: { "open.at": 1 }, sparse: true, serves: "open changes of dead servers" },
    ],
  }),
  gitCommits: declareCollection<GitCommitDoc>("git_commits", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, oid: 1 }, unique: true, serves: "position of a commit on main" },
      { key: { workspaceId: 1, seq: 1 }, serves: "walks over commits of main" },
    ],
  }),
  gitHistory: declareCollection<GitHistoryDoc>("git_history", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, lineage: 1, oid: 1, path: 1, status: 1 },
        unique: true,
        serves: "one entry per commit and file, so that writes are idempotent",
      },
      { key: { workspaceId: 1, lineage: 1, seq: -1 }, serves: "a file's or a folder's history, newest first" },
      { key: { workspaceId: 1, path: 1, seq: -1 }, serves: "look-up of a file by a former path" },
    ],
  }),
  gitObjects: declareCollection<GitObjectDoc>("git_objects", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, oid: 1 },
        unique: true,
        serves: "look-up of an object by its id or a prefix; unique objects",
      },
    ],
  }),
  gitChunks: declareCollection<GitChunkDoc>("git_chunks", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, oid: 1, n: 1 }, unique: true, serves: "the parts of a large object, in order" }],
  }),
};
