import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { EXECUTE_FAILURES, TABLE_REFUSALS } from "@/lib/query/reference";
import { tableRowsAnswer, tableRowsBody } from "@/lib/query/schema";
import { readTableRows } from "@/lib/query/table-rows";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Read the rows of a table, page by page",
    description:
      "Sorted and filtered by the database. Pages follow the primary key, so that a page is as quick as the first; where there is none they are counted, 10,000 rows at most.",
    tag: "Queries",
    access: member,
    isRead: true,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    body: tableRowsBody,
    response: tableRowsAnswer,
    failures: EXECUTE_FAILURES,
    refuses: TABLE_REFUSALS,
    handle: ({ caller, body, connection, signal }) => readTableRows(caller, { connection, body, signal }),
  }),
});
