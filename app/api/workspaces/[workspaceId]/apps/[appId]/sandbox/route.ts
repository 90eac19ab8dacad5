import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { startPreview, stopPreview } from "@/lib/features/apps/preview/preview";
import { previewSchema } from "@/lib/features/apps/preview/schema";
import { PREVIEW_FAILURES } from "@/lib/features/apps/reference";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Start your sandbox of an app",
    description:
      "A dev server over the files as you have them; the one that runs, if one does. It stops after 15 minutes without a request. A server runs four at a time. 503 says what has to be installed where there is none.",
    tag: "Apps",
    access: member,
    params,
    response: previewSchema,
    failures: PREVIEW_FAILURES,
    message: "Sandbox started",
    handle: ({ caller, params: { appId } }) => startPreview(caller, appId),
  }),
  DELETE: route({
    summary: "Stop your sandbox of an app",
    description: "What you have written is in your draft. Without a sandbox, nothing happens.",
    tag: "Apps",
    access: member,
    params,
    message: "Sandbox stopped",
    handle: ({ caller, params: { appId } }) => stopPreview(caller, appId),
  }),
});
