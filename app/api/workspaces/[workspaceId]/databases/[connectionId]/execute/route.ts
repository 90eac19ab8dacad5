import { route } from "@/lib/features/accounts/route";
import { expandMetrics } from "@/lib/features/metrics/in-sql";
import { executeOn } from "@/lib/features/query/endpoint";
import { EXECUTE_REFUSALS, RESULT_STREAMS, WRITE_FAILURES } from "@/lib/features/query/reference";
import { chooseFormat, executeAnswer, executeOnBody } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Run a query on a connection",
    description:
      "Accept: application/json (capped), application/x-ndjson, text/csv, application/vnd.apache.arrow.stream, application/vnd.apache.parquet or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet (streams without a cap). X-Execution-Id is the ID of the execution.",
    tag: "Queries",
    access: member,
    isRead: true,
    identityMayBeRecent: true,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    body: executeOnBody,
    keepsDigits: true,
    response: executeAnswer,
    outside: { 200: RESULT_STREAMS },
    failures: WRITE_FAILURES,
    refuses: EXECUTE_REFUSALS,
    handle: ({ caller, body, connection, request, signal }) =>
      executeOn(caller, connection, {
        body,
        format: chooseFormat(request.headers.get("accept")),
        signal,
        request,
        expand: expandMetrics,
      }),
  }),
});
