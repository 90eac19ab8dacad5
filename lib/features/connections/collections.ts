import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ConnectionDoc } from "./model";

export const collections = {
  connections: declareCollection<ConnectionDoc>("connections", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, _id: 1 }, serves: "the connections of a workspace, oldest first" },
      { key: { workspaceId: 1, name: 1 }, serves: "the connections that a file names" },
    ],
  }),
};
