import { route } from "@/lib/features/accounts/route";
import { beginAuthorization } from "@/lib/features/linked-repositories/installations";
import { syncUrlAnswer } from "@/lib/features/linked-repositories/schema";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a URL to list your installations",
    description:
      "Open the URL in a browser. The host asks for permission and redirects back. The URL works once, for you only, and expires after ten minutes.",
    tag: "Apps",
    access: admin,
    params: pathIds("workspaceId"),
    response: syncUrlAnswer,
    failures: ["repo_host_not_configured"],
    handle: ({ caller }) => beginAuthorization(caller),
  }),
});
