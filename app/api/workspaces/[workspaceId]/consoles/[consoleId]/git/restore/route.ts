import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { restoreVersion } from "@/lib/consoles/history";
import { consoleSchema } from "@/lib/consoles/schema";
import { SAVE_FAILURES } from "@/lib/folders/reference";
import { restoreVersionBody } from "@/lib/folders/schema";
import { pathIds } from "@/lib/http/ids";

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
