import { route } from "@/lib/features/accounts/route";
import { downloadRejected } from "@/lib/features/connections/imports/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Download rejected rows",
    description: "Returns line, problem and text of each row that the last preview rejected, as CSV.",
    tag: "Imports",
    access: member,
    params: pathIds("workspaceId", "importId"),
    outside: { 200: { "text/csv": null } },
    failures: ["not_allowed"],
    handle: ({ caller, params }) => downloadRejected(caller, params.importId),
  }),
});
