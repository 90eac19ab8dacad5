import { route } from "@/lib/features/accounts/route";
import { getCommit } from "@/lib/features/folders/history";
import { commitQuery, fileCommitSchema } from "@/lib/features/folders/schema";
import { METRICS } from "@/lib/features/metrics/item-kind";
import { metricName } from "@/lib/features/metrics/schema";
import { getMetricDocOrThrow } from "@/lib/features/metrics/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a commit of a metric file",
    description: "Returns changes to this file only. Returns 409 if the SHA prefix is ambiguous.",
    tag: "Metrics",
    access: member,
    params: pathIds("workspaceId").extend({ metricName }),
    query: commitQuery,
    response: fileCommitSchema,
    failures: ["conflict"],
    handle: async ({ caller, params, query }) =>
      getCommit(caller, METRICS, (await getMetricDocOrThrow(caller, params.metricName))._id, query.sha),
  }),
});
