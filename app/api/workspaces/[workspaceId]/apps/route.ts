import { route } from "@/lib/features/accounts/route";
import { appSchema, createAppBody } from "@/lib/features/apps/schema";
import { createApp } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Add an app",
    description:
      "Its files, those of the template, become a commit on main; nothing is published by that. Its slug is made of the title.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    body: createAppBody,
    response: appSchema,
    failures: ["conflict", "storage_full"],
    status: 201,
    message: "App added",
    handle: ({ caller, body }) => createApp(caller, body),
  }),
});
