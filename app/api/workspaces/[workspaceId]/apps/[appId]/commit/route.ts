import { route } from "@/lib/features/accounts/route";
import { commitDrafts } from "@/lib/features/apps/commits";
import { appParams as params } from "@/lib/features/apps/params";
import { commitAnswer, commitBody } from "@/lib/features/apps/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Commit an app draft",
    description: "Commits to your branch. Returns 409 if nothing has changed.",
    tag: "Apps",
    access: member,
    params,
    body: commitBody,
    response: commitAnswer,
    failures: ["conflict", "storage_full"],
    message: "Committed",
    handle: ({ caller, params: { appId }, body }) => commitDrafts(caller, appId, body.message),
  }),
});
