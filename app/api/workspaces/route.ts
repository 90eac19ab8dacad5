import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { createWorkspaceBody, workspaceSchema } from "@/lib/features/workspaces/schema";
import { createWorkspace, listWorkspaces } from "@/lib/features/workspaces/service";
import { account, anyCredential } from "@/lib/platform/access/rules";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List your workspaces",
    description: "With an API key, returns only its workspace.",
    tag: "Workspaces",
    access: anyCredential,
    query: listQuery,
    response: z.array(workspaceSchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listWorkspaces(caller, query)),
  }),
  POST: route({
    summary: "Create a workspace",
    description: "You become its owner.",
    tag: "Workspaces",
    access: account,
    body: createWorkspaceBody,
    response: workspaceSchema,
    status: 201,
    message: "Workspace created",
    handle: ({ caller, body }) => createWorkspace(caller, body.name),
  }),
});
