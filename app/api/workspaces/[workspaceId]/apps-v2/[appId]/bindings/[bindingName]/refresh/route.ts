import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { bindingParams as params } from "@/lib/features/apps/bindings/params";
import { startBindingRefresh } from "@/lib/features/apps/bindings/refresh";
import { buildSchema } from "@/lib/features/apps/bindings/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Refresh a published binding",
    description:
      "Refreshes the rows in the background with the publisher's permissions. Returns the current refresh if one is running. Old rows are served until the refresh succeeds. Returns 404 if the binding is not published.",
    tag: "Apps",
    access: member,
    params,
    response: z.object({ build: buildSchema }),
    status: 202,
    failures: ["not_found"],
    handle: async ({ caller, params: { appId, bindingName } }) => ({
      build: await startBindingRefresh(caller, appId, bindingName),
    }),
  }),
});
