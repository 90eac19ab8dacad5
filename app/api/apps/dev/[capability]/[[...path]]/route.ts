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
    summary: "Get a file of a live preview",
    description:
      "Needs no cookie or key: anyone with the URL sees the working copy. For frames only. Returns 403 for top-level navigation (`Sec-Fetch-Dest: document`).",
    tag: "Apps",
    access: open,
    params,
    outside: PREVIEW_ANSWERS,
    failures: ["forbidden", "not_found"],
    handle: ({ params: { capability: given }, request }) => answerPreview(request, given),
  }),
  POST: route({
    summary: "Send a message to the dev server",
    description: "Only `__hot`: the page-to-server half of hot reload. GET the same URL for the other half.",
    tag: "Apps",
    access: open,
    params,
    rawBody: { "text/plain": null },
    outside: PREVIEW_HEARS,
    failures: ["forbidden", "not_found", "method_not_allowed"],
    handle: ({ params: { capability: given }, request }) => answerPreview(request, given),
  }),
});
