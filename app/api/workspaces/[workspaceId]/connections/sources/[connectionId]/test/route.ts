import { route } from "@/lib/features/accounts/route";
import { testAnswer } from "@/lib/features/connections/schema";
import { testConnection } from "@/lib/features/connections/test-service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Test a connection",
    description: "Returns {ok: false, error, code} if the source is unreachable.",
    tag: "Connections",
    access: member,
    isRead: true,
    params: pathIds("workspaceId", "connectionId"),
    response: testAnswer,
    failures: ["address_refused", "precondition_failed", "rate_limited"],
    handle: ({ caller, params, signal }) => testConnection(caller, params.connectionId, signal),
  }),
});
