import { route } from "@/lib/features/accounts/route";
import { sharedDashboardSchema } from "@/lib/features/dashboards/schema";
import { readSharedDashboard } from "@/lib/features/dashboards/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a shared dashboard",
    description: "Returns its widgets and filters without queries.",
    tag: "Shares",
    access: open,
    params: shareParams,
    response: sharedDashboardSchema,
    failures: ["not_found", "rate_limited", "unauthenticated"],
    handle: ({ params, request }) => readSharedDashboard(params.token, request.headers),
  }),
});
