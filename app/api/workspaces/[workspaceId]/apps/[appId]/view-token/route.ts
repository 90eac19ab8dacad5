import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { viewTokenSchema } from "@/lib/features/apps/view/schema";
import { mintViewToken } from "@/lib/features/apps/view/view";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "An address for the frame that shows an app",
    description:
      "Of the version that is published now, for 15 minutes. The frame has no origin and sends no credentials, so the address itself is what lets it in. 404 `not_published` when nothing is published.",
    tag: "Apps",
    access: member,
    params,
    response: viewTokenSchema,
    failures: ["not_found", "not_published"],
    isRead: true,
    handle: ({ caller, params: { appId } }) => mintViewToken(caller, appId),
  }),
});
