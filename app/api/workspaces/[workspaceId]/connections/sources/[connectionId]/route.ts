import { route } from "@/lib/features/accounts/route";
import { deleteConnectionQuery } from "@/lib/features/connections/schema";
import { deleteConnection } from "@/lib/features/connections/service";
import { listUses } from "@/lib/features/instance/in-use";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Delete a connection",
    description:
      "Requires its creator or an admin. Returns 409 in_use with the resources that use it; force=true deletes it anyway.",
    tag: "Connections",
    access: member,
    params: pathIds("workspaceId", "connectionId"),
    query: deleteConnectionQuery,
    failures: ["in_use"],
    message: "Connection deleted",
    handle: async ({ caller, params, query }) => {
      await deleteConnection(caller, params.connectionId, { force: query.force === "true", findUses: listUses });
      return null;
    },
  }),
});
