import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { deleteConnectionQuery } from "@/lib/connections/schema";
import { deleteConnection } from "@/lib/connections/service";
import { pathIds } from "@/lib/http/ids";
import { listUses } from "@/lib/lifecycle/in-use";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Delete a connection",
    description: "Who added it may, and admins. 409 in_use lists what uses it; force=true deletes all the same.",
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
