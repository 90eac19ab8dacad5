import { route } from "@/lib/features/accounts/route";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { dashboardDataSchema, sharedDataBody, sharedDataQuery } from "@/lib/features/dashboards/schema";
import { readSharedData } from "@/lib/features/dashboards/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the data of a shared dashboard",
    description:
      "Returns the same data as the dashboard endpoint, with error details removed. Responses are cached for five seconds.",
    tag: "Shares",
    access: open,
    params: shareParams,
    query: sharedDataQuery,
    response: dashboardDataSchema,
    failures: ["not_found", "rate_limited", "unauthenticated", "unavailable"],
    refuses: DATA_REFUSALS,
    handle: ({ params, request, query }) => readSharedData(params.token, request.headers, query),
  }),
  POST: route({
    summary: "Get the data of a shared dashboard, for long filters",
    description: "Same as GET, with the filters in the body. Use it if they are too long for a URL.",
    tag: "Shares",
    access: open,
    params: shareParams,
    isRead: true,
    guardsOrigin: true,
    body: sharedDataBody,
    keepsDigits: true,
    response: dashboardDataSchema,
    failures: ["not_found", "rate_limited", "unauthenticated", "unavailable"],
    refuses: DATA_REFUSALS,
    handle: ({ params, request, body }) => readSharedData(params.token, request.headers, body),
  }),
});
