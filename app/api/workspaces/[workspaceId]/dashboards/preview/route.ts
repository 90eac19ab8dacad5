import { route } from "@/lib/features/accounts/route";
import { previewDashboard } from "@/lib/features/dashboards/preview";
import { PREVIEW_REFUSALS } from "@/lib/features/dashboards/reference";
import { previewBody, previewSchema } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Preview unsaved widgets",
    description:
      "Returns widget data and source columns. Uses cached data for the dashboard's existing sources. Reads up to 200,000 rows of new sources with your permissions.",
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
