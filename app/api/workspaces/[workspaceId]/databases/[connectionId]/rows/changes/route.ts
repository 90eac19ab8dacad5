import { route } from "@/lib/features/accounts/route";
import { ROW_CHANGE_FAILURES, ROW_CHANGE_REFUSALS } from "@/lib/features/query/reference";
import { changeRows } from "@/lib/features/query/row-changes";
import { rowChangesAnswer, rowChangesBody } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Change rows of a table",
    description:
      "Adds, updates and deletes single rows in one transaction. Returns 409 with details.conflicts if a row no longer has its old values, and writes nothing. If the database refuses a change, details.change is its index. MongoDB without a replica set has no transactions: changes before the first that fails stay, and details.written is their number. details.isUnknown: the next one, or all of a transaction, may have been written.",
    tag: "Queries",
    access: member,
    readsConnection: true,
    params: pathIds("workspaceId", "connectionId"),
    body: rowChangesBody,
    response: rowChangesAnswer,
    failures: ROW_CHANGE_FAILURES,
    refuses: ROW_CHANGE_REFUSALS,
    handle: ({ caller, body, connection, signal }) => changeRows(caller, { connection, body, signal }),
  }),
});
