import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { startConsoleRun } from "@/lib/consoles/schedule";
import { consoleRunSchema } from "@/lib/consoles/schema";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Run a console in the background now",
    description: "With a schedule or without. It goes on when the caller leaves.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    response: z.object({ run: consoleRunSchema }),
    status: 202,
    failures: ["not_found", "already_running"],
    handle: async ({ caller, params }) => ({ run: await startConsoleRun(caller, params.consoleId) }),
  }),
});
