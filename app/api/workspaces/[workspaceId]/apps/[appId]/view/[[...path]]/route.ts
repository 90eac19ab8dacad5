import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { appParams } from "@/lib/apps/params";
import { VIEW_ANSWERS } from "@/lib/apps/reference";
import { viewPath } from "@/lib/apps/view/schema";
import { viewAsMember } from "@/lib/apps/view/view";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "A file of a published app",
    description:
      "For who is signed in, or has a key. A frame of an app sends neither: it takes the address of a view token. Failures below it are texts.",
    tag: "Apps",
    access: member,
    params: appParams.extend({ path: viewPath }),
    outside: VIEW_ANSWERS,
    failures: ["not_found", "not_published"],
    handle: ({ caller, params: { appId }, request }) => viewAsMember(caller, appId, request),
  }),
});
