import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ResultChunkDoc, ResultDoc } from "./model";

export const collections = {
  results: declareCollection<ResultDoc>("results", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, _id: 1 }, serves: "a workspace's stored results" },
      {
        key: { workspaceId: 1, "latest.kind": 1, "latest.ownerId": 1, "latest.at": -1 },
        serves: "the latest result of a console",
      },
      { key: { workspaceId: 1, "latest.at": 1 }, serves: "removal of the oldest results above the limit" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of stored results" },
    ],
  }),
  resultChunks: declareCollection<ResultChunkDoc>("resultChunks", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, resultId: 1, index: 1 }, unique: true, serves: "the rows of a result, in order" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of rows, with their result" },
    ],
  }),
};
