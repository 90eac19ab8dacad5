import { route } from "@/lib/features/accounts/route";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { getCommit } from "@/lib/features/folders/history";
import { commitQuery, fileCommitSchema } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "What one commit changed for a console",
    description: "Nothing of other files. 409 when the digits fit several of the console's commits.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    query: commitQuery,
    response: fileCommitSchema,
    failures: ["conflict"],
    handle: ({ caller, params, query }) => getCommit(caller, CONSOLES, params.consoleId, query.sha),
  }),
});
