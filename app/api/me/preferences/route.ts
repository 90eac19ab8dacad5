import { preferencesSchema, updatePreferencesBody } from "@/lib/features/accounts/preferences/schema";
import { getPreferences, updatePreferences } from "@/lib/features/accounts/preferences/service";
import { route } from "@/lib/features/accounts/route";
import { account } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get your preferences",
    tag: "Account",
    access: account,
    response: preferencesSchema,
    handle: ({ caller }) => getPreferences(caller),
  }),
  PUT: route({
    summary: "Change your preferences",
    description: "Updates only the fields you send.",
    tag: "Account",
    access: account,
    body: updatePreferencesBody,
    refuses: { panels: "Preferences over 64 KiB in total", times: "An unknown time zone" },
    response: preferencesSchema,
    handle: ({ caller, body }) => updatePreferences(caller, body),
  }),
});
