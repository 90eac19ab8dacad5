import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { answerPreview } from "@/lib/features/apps/preview/preview";
import { capability } from "@/lib/features/apps/preview/schema";
import { PREVIEW_ANSWERS, PREVIEW_HEARS } from "@/lib/features/apps/reference";
import { viewPath } from "@/lib/features/apps/view/schema";
import { open } from "@/lib/platform/access/rules";

const params = z.object({ capability, path: viewPath });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "A file of a live preview, by its address",
    description:
      "No cookie and no key is read: whoever knows the address sees the working copy. It is for frames: as a page of its own (`Sec-Fetch-Dest: document`) it is refused with 403.",
    tag: "Apps",
    access: open,
    params,
    outside: PREVIEW_ANSWERS,
    failures: ["forbidden", "not_found"],
    handle: ({ params: { capability: given }, request }) => answerPreview(request, given),
  }),
  POST: route({
    summary: "Tell a dev server what its page has to say",
    description: "`__hot` alone: the way up of a page's line to it. The way down is the same address, read.",
    tag: "Apps",
    access: open,
    params,
    rawBody: { "text/plain": null },
    outside: PREVIEW_HEARS,
    failures: ["forbidden", "not_found", "method_not_allowed"],
    handle: ({ params: { capability: given }, request }) => answerPreview(request, given),
  }),
});
