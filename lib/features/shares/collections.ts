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
        serves: "the share of something, of which it has one",
      },
      { key: { tokenHash: 1 }, unique: true, sparse: true, serves: "what a link shows" },
    ],
  }),
};
