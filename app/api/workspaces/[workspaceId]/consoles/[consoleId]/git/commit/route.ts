import { route } from "@/lib/features/accounts/route";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { getCommit } from "@/lib/features/folders/history";
import { commitQuery, fileCommitSchema } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a commit of a console",
    description: "Returns changes to this console only. Returns 409 if the SHA prefix is ambiguous.",
    tag: "Consoles",
    access: member,
    params: pathIds("workspaceId", "consoleId"),
    query: commitQuery,
    response: fileCommitSchema,
    failures: ["conflict"],
    handle: ({ caller, params, query }) => getCommit(caller, CONSOLES, params.consoleId, query.sha),
  }),
});
