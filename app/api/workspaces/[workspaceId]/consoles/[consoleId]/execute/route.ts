import { route } from "@/lib/features/accounts/route";
import { executeConsole } from "@/lib/features/consoles/execute";
import { EXECUTE_CONSOLE_REFUSALS } from "@/lib/features/consoles/reference";
import { executeConsoleBody } from "@/lib/features/consoles/schema";
import { RESULT_STREAMS, WRITE_FAILURES } from "@/lib/features/query/reference";
import { chooseFormat, executeAnswer } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Run a console",
    description:
      "Runs the saved query, or `content` if sent. Each {{name}} is bound to a value in `variables`. Accept: application/json (capped), application/x-ndjson, text/csv, application/vnd.apache.arrow.stream, application/vnd.apache.parquet or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet (streams without a cap).",
    tag: "Consoles",
    access: member,
    isRead: true,
    identityMayBeRecent: true,
    params: pathIds("workspaceId", "consoleId"),
    body: executeConsoleBody,
    keepsDigits: true,
    response: executeAnswer,
    outside: { 200: RESULT_STREAMS },
    failures: WRITE_FAILURES,
    refuses: EXECUTE_CONSOLE_REFUSALS,
    handle: ({ caller, params, body, request, signal }) =>
      executeConsole(caller, params.consoleId, {
        body,
        format: chooseFormat(request.headers.get("accept")),
        signal,
        request,
      }),
  }),
});
