import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { PrivateRepositoryDoc } from "./model";

export const collections = {
  privateRepositories: declareCollection<PrivateRepositoryDoc>("private_repositories", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, ownerId: 1 }, unique: true, serves: "the repository of a member's private files" },
    ],
  }),
};
