import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ShareDoc } from "./model";

export const collections = {
  shares: declareCollection<ShareDoc>("shares", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, kind: 1, resourceId: 1 },
        unique: true,
        serves: "one share per resource",
      },
      { key: { tokenHash: 1 }, unique: true, sparse: true, serves: "look-up of a share by its link" },
    ],
  }),
};
