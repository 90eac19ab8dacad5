import { route } from "@/lib/features/accounts/route";
import { lastResultResponse } from "@/lib/features/consoles/last-result";
import { lastResultSchema } from "@/lib/features/consoles/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read a console's last result",
    description:
      "The first rows of its last run that gave any, by whom and when; null when none is kept. What was run while the console was private is its owner's alone.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    response: lastResultSchema.nullable(),
    failures: ["not_found"],
    handle: ({ caller, params }) => lastResultResponse(caller, params.consoleId),
  }),
});
