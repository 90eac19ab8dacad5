import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { listHistory } from "@/lib/consoles/history";
import { historyItemSchema } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";
import { opaqueListQuery, pageOf } from "@/lib/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List the commits of a console",
    description: "Newest first, through its renames.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    query: opaqueListQuery,
    refuses: { cursor: "One that no page has given out" },
    response: pageOf(historyItemSchema),
    handle: ({ caller, params, query }) => listHistory(caller, params.consoleId, query),
  }),
});
