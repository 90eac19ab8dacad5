import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { EXECUTE_FAILURES, TABLE_COUNT_REFUSALS } from "@/lib/query/reference";
import { tableCountAnswer, tableCountBody } from "@/lib/query/schema";
import { countTableRows } from "@/lib/query/table-rows";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Count the rows of a table",
    description: "Those that fit all filters.",
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
