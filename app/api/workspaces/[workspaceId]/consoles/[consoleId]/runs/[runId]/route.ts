import { route } from "@/lib/features/accounts/route";
import { getConsoleRun } from "@/lib/features/consoles/schedule";
import { consoleRunDetailsSchema } from "@/lib/features/consoles/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a console run",
    description: "Returns the first rows of its result and the end of its log.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId", "runId"),
    response: consoleRunDetailsSchema,
    failures: ["not_found"],
    handle: ({ caller, params }) => getConsoleRun(caller, params.consoleId, params.runId),
  }),
});
