import { account } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { endSession } from "@/lib/auth/own-sessions";
import { pathIds } from "@/lib/http/ids";

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
