import { route } from "@/lib/features/accounts/route";
import { previewDashboard } from "@/lib/features/dashboards/preview";
import { PREVIEW_REFUSALS } from "@/lib/features/dashboards/reference";
import { previewBody, previewSchema } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "See what widgets would show that are not saved",
    description:
      "With the columns of their sources. What the dashboard reads already is computed from what is kept of it; other sources are read with your own rights, their first 200,000 rows, and refused where saving would refuse them.",
    tag: "Dashboards",
    access: member,
    isRead: true,
    params: pathIds("workspaceId"),
    body: previewBody,
    keepsDigits: true,
    response: previewSchema,
    failures: ["not_found"],
    refuses: PREVIEW_REFUSALS,
    handle: ({ caller, body, signal }) => previewDashboard(caller, body, signal),
  }),
});
