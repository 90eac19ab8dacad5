import { route } from "@/lib/features/accounts/route";
import { questionAnswer, questionBody } from "@/lib/features/query/question/schema";
import { askQuestion, explainQuestion } from "@/lib/features/query/question/service";
import { EXECUTE_FAILURES, QUESTION_REFUSALS, RESULT_STREAMS } from "@/lib/features/query/reference";
import { chooseFormat } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Ask a question without SQL",
    description:
      "Renders a question as one statement and runs it read-only, with the limits, formats and history of a query. JSON has `sql` and `dialect` as well.",
    tag: "Queries",
    access: member,
    isRead: true,
    readsConnection: true,
    keepsDigits: true,
    params: pathIds("workspaceId", "connectionId"),
    body: questionBody,
    response: questionAnswer,
    outside: { 200: RESULT_STREAMS },
    failures: EXECUTE_FAILURES,
    refuses: QUESTION_REFUSALS,
    handle: ({ caller, body, connection, request, signal }) =>
      body.dryRun
        ? explainQuestion(caller, connection, { body, signal })
        : askQuestion(caller, connection, {
            body,
            format: chooseFormat(request.headers.get("accept")),
            signal,
          }),
  }),
});
