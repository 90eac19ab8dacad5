import { route } from "@/lib/features/accounts/route";
import { closeSession } from "@/lib/features/query/manual-sessions";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Close a session for manual transactions",
    description: "Rolls back its open transaction. Another person's session returns 404.",
    tag: "Queries",
    access: member,
    params: pathIds("workspaceId", "sessionId"),
    message: "Session closed",
    failures: ["not_found"],
    handle: async ({ caller, params: { sessionId } }) => {
      await closeSession(caller, sessionId);
      return null;
    },
  }),
});
