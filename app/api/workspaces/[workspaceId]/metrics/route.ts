import { route } from "@/lib/features/accounts/route";
import { withMetricUses } from "@/lib/features/dashboards/metric-uses";
import { metricSummarySchema } from "@/lib/features/metrics/schema";
import { listMetrics } from "@/lib/features/metrics/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List metric files",
    description: "Returns the metric files of the workspace, oldest first, without their texts.",
    tag: "Metrics",
    access: member,
    params: pathIds("workspaceId"),
    query: listQuery,
    response: pageOf(metricSummarySchema),
    handle: async ({ caller, query }) => {
      const page = await listMetrics(caller, query);
      return { ...page, items: await withMetricUses(caller, page.items) };
    },
  }),
});
