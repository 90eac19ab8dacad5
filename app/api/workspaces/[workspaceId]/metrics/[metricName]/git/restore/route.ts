import { route } from "@/lib/features/accounts/route";
import { withUsesOfMetric } from "@/lib/features/dashboards/metric-uses";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { restoreVersionBody } from "@/lib/features/folders/schema";
import { metricName, metricSchema } from "@/lib/features/metrics/schema";
import { restoreMetric } from "@/lib/features/metrics/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Restore a version of a metric file",
    description: "Creates a new commit. Returns 400 if the old text is no longer valid.",
    tag: "Metrics",
    access: member,
    params: pathIds("workspaceId").extend({ metricName }),
    body: restoreVersionBody,
    response: metricSchema,
    failures: SAVE_FAILURES,
    message: "Version restored",
    handle: async ({ caller, params, body }) =>
      withUsesOfMetric(caller, await restoreMetric(caller, params.metricName, body.sha)),
  }),
});
