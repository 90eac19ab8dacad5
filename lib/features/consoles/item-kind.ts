import "server-only";
import { defineItemKind, type ItemKind, itemKindOf } from "@/lib/features/folders/item-kind";
import { dropLatest } from "@/lib/features/results/latest";
import { followDeletion } from "@/lib/features/runs/deletion";
import { ENDINGS } from "./browser/languages";
import { collections } from "./collections";
import { contentOfFile } from "./file";
import type { ConsoleDoc } from "./model";
import { checkConsoleFile, fieldsOfConsoleFile, followConsoleFile, textsOfConsoles } from "./pushed-file";
import { RESOURCE_TYPE } from "./run-status";

const ITEMS_MAX = 10_000;

/** Consoles, as a kind of file in folders. */
export const CONSOLES: ItemKind = defineItemKind({
  noun: "console",
  root: "consoles",
  endings: Object.values(ENDINGS),
  itemsMax: ITEMS_MAX,
  ...itemKindOf<ConsoleDoc>({
    items: collections.consoles,
    folders: collections.consoleFolders,
    deleted: collections.deletedConsoles,
  }),
  searchedFields: ["description", "content"],
  forget: async (workspaceId, id) => {
    await followDeletion({ workspaceId, resourceType: RESOURCE_TYPE, resourceId: id });
    // An undo restores the text; the result rows are gone.
    await dropLatest({ workspaceId, kind: "console", id });
  },
  textsOf: (workspaceId, docs) => textsOfConsoles(workspaceId, docs as ConsoleDoc[]),
  contentIn: contentOfFile,
  checkFile: checkConsoleFile,
  toFields: fieldsOfConsoleFile,
  follow: followConsoleFile,
});
