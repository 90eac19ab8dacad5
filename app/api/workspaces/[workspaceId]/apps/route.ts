import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { appSchema, appSummarySchema, createAppBody } from "@/lib/features/apps/schema";
import { createApp, listApps } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { idListQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List apps",
    description: "Returns the apps that you can see, oldest first. The feed has them in your order.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    query: idListQuery,
    response: z.array(appSummarySchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listApps(caller, query)),
  }),
  POST: route({
    summary: "Create an app",
    description: "Commits the template's files to main without publishing. The slug is derived from the title.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    body: createAppBody,
    response: appSchema,
    failures: ["conflict", "storage_full"],
    status: 201,
    message: "App created",
    handle: ({ caller, body }) => createApp(caller, body),
  }),
});
