import "server-only";
import { defineItemKind, type ItemKind, itemKindOf } from "@/lib/features/folders/item-kind";
import { dropLatest } from "@/lib/features/results/latest";
import { followDeletion } from "@/lib/features/runs/deletion";
import { collections } from "./collections";
import type { ConsoleDoc } from "./model";
import { RESOURCE_TYPE } from "./run-status";
import type { Language } from "./schema";

const ITEMS_MAX = 10_000;

/** File extensions by language. */
export const ENDINGS = { sql: ".sql", mongodb: ".mongodb" } as const satisfies Record<Language, string>;

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
  forget: async (workspaceId, id) => {
    await followDeletion({ workspaceId, resourceType: RESOURCE_TYPE, resourceId: id });
    // An undo restores the text; the result rows are gone.
    await dropLatest({ workspaceId, kind: "console", id });
  },
  toFields: async ({ path, text, before }): Promise<Partial<ConsoleDoc>> => ({
    ...(before ? {} : { connectionId: null, chart: null }),
    content: text,
    language: path.endsWith(ENDINGS.mongodb) ? "mongodb" : "sql",
  }),
  checkFile: async () => {},
});
