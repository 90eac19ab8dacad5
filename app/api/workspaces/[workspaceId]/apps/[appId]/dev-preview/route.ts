import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { startPreview } from "@/lib/features/apps/preview/preview";
import { previewSchema } from "@/lib/features/apps/preview/schema";
import { PREVIEW_FAILURES } from "@/lib/features/apps/reference";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Open a live preview",
    description: "Starts your sandbox if needed and returns a private URL for its preview frame.",
    tag: "Apps",
    access: member,
    params,
    response: previewSchema,
    failures: PREVIEW_FAILURES,
    message: "Preview opened",
    handle: ({ caller, params: { appId } }) => startPreview(caller, appId),
  }),
});
