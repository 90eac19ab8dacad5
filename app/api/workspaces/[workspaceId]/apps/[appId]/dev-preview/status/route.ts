import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { getPreview } from "@/lib/features/apps/preview/preview";
import { previewSchema } from "@/lib/features/apps/preview/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read whether your live preview of an app serves",
    description: "Asked of the session at that moment. It starts none.",
    tag: "Apps",
    access: member,
    params,
    response: previewSchema,
    handle: ({ caller, params: { appId } }) => getPreview(caller, appId),
  }),
});
