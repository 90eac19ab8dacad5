import { route } from "@/lib/features/accounts/route";
import { member } from "@/lib/platform/access/rules";
import type { pathIds } from "@/lib/platform/http/ids";
import { closeSession } from "./manual-sessions";

type SessionParams = ReturnType<typeof pathIds<"workspaceId" | "sessionId">>;

/** Route to close a session, by its id alone or below its connection. @param params the ids in its path */
export function closeSessionRoutes(params: SessionParams) {
  return route.methods({
    DELETE: route({
      summary: "Close a session for manual transactions",
      description: "Rolls back its open transaction. Another person's session returns 404.",
      tag: "Queries",
      access: member,
      params,
      message: "Session closed",
      failures: ["not_found"],
      handle: async ({ caller, params: { sessionId } }) => {
        await closeSession(caller, sessionId);
        return null;
      },
    }),
  });
}
