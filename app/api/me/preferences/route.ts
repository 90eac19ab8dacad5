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
    description: "What is not sent stays as it is.",
    tag: "Account",
    access: account,
    body: updatePreferencesBody,
    refuses: { panels: "Preferences of more than 64 KiB together", times: "A name that no time zone has" },
    response: preferencesSchema,
    handle: ({ caller, body }) => updatePreferences(caller, body),
  }),
});
