import { route } from "@/lib/features/accounts/route";
import { restoreVersion } from "@/lib/features/consoles/history";
import { consoleSchema } from "@/lib/features/consoles/schema";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { restoreVersionBody } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Restore a version of a console",
    description: "Creates a new commit. Name and folder are kept.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    body: restoreVersionBody,
    response: consoleSchema,
    failures: SAVE_FAILURES,
    message: "Version restored",
    handle: ({ caller, params, body }) => restoreVersion(caller, params.consoleId, body.sha),
  }),
});
