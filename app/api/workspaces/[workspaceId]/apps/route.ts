import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { appSchema, createAppBody } from "@/lib/apps/schema";
import { createApp } from "@/lib/apps/service";
import { pathIds } from "@/lib/http/ids";

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
