import type { DraftConsole } from "@/lib/features/consoles/browser/workbench";
import type { ConsoleSummary } from "@/lib/features/consoles/schema";
import { buildItemTree, type ItemNode, type ItemTreeInput, toRoots } from "@/lib/features/folders/browser/item-tree";
import type { Folder as ConsoleFolder } from "@/lib/features/folders/schema";

export const CONSOLE_ROOTS = toRoots();

/** A listed console: a saved one, or an unsaved one at the top of the private consoles. */
export type ListedConsole = { saved: ConsoleSummary; unsaved: null } | { saved: null; unsaved: DraftConsole };
export type ConsoleNode = ItemNode<ListedConsole>;

export type ConsoleTreeInput = Pick<ItemTreeInput<ListedConsole>, "countOf" | "stateOf"> & {
  consoles: ConsoleSummary[];
  folders: ConsoleFolder[];
  unsaved: DraftConsole[];
  /** Folders that the user expanded or collapsed, by id. */
  toggled: Record<string, boolean>;
};

/** Returns the visible rows of the console tree, from top to bottom. */
export function buildConsoleTree({ consoles, unsaved, ...input }: ConsoleTreeInput): ConsoleNode[] {
  return buildItemTree<ListedConsole>({
    ...input,
    items: [
      ...consoles.map((saved) => ({ saved, unsaved: null })),
      ...unsaved.map((each) => ({ saved: null, unsaved: each })),
    ],
    toPlacedItem: ({ saved, unsaved: own }) =>
      saved ?? { id: own.id, name: own.name, folderId: null, access: "private" },
    roots: CONSOLE_ROOTS,
  });
}
