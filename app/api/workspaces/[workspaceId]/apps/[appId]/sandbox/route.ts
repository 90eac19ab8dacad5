import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { startPreview, stopPreview } from "@/lib/features/apps/preview/preview";
import { previewSchema } from "@/lib/features/apps/preview/schema";
import { PREVIEW_FAILURES } from "@/lib/features/apps/reference";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Start a sandbox",
    description:
      "Starts a dev server on your files, or returns the running one. It stops after 15 idle minutes. Each server runs up to four sandboxes. Returns 503 with install instructions if sandboxes are unavailable.",
    tag: "Apps",
    access: member,
    params,
    response: previewSchema,
    failures: PREVIEW_FAILURES,
    message: "Sandbox started",
    handle: ({ caller, params: { appId } }) => startPreview(caller, appId),
  }),
  DELETE: route({
    summary: "Stop a sandbox",
    description: "Your changes stay in your draft. Does nothing if no sandbox is running.",
    tag: "Apps",
    access: member,
    params,
    message: "Sandbox stopped",
    handle: ({ caller, params: { appId } }) => stopPreview(caller, appId),
  }),
});
