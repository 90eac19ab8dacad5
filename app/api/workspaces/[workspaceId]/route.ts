import { route } from "@/lib/features/accounts/route";
import { deleteWorkspace } from "@/lib/features/instance/deletion";
import {
  updateWorkspaceBody,
  workspaceDetailsSchema,
  workspaceQuery,
  workspaceSchema,
} from "@/lib/features/workspaces/schema";
import { getWorkspaceOrThrow, renameWorkspace } from "@/lib/features/workspaces/service";
import { admin, member, owner, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { noteNextCursor } from "@/lib/platform/http/paging";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a workspace",
    description: "Returns up to 200 members in the order they joined. Use X-Next-Cursor for more.",
    tag: "Workspaces",
    access: member,
    params,
    query: workspaceQuery,
    response: workspaceDetailsSchema,
    failures: ["not_found"],
    handle: async ({ caller, query, headers }) => {
      const { details, nextCursor } = await getWorkspaceOrThrow(caller, query);
      noteNextCursor(headers, nextCursor);
      return details;
    },
  }),
  PATCH: route({
    summary: "Rename a workspace",
    description: "The slug does not change, so links keep working.",
    tag: "Workspaces",
    access: admin,
    params,
    body: updateWorkspaceBody,
    response: workspaceSchema,
    failures: ["not_found"],
    message: "Workspace renamed",
    handle: ({ caller, body }) => renameWorkspace(caller, body.name),
  }),
  DELETE: route({
    summary: "Delete a workspace",
    description: "Permanently deletes its connections, keys, invitations and history.",
    tag: "Workspaces",
    access: peopleOnly(owner),
    params,
    failures: ["not_found"],
    message: "Workspace deleted",
    handle: async ({ caller }) => {
      await deleteWorkspace(caller);
      return null;
    },
  }),
});
