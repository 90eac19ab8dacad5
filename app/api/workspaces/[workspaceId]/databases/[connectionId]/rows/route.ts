import { route } from "@/lib/features/accounts/route";
import { EXECUTE_FAILURES, TABLE_REFUSALS } from "@/lib/features/query/reference";
import { tableRowsAnswer, tableRowsBody } from "@/lib/features/query/schema";
import { readTableRows } from "@/lib/features/query/table-rows";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "List rows of a table",
    description:
      "Sorts and filters in the database. Following `next` returns each row once. Without a primary key, pages follow the engine's row number, or the values of all columns. If `isStable` is false, pages use offsets, up to 10,000 rows. Returns 410 if a page starts after a deleted row whose sorted value is longer than 4,000 characters.",
    tag: "Queries",
    access: member,
    isRead: true,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    body: tableRowsBody,
    response: tableRowsAnswer,
    failures: [...EXECUTE_FAILURES, "gone"],
    refuses: TABLE_REFUSALS,
    handle: ({ caller, body, connection, signal }) => readTableRows(caller, { connection, body, signal }),
  }),
});
