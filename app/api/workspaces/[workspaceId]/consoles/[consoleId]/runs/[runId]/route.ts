import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { getConsoleRun } from "@/lib/consoles/schedule";
import { consoleRunDetailsSchema } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a console's run",
    description: "With the beginning of its result, and the end of its log.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId", "runId"),
    response: consoleRunDetailsSchema,
    failures: ["not_found"],
    handle: ({ caller, params }) => getConsoleRun(caller, params.consoleId, params.runId),
  }),
});
