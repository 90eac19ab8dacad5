import { enterWorkspace } from "@/lib/features/accounts/identity";
import { route } from "@/lib/features/accounts/route";
import { expandMetrics } from "@/lib/features/metrics/in-sql";
import { executeInWorkspace, workspaceToQuery } from "@/lib/features/query/endpoint";
import { EXECUTE_REFUSALS, RESULT_STREAMS, WRITE_FAILURES } from "@/lib/features/query/reference";
import { chooseFormat, executeAnswer, executeBody } from "@/lib/features/query/schema";
import { anyCredential, member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Run a query",
    description:
      "Accept: application/json (capped), application/x-ndjson, text/csv, application/vnd.apache.arrow.stream, application/vnd.apache.parquet or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet (streams without a cap). X-Execution-Id is the ID of the execution.",
    tag: "Queries",
    access: anyCredential,
    isRead: true,
    identityMayBeRecent: true,
    body: executeBody,
    keepsDigits: true,
    response: executeAnswer,
    outside: { 200: RESULT_STREAMS },
    failures: WRITE_FAILURES,
    refuses: { ...EXECUTE_REFUSALS, workspaceId: "A missing workspaceId in a session request" },
    handle: async ({ caller, body, request, signal, needs }) => {
      const inside = await enterWorkspace(caller, workspaceToQuery(caller, body));
      const format = chooseFormat(request.headers.get("accept"));
      needs(member, inside.workspaceId);
      return executeInWorkspace(inside, { body, format, signal, request, expand: expandMetrics });
    },
  }),
});
