import { route } from "@/lib/features/accounts/route";
import { withUsesOfMetric } from "@/lib/features/dashboards/metric-uses";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { METRIC_REFUSALS } from "@/lib/features/metrics/reference";
import { metricName, metricSchema, putMetricBody } from "@/lib/features/metrics/schema";
import { deleteMetric, getMetric, putMetric } from "@/lib/features/metrics/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId").extend({ metricName });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a metric file",
    tag: "Metrics",
    access: member,
    params,
    response: metricSchema,
    handle: async ({ caller, params }) => withUsesOfMetric(caller, await getMetric(caller, params.metricName)),
  }),
  PUT: route({
    summary: "Save a metric file",
    description:
      "Creates a commit. Returns 400 with the problems of the text in details, and 409 with the current state in details.current if `version` is stale.",
    tag: "Metrics",
    access: member,
    params,
    body: putMetricBody,
    response: metricSchema,
    failures: SAVE_FAILURES,
    refuses: METRIC_REFUSALS,
    message: "Metric saved",
    handle: async ({ caller, params, body }) =>
      withUsesOfMetric(caller, await putMetric(caller, params.metricName, body)),
  }),
  DELETE: route({
    summary: "Delete a metric file",
    description: "Creates a commit.",
    tag: "Metrics",
    access: member,
    params,
    failures: SAVE_FAILURES,
    message: "Metric deleted",
    handle: ({ caller, params }) => deleteMetric(caller, params.metricName),
  }),
});
