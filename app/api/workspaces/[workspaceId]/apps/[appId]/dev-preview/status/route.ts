import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { appParams as params } from "@/lib/apps/params";
import { getPreview } from "@/lib/apps/preview/preview";
import { previewSchema } from "@/lib/apps/preview/schema";

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
