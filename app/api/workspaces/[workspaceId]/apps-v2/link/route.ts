import { route } from "@/lib/features/accounts/route";
import { linkAnswer, linkBody, linkStatusAnswer } from "@/lib/features/linked-repositories/schema";
import { getLink, linkRepository, unlinkRepository } from "@/lib/features/linked-repositories/service";
import { admin, member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the linked repository",
    description: "Returns the link status and, for admins, their installations on the host.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    response: linkStatusAnswer,
    handle: ({ caller }) => getLink(caller),
  }),
  POST: route({
    summary: "Link a repository",
    description:
      "Syncs the workspace's files both ways. `imported`: the repository had apps, consoles or dashboards. `seeded`: the workspace's files were pushed. `fresh`: neither side had any. Linking again updates the installation, and the user whose permissions apply to changes from the repository.",
    tag: "Apps",
    access: admin,
    params: pathIds("workspaceId"),
    body: linkBody,
    response: linkAnswer,
    failures: [
      "repo_host_not_configured",
      "not_found",
      "conflict",
      "source_unreachable",
      "timeout",
      "too_large",
      "unavailable",
      "rate_limited",
    ],
    message: "Repository linked",
    handle: ({ caller, body, signal }) => linkRepository(caller, body, signal),
  }),
  DELETE: route({
    summary: "Unlink a repository",
    description: "Both sides keep their files.",
    tag: "Apps",
    access: admin,
    params: pathIds("workspaceId"),
    failures: ["not_found"],
    message: "Repository unlinked",
    handle: ({ caller }) => unlinkRepository(caller),
  }),
});
