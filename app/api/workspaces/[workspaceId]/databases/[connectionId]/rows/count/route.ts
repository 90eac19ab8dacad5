import { route } from "@/lib/features/accounts/route";
import { EXECUTE_FAILURES, TABLE_COUNT_REFUSALS } from "@/lib/features/query/reference";
import { tableCountAnswer, tableCountBody } from "@/lib/features/query/schema";
import { countTableRows } from "@/lib/features/query/table-rows";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Count table rows",
    description: "Counts the rows that match all filters.",
    tag: "Queries",
    access: member,
    isRead: true,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    body: tableCountBody,
    response: tableCountAnswer,
    failures: EXECUTE_FAILURES,
    refuses: TABLE_COUNT_REFUSALS,
    handle: ({ caller, body, connection, signal }) => countTableRows(caller, { connection, body, signal }),
  }),
});
