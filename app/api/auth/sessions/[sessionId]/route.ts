import { endSession } from "@/lib/features/accounts/own-sessions";
import { route } from "@/lib/features/accounts/route";
import { account } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "End one of your sessions",
    tag: "Account",
    access: account,
    params: pathIds("sessionId"),
    message: "Session ended",
    handle: async ({ caller, params }) => {
      await endSession(caller, params.sessionId);
      return null;
    },
  }),
});
