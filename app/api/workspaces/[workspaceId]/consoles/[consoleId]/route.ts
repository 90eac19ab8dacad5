import { route } from "@/lib/features/accounts/route";
import { CONSOLE_REFUSALS } from "@/lib/features/consoles/reference";
import { consoleSchema, updateConsoleBody } from "@/lib/features/consoles/schema";
import { deleteConsole, getConsole, updateConsole } from "@/lib/features/consoles/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "consoleId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a console",
    tag: "Consoles",
    access: member,
    params,
    response: consoleSchema,
    handle: ({ caller, params }) => getConsole(caller, params.consoleId),
  }),
  PUT: route({
    summary: "Save a console",
    description:
      "Creates a commit if the file changes. Returns 409 with the current state in details.current if `version` is stale. Set folderId or name to move or rename.",
    tag: "Consoles",
    access: member,
    params,
    body: updateConsoleBody,
    response: consoleSchema,
    failures: SAVE_FAILURES,
    refuses: CONSOLE_REFUSALS,
    message: "Console saved",
    handle: ({ caller, params, body }) => updateConsole(caller, params.consoleId, body),
  }),
  DELETE: route({
    summary: "Delete a console",
    description: "Creates a commit. Restore it within 30 days with POST .../restore.",
    tag: "Consoles",
    access: member,
    params,
    failures: SAVE_FAILURES,
    message: "Console deleted",
    handle: ({ caller, params }) => deleteConsole(caller, params.consoleId),
  }),
});
