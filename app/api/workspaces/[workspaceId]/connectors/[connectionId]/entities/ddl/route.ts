import { route } from "@/lib/features/accounts/route";
import { ddlAnswer, entityNameSchema } from "@/lib/features/connections/schema";
import { readDdl } from "@/lib/features/connections/service";
import { SOURCE_FAILURES } from "@/lib/features/query/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Show how a table is made",
    description:
      "The statements that would make a table, view or collection again, with its keys and indexes; in the database's own words where it keeps them.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: entityNameSchema,
    response: ddlAnswer,
    failures: [...SOURCE_FAILURES, "not_found", "too_large"],
    refuses: { name: "A connection of a kind that does not tell it" },
    handle: ({ caller, params, query, signal }) => readDdl(caller, params.connectionId, { name: query, signal }),
  }),
});
