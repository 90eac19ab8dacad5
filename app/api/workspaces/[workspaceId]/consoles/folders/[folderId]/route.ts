import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { deleteFolder, updateFolder } from "@/lib/consoles/folders";
import { FOLDER_REFUSALS, SAVE_FAILURES } from "@/lib/consoles/reference";
import { deleteFolderQuery, folderSchema, updateFolderBody } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";

const params = pathIds("workspaceId", "folderId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PATCH: route({
    summary: "Rename, move or share a folder of consoles",
    description: "With all that it holds: one commit.",
    tag: "Consoles",
    access: member,
    params,
    body: updateFolderBody,
    response: folderSchema,
    failures: SAVE_FAILURES,
    refuses: FOLDER_REFUSALS,
    message: "Folder changed",
    handle: ({ caller, params, body }) => updateFolder(caller, params.folderId, body),
  }),
  DELETE: route({
    summary: "Delete a folder of consoles",
    description: "One that is not empty asks for recursive=true; its consoles can be restored one by one for 30 days.",
    tag: "Consoles",
    access: member,
    params,
    query: deleteFolderQuery,
    failures: SAVE_FAILURES,
    message: "Folder deleted",
    handle: ({ caller, params, query }) =>
      deleteFolder(caller, params.folderId, { recursive: query.recursive === "true" }),
  }),
});
