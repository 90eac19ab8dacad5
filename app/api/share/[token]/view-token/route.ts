import { route } from "@/lib/features/accounts/route";
import { mintSharedToken } from "@/lib/features/apps/share";
import { viewTokenSchema } from "@/lib/features/apps/view/schema";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Create a view URL for a shared app",
    description:
      "The URL expires after 15 minutes or when the share ends. Returns 404 `not_published` if no version is published.",
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
