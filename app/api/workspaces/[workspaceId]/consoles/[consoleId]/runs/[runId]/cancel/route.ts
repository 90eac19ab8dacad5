import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { cancelConsoleRun } from "@/lib/features/consoles/schedule";
import { consoleRunSchema } from "@/lib/features/consoles/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a console run",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId", "runId"),
    response: z.object({ run: consoleRunSchema }),
    failures: ["not_found", "conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelConsoleRun(caller, params.consoleId, params.runId) }),
  }),
});
