import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { executeConsole } from "@/lib/consoles/execute";
import { EXECUTE_CONSOLE_REFUSALS } from "@/lib/consoles/reference";
import { executeConsoleBody } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";
import { EXECUTE_FAILURES, RESULT_STREAMS } from "@/lib/query/reference";
import { chooseFormat, executeAnswer } from "@/lib/query/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Run a console",
    description:
      "As it was last saved, or as `content` has it. Each {{name}} in its text takes a value of `variables`, bound as a parameter. Accept: application/json (capped), application/x-ndjson, text/csv, application/vnd.apache.arrow.stream, application/vnd.apache.parquet or application/vnd.openxmlformats-officedocument.spreadsheetml.sheet (streams without a cap).",
    tag: "Consoles",
    access: member,
    isRead: true,
    identityMayBeRecent: true,
    params: pathIds("workspaceId", "consoleId"),
    body: executeConsoleBody,
    keepsDigits: true,
    response: executeAnswer,
    outside: { 200: RESULT_STREAMS },
    failures: EXECUTE_FAILURES,
    refuses: EXECUTE_CONSOLE_REFUSALS,
    handle: ({ caller, params, body, request, signal }) =>
      executeConsole(caller, params.consoleId, {
        body,
        format: chooseFormat(request.headers.get("accept")),
        signal,
      }),
  }),
});
