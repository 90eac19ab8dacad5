import { open } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { mintSharedToken } from "@/lib/apps/share";
import { viewTokenSchema } from "@/lib/apps/view/schema";
import { shareParams } from "@/lib/shares/params";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "An address for the frame that shows a shared app",
    description: "For 15 minutes, or until the share ends. 404 `not_published` when nothing is published.",
    tag: "Shares",
    access: open,
    guardsOrigin: true,
    params: shareParams,
    response: viewTokenSchema,
    failures: ["not_found", "not_published", "unauthenticated", "rate_limited"],
    isRead: true,
    handle: ({ params, request }) => mintSharedToken(params.token, request.headers),
  }),
});
