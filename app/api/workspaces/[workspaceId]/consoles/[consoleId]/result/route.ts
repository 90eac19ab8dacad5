import { route } from "@/lib/features/accounts/route";
import { lastResultResponse } from "@/lib/features/consoles/last-result";
import { lastResultSchema } from "@/lib/features/consoles/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the last result of a console",
    description:
      "Returns the first rows of its last successful run, or null. Results from when the console was private are visible to its owner only.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    response: lastResultSchema.nullable(),
    failures: ["not_found"],
    handle: ({ caller, params }) => lastResultResponse(caller, params.consoleId),
  }),
});
