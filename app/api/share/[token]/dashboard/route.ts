import { open } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { sharedDashboardSchema } from "@/lib/dashboards/schema";
import { readSharedDashboard } from "@/lib/dashboards/share";
import { shareParams } from "@/lib/shares/params";

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
