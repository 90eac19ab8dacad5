import { route } from "@/lib/features/accounts/route";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { cubeBody, cubeQuery, cubeSchema, localId } from "@/lib/features/dashboards/schema";
import { readSharedCube } from "@/lib/features/dashboards/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get cross-filter data of a shared dashboard",
    description: "Returns the same cubes as the dashboard endpoint. Responses are cached for five seconds.",
    tag: "Shares",
    access: open,
    params: shareParams.extend({ widgetId: localId }),
    query: cubeQuery,
    response: cubeSchema,
    failures: ["not_found", "rate_limited", "unauthenticated", "unavailable"],
    refuses: DATA_REFUSALS,
    handle: ({ params, request, query }) => readSharedCube(params.token, request.headers, params.widgetId, query),
  }),
  POST: route({
    summary: "Get cross-filter data of a shared dashboard, for long filters",
    description: "Same as GET, with the filters in the body. Use it if they are too long for a URL.",
    tag: "Shares",
    access: open,
    params: shareParams.extend({ widgetId: localId }),
    isRead: true,
    guardsOrigin: true,
    body: cubeBody,
    keepsDigits: true,
    response: cubeSchema,
    failures: ["not_found", "rate_limited", "unauthenticated", "unavailable"],
    refuses: DATA_REFUSALS,
    handle: ({ params, request, body }) => readSharedCube(params.token, request.headers, params.widgetId, body),
  }),
});
