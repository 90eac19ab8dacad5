import { route } from "@/lib/features/accounts/route";
import { deleteDraft, findDraft, putDraft } from "@/lib/features/dashboards/drafts";
import { dashboardDraftSchema, putDashboardDraftBody } from "@/lib/features/dashboards/schema";
import { deleteDraftQuery } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "dashboardId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get your draft of a dashboard",
    description: "Returns your unsaved changes, or null.",
    tag: "Dashboards",
    access: member,
    params,
    response: dashboardDraftSchema.nullable(),
    handle: ({ caller, params }) => findDraft(caller, params.dashboardId),
  }),
  PUT: route({
    summary: "Save your draft of a dashboard",
    description:
      "Stores one draft per user and dashboard without a commit. Viewers do not see it. Drafts expire after 90 days without changes. Returns 409 with the stored draft in details.current if it is another one than `updatedAt` says.",
    tag: "Dashboards",
    access: member,
    params,
    body: putDashboardDraftBody,
    response: dashboardDraftSchema,
    failures: ["conflict"],
    handle: ({ caller, params, body }) => putDraft(caller, params.dashboardId, body),
  }),
  DELETE: route({
    summary: "Delete your draft of a dashboard",
    description: "Returns 409 with the stored draft in details.current if it is another one than `updatedAt` says.",
    tag: "Dashboards",
    access: member,
    params,
    query: deleteDraftQuery,
    failures: ["conflict"],
    handle: ({ caller, params, query }) => deleteDraft(caller, params.dashboardId, query.updatedAt),
  }),
});
