import { route } from "@/lib/features/accounts/route";
import { UPDATE_REFUSALS, updateConnectionRequest } from "@/lib/features/connections/reference";
import { connectionSchema } from "@/lib/features/connections/schema";
import { getConnection, updateConnection } from "@/lib/features/connections/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "connectionId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a connection",
    tag: "Connections",
    access: member,
    params,
    response: connectionSchema,
    handle: ({ caller, params }) => getConnection(caller, params.connectionId),
  }),
  PATCH: route({
    summary: "Update a connection",
    description:
      "Requires its creator or an admin. Omitted secrets are kept. Resend them when you change host, port, user, file, baseUrl or type, or weaken ssl.",
    tag: "Connections",
    access: member,
    params,
    body: updateConnectionRequest,
    response: connectionSchema,
    failures: ["address_refused", "conflict", "precondition_failed"],
    refuses: UPDATE_REFUSALS,
    message: "Connection updated",
    handle: ({ caller, params, body }) => updateConnection(caller, params.connectionId, body),
  }),
});
