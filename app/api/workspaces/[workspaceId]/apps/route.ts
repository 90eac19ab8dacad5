import { route } from "@/lib/features/accounts/route";
import { appSchema, createAppBody } from "@/lib/features/apps/schema";
import { createApp } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
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
