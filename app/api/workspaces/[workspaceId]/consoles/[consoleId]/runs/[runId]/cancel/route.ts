import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { cancelConsoleRun } from "@/lib/consoles/schedule";
import { consoleRunSchema } from "@/lib/consoles/schema";
import { objectId } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a console's run",
    tag: "Consoles",
    access: member,
    params: z.object({ workspaceId: objectId, consoleId: objectId, runId: objectId }),
    response: z.object({ run: consoleRunSchema }),
    failures: ["not_found", "conflict"],
    handle: async ({ caller, params }) => ({ run: await cancelConsoleRun(caller, params.consoleId, params.runId) }),
  }),
});
