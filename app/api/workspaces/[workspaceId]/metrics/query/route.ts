import { route } from "@/lib/features/accounts/route";
import { explainMetrics, queryMetrics } from "@/lib/features/metrics/query";
import { QUERY_REFUSALS } from "@/lib/features/metrics/reference";
import { metricAnswer, metricQueryBody } from "@/lib/features/metrics/schema";
import { EXECUTE_FAILURES, RESULT_STREAMS } from "@/lib/features/query/reference";
import { chooseFormat } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Query metrics",
    description:
      "Plans one statement and runs it read-only, with the limits, formats and history of a query. JSON has `sql` and `dialect` as well.",
    tag: "Metrics",
    access: member,
    isRead: true,
    params: pathIds("workspaceId"),
    body: metricQueryBody,
    response: metricAnswer,
    outside: { 200: RESULT_STREAMS },
    failures: EXECUTE_FAILURES,
    refuses: QUERY_REFUSALS,
    handle: ({ caller, body, request, signal }) =>
      body.dryRun
        ? explainMetrics(caller, body)
        : queryMetrics(caller, body, { format: chooseFormat(request.headers.get("accept")), signal }),
  }),
});
