import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { VIEW_ANSWERS } from "@/lib/features/apps/reference";
import { viewPath, viewToken } from "@/lib/features/apps/view/schema";
import { viewByToken } from "@/lib/features/apps/view/view";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "A file of a published app, by a view token",
    description:
      "No cookie and no key is read: the token lets in, to this app as it was published alone. It is for frames: as a page of its own (`Sec-Fetch-Dest: document`) it is refused with 403. A forged token, and one that is over, is 401.",
    tag: "Apps",
    access: open,
    params: z.object({ token: viewToken, path: viewPath }),
    outside: VIEW_ANSWERS,
    failures: ["unauthenticated", "forbidden", "not_found"],
    handle: ({ params: { token }, request }) => viewByToken(request, token),
  }),
});
