import "server-only";
import { declareItemCollections } from "@/lib/features/folders/item-collections";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import type { ConsoleDoc, ConsoleDraftDoc } from "./model";

/** Retention of untouched drafts, in days. */
const DRAFT_DAYS = 90;

const filed = declareItemCollections<ConsoleDoc>("console", [
  { key: { workspaceId: 1, connectionId: 1, space: 1, _id: 1 }, serves: "the consoles on a connection, oldest first" },
  { key: { workspaceId: 1, space: 1, textKeys: 1 }, serves: "searches of texts" },
]);

export const collections = {
  consoles: filed.items,
  consoleFolders: filed.folders,
  deletedConsoles: filed.deleted,
  consoleDrafts: declareCollection<ConsoleDraftDoc>("console_drafts", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, consoleId: 1, userId: 1 },
        unique: true,
        serves: "one draft per user and console",
      },
      { key: { updatedAt: 1 }, expireAfterSeconds: DRAFT_DAYS * DAY_SECONDS, serves: "expiry of drafts" },
    ],
  }),
};
