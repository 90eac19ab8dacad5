import { endSession } from "@/lib/features/accounts/own-sessions";
import { account } from "@/lib/platform/access/rules";
import { route } from "@/lib/platform/api/route";
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
