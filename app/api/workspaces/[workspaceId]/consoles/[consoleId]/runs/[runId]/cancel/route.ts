import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { cancelConsoleRun } from "@/lib/consoles/schedule";
import { consoleRunSchema } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a console's run",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId", "runId"),
    response: z.object({ run: consoleRunSchema }),
    failures: ["not_found", "conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelConsoleRun(caller, params.consoleId, params.runId) }),
  }),
});
