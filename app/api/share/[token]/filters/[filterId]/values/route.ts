import { route } from "@/lib/features/accounts/route";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { filterValuesSchema, localId, valuesBody, valuesQuery } from "@/lib/features/dashboards/schema";
import { readSharedValues } from "@/lib/features/dashboards/share";
import { shareParams } from "@/lib/features/shares/params";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List filter values of a shared dashboard",
    description: "Returns values with row counts, most frequent first, with the other filters applied.",
    tag: "Shares",
    access: open,
    params: shareParams.extend({ filterId: localId }),
    query: valuesQuery,
    response: filterValuesSchema,
    failures: ["not_found", "rate_limited", "unauthenticated", "unavailable"],
    refuses: DATA_REFUSALS,
    handle: ({ params, request, query }) => readSharedValues(params.token, request.headers, params.filterId, query),
  }),
  POST: route({
    summary: "List filter values of a shared dashboard, for long filters",
    description: "Same as GET, with the filters in the body. Use it if they are too long for a URL.",
    tag: "Shares",
    access: open,
    params: shareParams.extend({ filterId: localId }),
    isRead: true,
    guardsOrigin: true,
    body: valuesBody,
    keepsDigits: true,
    response: filterValuesSchema,
    failures: ["not_found", "rate_limited", "unauthenticated", "unavailable"],
    refuses: DATA_REFUSALS,
    handle: ({ params, request, body }) => readSharedValues(params.token, request.headers, params.filterId, body),
  }),
});
