import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { bindingParams as params } from "@/lib/features/apps/bindings/params";
import { startBindingRefresh } from "@/lib/features/apps/bindings/refresh";
import { buildSchema } from "@/lib/features/apps/bindings/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Refresh a binding of a published app",
    description:
      "Reads its rows anew, in the background and with the rights of who published the app. While one refresh goes on, whoever asks gets that one. The old rows stay until the new ones are there, and when they do not come. 404 while nothing of the name is published.",
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
