import { route } from "@/lib/features/accounts/route";
import { ddlAnswer, entityNameSchema } from "@/lib/features/connections/schema";
import { readDdl } from "@/lib/features/connections/service";
import { SOURCE_FAILURES } from "@/lib/features/query/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the DDL of a table",
    description: "Returns the statements that recreate a table, view or collection, with keys and indexes.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: entityNameSchema,
    response: ddlAnswer,
    failures: [...SOURCE_FAILURES, "not_found", "too_large"],
    refuses: { name: "A connection type without DDL support" },
    handle: ({ caller, params, query, signal }) => readDdl(caller, params.connectionId, { name: query, signal }),
  }),
});
