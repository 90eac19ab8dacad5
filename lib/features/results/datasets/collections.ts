import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { DatasetDoc } from "./model";

export const collections = {
  datasets: declareCollection<DatasetDoc>("datasets", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, kind: 1, ownerId: 1, name: 1 },
        unique: true,
        serves: "the datasets of a dashboard; each is created once",
      },
      { key: { workspaceId: 1, "kept.at": 1 }, serves: "removal of the oldest rows above the limit" },
    ],
  }),
};
