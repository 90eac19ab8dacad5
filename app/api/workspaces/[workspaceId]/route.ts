import { route } from "@/lib/features/accounts/route";
import { deleteWorkspace } from "@/lib/features/instance/deletion";
import { updateWorkspaceBody, workspaceDetailsSchema, workspaceSchema } from "@/lib/features/workspaces/schema";
import { getWorkspaceOrThrow, renameWorkspace } from "@/lib/features/workspaces/service";
import { admin, member, owner, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { noteNextCursor } from "@/lib/platform/http/paging";
import { innerListQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a workspace",
    description:
      "With its members, in the order in which they joined: up to 200, and the header X-Next-Cursor for the cursor of the next ones while there are more.",
    tag: "Workspaces",
    access: member,
    params,
    query: innerListQuery,
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
    description: "Its address (slug) stays as it is, so that links keep working.",
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
    description: "Removes all that belongs to it, for good: connections, keys, invitations, history.",
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
