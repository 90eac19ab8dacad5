import { route } from "@/lib/features/accounts/route";
import { linkAnswer, linkBody, linkStatusAnswer } from "@/lib/features/linked-repositories/schema";
import { getLink, linkRepository, unlinkRepository } from "@/lib/features/linked-repositories/service";
import { admin, member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The linked repository",
    description: "How it stands, and for admins the installations that the host has shown them.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    response: linkStatusAnswer,
    handle: ({ caller }) => getLink(caller),
  }),
  POST: route({
    summary: "Link a repository",
    description:
      "The apps in it and those of the workspace are mirrored from then on, both ways. `imported`: it had apps; `seeded`: the workspace's were put into it; `fresh`: neither had any. Linking the same again binds it to its installation of now.",
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
    ],
    message: "Repository linked",
    handle: ({ caller, body, signal }) => linkRepository(caller, body, signal),
  }),
  DELETE: route({
    summary: "Unlink the repository",
    description: "Both sides keep what they have.",
    tag: "Apps",
    access: admin,
    params: pathIds("workspaceId"),
    failures: ["not_found"],
    message: "Repository unlinked",
    handle: ({ caller }) => unlinkRepository(caller),
  }),
});
