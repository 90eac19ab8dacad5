import { route } from "@/lib/features/accounts/route";
import { appParams } from "@/lib/features/apps/params";
import { VIEW_ANSWERS } from "@/lib/features/apps/reference";
import { viewPath } from "@/lib/features/apps/view/schema";
import { viewAsMember } from "@/lib/features/apps/view/view";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a file of a published app",
    description: "Requires a session or an API key. Frames use a view URL instead. Errors are plain text.",
    tag: "Apps",
    access: member,
    params: appParams.extend({ path: viewPath }),
    outside: VIEW_ANSWERS,
    failures: ["not_found", "not_published"],
    handle: ({ caller, params: { appId }, request }) => viewAsMember(caller, appId, request),
  }),
});
