import { route } from "@/lib/features/accounts/route";
import { sharedDashboardSchema } from "@/lib/features/dashboards/schema";
import { readSharedDashboard } from "@/lib/features/dashboards/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The dashboard of a share",
    description: "Its widgets and filters, without what they read.",
    tag: "Shares",
    access: open,
    params: shareParams,
    response: sharedDashboardSchema,
    failures: ["not_found", "rate_limited", "unauthenticated"],
    handle: ({ params, request }) => readSharedDashboard(params.token, request.headers),
  }),
});
