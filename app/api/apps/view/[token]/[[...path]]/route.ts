import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { VIEW_ANSWERS } from "@/lib/features/apps/reference";
import { viewPath, viewToken } from "@/lib/features/apps/view/schema";
import { viewByToken } from "@/lib/features/apps/view/view";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a file of a published app by view token",
    description:
      "Needs no cookie or key. The token gives access to this published version only. For frames only: returns 403 for top-level navigation (`Sec-Fetch-Dest: document`). Returns 401 for an invalid or expired token.",
    tag: "Apps",
    access: open,
    params: z.object({ token: viewToken, path: viewPath }),
    outside: VIEW_ANSWERS,
    failures: ["unauthenticated", "forbidden", "not_found"],
    handle: ({ params: { token }, request }) => viewByToken(request, token),
  }),
});
