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
        serves: "the datasets of a dashboard; of two who begin one there is one",
      },
      { key: { workspaceId: 1, "kept.at": 1 }, serves: "a full workspace gives up its oldest rows first" },
    ],
  }),
};
