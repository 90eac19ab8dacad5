import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { getPreview } from "@/lib/features/apps/preview/preview";
import { previewSchema } from "@/lib/features/apps/preview/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get live preview status",
    description: "Checks the running session. Does not start one.",
    tag: "Apps",
    access: member,
    params,
    response: previewSchema,
    handle: ({ caller, params: { appId } }) => getPreview(caller, appId),
  }),
});
