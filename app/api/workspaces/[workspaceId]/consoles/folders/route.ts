import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { createFolder, listFolders } from "@/lib/consoles/folders";
import { FOLDER_REFUSALS, SAVE_FAILURES } from "@/lib/consoles/reference";
import { createFolderBody, folderSchema } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";
import { asArray } from "@/lib/http/paging";
import { listQuery } from "@/lib/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List folders of consoles",
    description: "Oldest first.",
    tag: "Consoles",
    access: member,
    params,
    query: listQuery,
    response: z.array(folderSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listFolders(caller, query)),
  }),
  POST: route({
    summary: "Add a folder of consoles",
    tag: "Consoles",
    access: member,
    params,
    body: createFolderBody,
    response: folderSchema,
    failures: SAVE_FAILURES,
    refuses: FOLDER_REFUSALS,
    status: 201,
    message: "Folder added",
    handle: ({ caller, body }) => createFolder(caller, body),
  }),
});
