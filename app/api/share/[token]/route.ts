import { route } from "@/lib/features/accounts/route";
import { shareParams } from "@/lib/features/shares/params";
import { shownShareSchema } from "@/lib/features/shares/schema";
import { describeShare } from "@/lib/features/shares/shown";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a share",
    description: "Returns the same 404 for unknown, disabled and expired shares.",
    tag: "Shares",
    access: open,
    params: shareParams,
    response: shownShareSchema,
    failures: ["not_found", "rate_limited"],
    handle: ({ params, request }) => describeShare(params.token, request.headers),
  }),
});
