import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { readFilterValues } from "@/lib/features/dashboards/data";
import { DATA_REFUSALS } from "@/lib/features/dashboards/reference";
import { filterValuesSchema, localId, valuesBody, valuesQuery } from "@/lib/features/dashboards/schema";
import { member } from "@/lib/platform/access/rules";
import { objectId } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List filter values",
    description: "Returns values with row counts, most frequent first, with the other filters applied.",
    tag: "Dashboards",
    access: member,
    params: z.object({ workspaceId: objectId, dashboardId: objectId, filterId: localId }),
    query: valuesQuery,
    response: filterValuesSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, query, signal }) =>
      readFilterValues(caller, params.dashboardId, params.filterId, query, signal),
  }),
  POST: route({
    summary: "List filter values, for long filters",
    description: "Same as GET, with the filters in the body. Use it if they are too long for a URL.",
    tag: "Dashboards",
    access: member,
    params: z.object({ workspaceId: objectId, dashboardId: objectId, filterId: localId }),
    isRead: true,
    body: valuesBody,
    keepsDigits: true,
    response: filterValuesSchema,
    refuses: DATA_REFUSALS,
    handle: ({ caller, params, body, signal }) =>
      readFilterValues(caller, params.dashboardId, params.filterId, body, signal),
  }),
});
