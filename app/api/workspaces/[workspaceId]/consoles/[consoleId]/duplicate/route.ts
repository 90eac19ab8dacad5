import { route } from "@/lib/features/accounts/route";
import { consoleSchema } from "@/lib/features/consoles/schema";
import { duplicateConsole } from "@/lib/features/consoles/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Duplicate a console",
    description: "Creates a copy in the same folder with its own history.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    response: consoleSchema,
    failures: SAVE_FAILURES,
    status: 201,
    message: "Console duplicated",
    handle: ({ caller, params }) => duplicateConsole(caller, params.consoleId),
  }),
});
