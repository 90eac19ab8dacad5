import { route } from "@/lib/features/accounts/route";
import { linkStatusAnswer, syncBody } from "@/lib/features/linked-repositories/schema";
import { requestSync } from "@/lib/features/linked-repositories/service";
import { admin } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Sync the linked repository",
    description: "Starts a sync job. `prefer` resolves `conflicts` and a rewritten branch.",
    tag: "Apps",
    access: admin,
    params: pathIds("workspaceId"),
    body: syncBody,
    response: linkStatusAnswer,
    status: 202,
    failures: ["repo_host_not_configured", "not_found"],
    message: "Sync started",
    handle: ({ caller, body }) => requestSync(caller, body),
  }),
});
