import { route } from "@/lib/features/accounts/route";
import { listConsoleRuns } from "@/lib/features/consoles/schedule";
import { consoleRunSchema } from "@/lib/features/consoles/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { listQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List runs of a console",
    description: "Returns background runs, newest first, each with the first rows of its result.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    query: listQuery,
    response: pageOf(consoleRunSchema),
    failures: ["not_found"],
    handle: ({ caller, params, query }) => listConsoleRuns(caller, params.consoleId, query),
  }),
});
