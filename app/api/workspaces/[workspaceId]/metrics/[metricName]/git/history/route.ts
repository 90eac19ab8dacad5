import { route } from "@/lib/features/accounts/route";
import { listHistory } from "@/lib/features/folders/history";
import { historyItemSchema } from "@/lib/features/folders/schema";
import { METRICS } from "@/lib/features/metrics/item-kind";
import { metricName } from "@/lib/features/metrics/schema";
import { getMetricDocOrThrow } from "@/lib/features/metrics/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { opaqueListQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List the commits of a metric file",
    description: "Returns commits newest first, across renames.",
    tag: "Metrics",
    access: member,
    params: pathIds("workspaceId").extend({ metricName }),
    query: opaqueListQuery,
    refuses: { cursor: "An invalid cursor" },
    response: pageOf(historyItemSchema),
    handle: async ({ caller, params, query }) =>
      listHistory(caller, METRICS, (await getMetricDocOrThrow(caller, params.metricName))._id, query),
  }),
});
