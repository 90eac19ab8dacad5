import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { GitStretchDoc, GitStretchPartDoc } from "./model";

export const collections = {
  gitStretches: declareCollection<GitStretchDoc>("git_stretches", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, n: 1 },
        unique: true,
        serves: "a repository's stretches, in order; each is created once",
      },
    ],
  }),
  gitStretchParts: declareCollection<GitStretchPartDoc>("git_stretch_parts", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, stretchId: 1, kind: 1, n: 1 },
        unique: true,
        serves: "the bytes of a stretch, in order",
      },
    ],
  }),
};
