import "server-only";
import { declareDraftCollection } from "@/lib/features/folders/drafts";
import { declareItemCollections } from "@/lib/features/folders/item-collections";
import type { ConsoleDoc, ConsoleDraftDoc } from "./model";

const filed = declareItemCollections<ConsoleDoc>("console", [
  { key: { workspaceId: 1, connectionId: 1, space: 1, _id: 1 }, serves: "the consoles on a connection, oldest first" },
  { key: { workspaceId: 1, space: 1, textKeys: 1 }, serves: "searches of texts" },
]);

export const collections = {
  consoles: filed.items,
  consoleFolders: filed.folders,
  deletedConsoles: filed.deleted,
  consoleDrafts: declareDraftCollection<ConsoleDraftDoc>("console_drafts", "consoleId"),
};
