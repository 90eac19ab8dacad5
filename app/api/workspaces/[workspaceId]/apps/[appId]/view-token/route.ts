import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { viewTokenSchema } from "@/lib/features/apps/view/schema";
import { mintViewToken } from "@/lib/features/apps/view/view";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Create a view URL for an app",
    description:
      "Returns a URL of the published version, valid for 15 minutes. The sandboxed frame sends no credentials, so the URL grants access. Returns 404 `not_published` if no version is published.",
    tag: "Apps",
    access: member,
    params,
    response: viewTokenSchema,
    failures: ["not_found", "not_published"],
    isRead: true,
    handle: ({ caller, params: { appId } }) => mintViewToken(caller, appId),
  }),
});
