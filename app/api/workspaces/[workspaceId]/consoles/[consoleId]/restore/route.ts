import { route } from "@/lib/features/accounts/route";
import { UNDELETE_REFUSALS } from "@/lib/features/consoles/reference";
import { consoleSchema, undeleteConsoleBody } from "@/lib/features/consoles/schema";
import { undeleteConsole } from "@/lib/features/consoles/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Restore a deleted console",
    description:
      "Restores it with its ID and history to `folderId`, its old folder or, if that no longer exists, the top level.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    body: undeleteConsoleBody,
    response: consoleSchema,
    failures: SAVE_FAILURES,
    refuses: UNDELETE_REFUSALS,
    message: "Console restored",
    handle: ({ caller, params, body }) => undeleteConsole(caller, params.consoleId, body),
  }),
});
