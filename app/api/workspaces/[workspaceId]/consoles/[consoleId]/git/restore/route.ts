import { route } from "@/lib/features/accounts/route";
import { restoreVersion } from "@/lib/features/consoles/history";
import { consoleSchema } from "@/lib/features/consoles/schema";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { restoreVersionBody } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Restore the text of an older commit",
    description: "A new commit. The console keeps its name and its place.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    body: restoreVersionBody,
    response: consoleSchema,
    failures: SAVE_FAILURES,
    message: "Text restored",
    handle: ({ caller, params, body }) => restoreVersion(caller, params.consoleId, body.sha),
  }),
});
