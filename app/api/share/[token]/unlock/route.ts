import { route } from "@/lib/features/accounts/route";
import { shareParams } from "@/lib/features/shares/params";
import { unlockBody } from "@/lib/features/shares/schema";
import { unlockShare } from "@/lib/features/shares/unlock";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Unlock a share",
    description:
      "Sets a cookie for this share for 12 hours. Ten failed attempts lock the share for 15 minutes. A hundred failed attempts from one IP address block all shares for that address.",
    tag: "Shares",
    access: open,
    guardsOrigin: true,
    params: shareParams,
    body: unlockBody,
    failures: ["not_found", "unauthenticated", "rate_limited", "unavailable"],
    message: "Unlocked",
    handle: async ({ params, body, headers, request }) => {
      headers.append("Set-Cookie", await unlockShare(params.token, body.password, request.headers));
    },
  }),
});
