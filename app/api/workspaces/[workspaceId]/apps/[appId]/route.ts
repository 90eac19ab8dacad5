import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { appSchema, updateAppBody } from "@/lib/features/apps/schema";
import { deleteApp, getApp, updateApp } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get an app",
    tag: "Apps",
    access: member,
    params,
    response: appSchema,
    handle: ({ caller, params: { appId } }) => getApp(caller, appId),
  }),
  PATCH: route({
    summary: "Update an app",
    description:
      "Changing the visibility moves the files but not their history. The slug is kept unless it is taken there.",
    tag: "Apps",
    access: member,
    params,
    body: updateAppBody,
    response: appSchema,
    failures: ["conflict", "storage_full"],
    message: "App changed",
    handle: ({ caller, params: { appId }, body }) => updateApp(caller, appId, body),
  }),
  DELETE: route({
    summary: "Delete an app",
    description: "Deletes the app and all drafts. Requires the owner or an admin. Commits stay in git.",
    tag: "Apps",
    access: member,
    params,
    failures: ["storage_full"],
    message: "App deleted",
    handle: ({ caller, params: { appId } }) => deleteApp(caller, appId),
  }),
});
