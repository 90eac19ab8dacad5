import "server-only";
import { type ItemKind, itemKindOf } from "@/lib/features/folders/item-kind";
import { dropLatest } from "@/lib/features/results/latest";
import { followDeletion } from "@/lib/features/runs/deletion";
import { collections } from "./collections";
import type { ConsoleDoc } from "./model";
import { RESOURCE_TYPE } from "./run-status";
import type { Language } from "./schema";

const ITEMS_MAX = 10_000;

/** Consoles, as a kind of file in folders. */
export const CONSOLES: ItemKind = {
  noun: "console",
  root: "consoles",
  itemsMax: ITEMS_MAX,
  ...itemKindOf<ConsoleDoc>({
    items: collections.consoles,
    folders: collections.consoleFolders,
    deleted: collections.deletedConsoles,
    journals: collections.consoleJournals,
  }),
  forget: async (workspaceId, id) => {
    await followDeletion({ workspaceId, resourceType: RESOURCE_TYPE, resourceId: id });
    // An undo restores the text; the result rows are gone.
    await dropLatest({ workspaceId, kind: "console", id });
  },
};

/** File extensions by language. */
export const ENDINGS = { sql: ".sql", mongodb: ".mongodb" } as const satisfies Record<Language, string>;
