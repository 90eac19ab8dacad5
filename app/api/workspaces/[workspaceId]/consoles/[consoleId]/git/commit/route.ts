import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { CONSOLES } from "@/lib/consoles/cabinet";
import { getCommit } from "@/lib/folders/history";
import { commitQuery, fileCommitSchema } from "@/lib/folders/schema";
import { pathIds } from "@/lib/http/ids";

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
