import "server-only";
import type { ObjectId } from "mongodb";
import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { listHistory } from "@/lib/features/folders/history";
import type { ItemKind } from "@/lib/features/folders/item-kind";
import { FOLDER_REFUSALS, SAVE_FAILURES } from "@/lib/features/folders/reference";
import {
  createFolderBody,
  deletedFolderSchema,
  deleteFolderQuery,
  folderSchema,
  historyItemSchema,
  type LookupQuery,
  lookupQuery,
  type TreePage,
  type TreeQuery,
  treePageOf,
  treeQuery,
  updateFolderBody,
} from "@/lib/features/folders/schema";
import { createFolder, deleteFolder, listFolders, updateFolder } from "@/lib/features/folders/service";
import type { Caller } from "@/lib/platform/access/caller";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray, partOf } from "@/lib/platform/http/paging";
import { idListQuery, LIST_LIMIT_MAX, opaqueListQuery, pageOf } from "@/lib/platform/http/schema";

/** A path below a folder or item: its parameters, and the id that it names. */
type Below<P extends z.ZodType> = { tag: string; params: P; idOf: (params: z.output<P>) => ObjectId };

/** Routes of all folders of a kind: list and create. */
export function foldersRoutes(itemKind: ItemKind, tag: string) {
  const params = pathIds("workspaceId");
  return route.methods({
    GET: route({
      summary: `List ${itemKind.root} folders`,
      description: "Oldest first.",
      tag,
      access: member,
      params,
      query: idListQuery,
      response: z.array(folderSchema),
      handle: async ({ caller, query, headers }) => asArray(headers, await listFolders(caller, itemKind, query)),
    }),
    POST: route({
      summary: `Create a ${itemKind.root} folder`,
      tag,
      access: member,
      params,
      body: createFolderBody,
      response: folderSchema,
      failures: SAVE_FAILURES,
      refuses: FOLDER_REFUSALS,
      status: 201,
      message: "Folder created",
      handle: ({ caller, body }) => createFolder(caller, itemKind, body),
    }),
  });
}

/** Route of one folder's content. @param read returns a page of the kind's summaries */
export function treeRoutes<T extends z.ZodType>(
  itemKind: ItemKind,
  tag: string,
  summary: T,
  read: (caller: Caller, query: TreeQuery) => Promise<TreePage<z.output<T>>>,
) {
  return route.methods({
    GET: route({
      summary: `Open a ${itemKind.noun} folder`,
      description: `Returns subfolders, then ${itemKind.root}, each in the order of their names.`,
      tag,
      access: member,
      params: pathIds("workspaceId"),
      query: treeQuery,
      response: treePageOf(summary),
      failures: ["not_found"],
      refuses: { cursor: "An invalid cursor" },
      handle: ({ caller, query }) => read(caller, query),
    }),
  });
}

/** Route to choose from items, or to name them. @param look returns the kind's summaries */
export function lookupRoutes<T extends z.ZodType>(
  itemKind: ItemKind,
  tag: string,
  summary: T,
  look: (caller: Caller, query: LookupQuery) => Promise<z.output<T>[]>,
) {
  return route.methods({
    GET: route({
      summary: `Look up ${itemKind.root}`,
      description: `Returns the ${itemKind.root} with the given ids, the 50 best matches by name and folder, or the ${LIST_LIMIT_MAX} saved last.`,
      tag,
      access: member,
      params: pathIds("workspaceId"),
      query: lookupQuery,
      response: z.array(summary),
      handle: async ({ caller, query, headers }) => partOf(headers, await look(caller, query), query),
    }),
  });
}

/** Routes of one folder. */
export function folderRoutes<P extends z.ZodType>(itemKind: ItemKind, { tag, params, idOf }: Below<P>) {
  return route.methods({
    PATCH: route({
      summary: `Update a ${itemKind.root} folder`,
      description: "Renames, moves or shares the folder and its contents in one commit.",
      tag,
      access: member,
      params,
      body: updateFolderBody,
      response: folderSchema,
      failures: SAVE_FAILURES,
      refuses: FOLDER_REFUSALS,
      message: "Folder updated",
      handle: ({ caller, params: path, body }) => updateFolder(caller, itemKind, idOf(path), body),
    }),
    DELETE: route({
      summary: `Delete a ${itemKind.root} folder`,
      description: `Requires recursive=true if not empty. Returns the deleted folders and ids. Deleted ${itemKind.root} can be restored individually for 30 days.`,
      tag,
      access: member,
      params,
      query: deleteFolderQuery,
      response: deletedFolderSchema,
      failures: SAVE_FAILURES,
      message: "Folder deleted",
      handle: ({ caller, params: path, query }) =>
        deleteFolder(caller, itemKind, idOf(path), { recursive: query.recursive === "true" }),
    }),
  });
}

/** Routes of the commits of one item. */
export function historyRoutes<P extends z.ZodType>(itemKind: ItemKind, { tag, params, idOf }: Below<P>) {
  return route.methods({
    GET: route({
      summary: `List the commits of a ${itemKind.noun}`,
      description: "Returns commits newest first, across renames.",
      tag,
      access: member,
      params,
      query: opaqueListQuery,
      refuses: { cursor: "An invalid cursor" },
      response: pageOf(historyItemSchema),
      handle: ({ caller, params: path, query }) => listHistory(caller, itemKind, idOf(path), query),
    }),
  });
}
