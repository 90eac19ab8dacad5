import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { ddlAnswer, entityNameSchema } from "@/lib/connections/schema";
import { readDdl } from "@/lib/connections/service";
import { pathIds } from "@/lib/http/ids";
import { SOURCE_FAILURES } from "@/lib/query/reference";

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
