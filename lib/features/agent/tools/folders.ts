import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { deleteApp, getAppToDeleteOrThrow } from "@/lib/features/apps/service";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { createFolderBody, updateFolderBody } from "@/lib/features/folders/schema";
import { createFolder, deleteFolder, listFolders, updateFolder } from "@/lib/features/folders/service";
import type { Caller } from "@/lib/platform/access/caller";
import { idCursor, objectIdText } from "@/lib/platform/http/schema";
import { BOTH, defineTool, parsed } from "./tool";

const LISTED_MAX = 100;
const LISTED_DEFAULT = 50;

const ITEM_KINDS = { console: CONSOLES, dashboard: DASHBOARDS } as const;
const kind = z.enum(["console", "dashboard"]).describe("What the folder holds");
const folder = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  parentId: z.string().nullable(),
  access: z.string(),
});

const listFoldersTool = defineTool({
  name: "list_folders",
  description: "Lists the folders of consoles or dashboards that the person can see.",
  input: z.object({ kind, cursor: idCursor.optional(), limit: z.int().min(1).max(LISTED_MAX).optional() }),
  output: z.object({ folders: z.array(folder), nextCursor: z.string().nullable() }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { kind: of, cursor, limit = LISTED_DEFAULT }) => {
    const page = { limit, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await listFolders(caller, ITEM_KINDS[of], page);
    return { folders: items.map(toListed), nextCursor };
  },
});

const saveFolderTool = defineTool({
  name: "save_folder",
  description:
    "Creates a folder with a name, or renames or moves the one with folderId and its contents, as one commit. Requires the grant folder-write and, for a change, the folder and its new parent in the plan's targets.",
  input: z.object({
    kind,
    folderId: objectIdText.optional().describe("Omit it to create a folder"),
    name: z.string().max(120).optional().describe("Required for a new folder"),
    parentId: objectIdText.nullable().optional().describe("null is the top level"),
  }),
  output: folder,
  writes: "folder-write",
  // Moves items to other people's view, which no consent names.
  scope: null,
  isDestructive: true,
  agents: BOTH,
  run: async ({ caller, requireGrant }, { kind: of, folderId, ...fields }) => {
    if (folderId === undefined) {
      const body = parsed(createFolderBody, fields);
      await requireGrant("folder-write");
      return toListed(await createFolder(caller, ITEM_KINDS[of], body));
    }
    const body = parsed(updateFolderBody, fields);
    await requireGrant("folder-write", { id: folderId });
    if (fields.parentId) await requireGrant("folder-write", { id: fields.parentId });
    return toListed(await updateFolder(caller, ITEM_KINDS[of], new ObjectId(folderId), body));
  },
});

type Deletion = (caller: Caller, id: string, options: { recursive: boolean }) => Promise<unknown>;
/** What `delete_item` deletes. */
const DELETIONS = {
  app: deleteApp,
  console_folder: (caller, id, options) => deleteFolder(caller, CONSOLES, new ObjectId(id), options),
  dashboard_folder: (caller, id, options) => deleteFolder(caller, DASHBOARDS, new ObjectId(id), options),
} as const satisfies Record<string, Deletion>;

const deleteItemTool = defineTool({
  name: "delete_item",
  description:
    "Deletes an app with its drafts, or a folder. Requires the grant item-delete and the deletion in the plan's effects. State in the plan what is lost: the items of a folder can be restored for 30 days, an app cannot.",
  input: z.object({
    kind: z.enum(["app", "console_folder", "dashboard_folder"]),
    id: objectIdText,
    recursive: z.boolean().optional().describe("Deletes the contents of a folder too. Default: false"),
  }),
  output: z.object({ deleted: z.string() }),
  writes: "item-delete",
  // No consent names deletion.
  scope: null,
  isDestructive: true,
  agents: BOTH,
  run: async ({ caller, requireGrant }, { kind: of, id, recursive = false }) => {
    if (of === "app") await getAppToDeleteOrThrow(caller, id);
    await requireGrant("item-delete", { effect: { effect: "delete", kind: of, id, recursive } });
    const remove: Deletion = DELETIONS[of];
    await remove(caller, id, { recursive });
    return { deleted: id };
  },
});

export const folderTools = [listFoldersTool, saveFolderTool, deleteItemTool];

function toListed({ id, name, path, parentId, access }: z.infer<typeof folder>) {
  return { id, name, path, parentId, access };
}
