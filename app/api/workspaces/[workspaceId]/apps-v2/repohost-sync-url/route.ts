import { route } from "@/lib/features/accounts/route";
import { beginAuthorization } from "@/lib/features/linked-repositories/installations";
import { syncUrlAnswer } from "@/lib/features/linked-repositories/schema";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Where the repository host lists your installations",
    description:
      "Open it in a browser. The host asks whether your installations may be listed, and leads back once, within ten minutes, to whoever asked for the address.",
    tag: "Apps",
    access: admin,
    params: pathIds("workspaceId"),
    response: syncUrlAnswer,
    failures: ["repo_host_not_configured"],
    handle: ({ caller }) => beginAuthorization(caller),
  }),
});
