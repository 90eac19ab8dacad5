import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { appSchema, updateAppBody } from "@/lib/features/apps/schema";
import { deleteApp, getApp, updateApp } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read an app",
    tag: "Apps",
    access: member,
    params,
    response: appSchema,
    handle: ({ caller, params: { appId } }) => getApp(caller, appId),
  }),
  PATCH: route({
    summary: "Rename or share an app",
    description:
      "What changes sides takes its files along, and its history stays where it was. Its slug stays, unless an app on the other side has it or had it.",
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
    description: "With all drafts of it; by its owner or an admin. Git keeps what was committed.",
    tag: "Apps",
    access: member,
    params,
    failures: ["storage_full"],
    message: "App deleted",
    handle: ({ caller, params: { appId } }) => deleteApp(caller, appId),
  }),
});
