import { z } from "zod";
import { account } from "@/lib/auth/access";
import { endSession } from "@/lib/auth/own-sessions";
import { objectId } from "@/lib/http/ids";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "End one of your sessions",
    tag: "Account",
    access: account,
    params: z.object({ sessionId: objectId }),
    message: "Session ended",
    handle: async ({ principal, params }) => {
      await endSession(principal.user._id, params.sessionId);
      return null;
    },
  }),
});
