import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { startConsoleRun } from "@/lib/features/consoles/schedule";
import { consoleRunSchema } from "@/lib/features/consoles/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Run a console in the background",
    description: "Works with or without a schedule. Continues if the client disconnects.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    response: z.object({ run: consoleRunSchema }),
    status: 202,
    failures: ["not_found", "already_running"],
    handle: async ({ caller, params }) => ({ run: await startConsoleRun(caller, params.consoleId) }),
  }),
});
